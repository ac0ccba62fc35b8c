//! Changes of a class.

/// The fate of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Only the new version has it.
    Added,
    /// Only the old version has it.
    Removed,
    /// Both have it, with differences.
    Changed,
}

/// The fate of a method.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MethodFate {
    /// Only the new version has it.
    Added,
    /// Only the old version has it.
    Removed,
    /// Its body means something else, or may do so.
    Changed,
    /// It is private, and had this name. Its body is the same.
    Renamed(Box<str>),
}

/// A method that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodChange {
    /// Its name; the new one, if it was renamed.
    pub name: Box<str>,
    /// Its descriptor.
    pub descriptor: Box<str>,
    /// Its fate.
    pub fate: MethodFate,
    /// Its first line in the old version, if the class file has lines.
    pub old_line: Option<u16>,
    /// Its first line in the new version.
    pub new_line: Option<u16>,
}

/// A class that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassChange {
    /// Its internal name.
    pub name: Box<str>,
    /// Its fate.
    pub status: Status,
    /// Its changed methods, in the order of the new version, removed ones last.
    pub methods: Vec<MethodChange>,
    /// Its fields that were added, removed or changed, as text such as `added int count`.
    pub fields: Vec<String>,
}

impl ClassChange {
    /// The methods of both versions whose bodies may behave differently.
    pub fn changed_methods(&self) -> impl Iterator<Item = &MethodChange> {
        self.methods.iter().filter(|it| it.fate == MethodFate::Changed)
    }
}
