//! What a program finds when it starts.

/// The first second of 2024 (UTC), in milliseconds since 1970.
const START_OF_2024: i64 = 1_704_067_200_000;

/// What a program finds when it starts; all of it is fixed before the machine boots.
#[derive(Clone, Debug)]
pub struct WorldOptions {
    /// System properties beside those that Java always has, or in their place.
    pub properties: Vec<(String, String)>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// What `java.class.path` says.
    pub class_path: String,
    /// Files, and folders (`None`), that are there beside those of every run, by absolute path.
    pub files: Vec<(String, Option<Vec<u8>>)>,
    /// Varies what random numbers come from: random bytes, and what `nanoTime` says at the start.
    pub seed: u64,
    /// Where the virtual clock starts, in milliseconds since 1970.
    pub start_millis: i64,
    /// Whether `assert` statements of the program are on.
    pub assertions: bool,
    /// Whether `System.exit` ends the run at once, without shutdown hooks.
    pub abrupt_exit: bool,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions {
            properties: Vec::new(),
            environment: Vec::new(),
            class_path: String::new(),
            files: Vec::new(),
            seed: 0,
            start_millis: START_OF_2024,
            assertions: true,
            abrupt_exit: true,
        }
    }
}
