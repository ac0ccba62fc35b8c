//! The environment that a program finds when it starts.

/// The first second of 2024 (UTC), in milliseconds since 1970.
const START_OF_2024: i64 = 1_704_067_200_000;

/// The environment that a program finds when it starts; all of it is fixed before the machine boots.
#[derive(Clone, Debug)]
pub struct WorldOptions {
    /// System properties that are added to those that Java always has, or replace them.
    pub properties: Vec<(String, String)>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// The value of `java.class.path`.
    pub class_path: String,
    /// Files and folders (`None`) that are added to those of every run, by absolute path.
    pub files: Vec<(String, Option<Vec<u8>>)>,
    /// Varies the source of random numbers: random bytes, and the initial value of `nanoTime`.
    pub seed: u64,
    /// The start of the virtual clock, in milliseconds since 1970.
    pub start_millis: i64,
    /// Whether `assert` statements of the program are enabled.
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
