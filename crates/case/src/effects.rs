//! Effects: what a run did to the world outside the heap, and what it read from it.

use crate::jvm_default::JvmDefault;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// An operation on a path. It is recorded even if it failed, since it may succeed on another computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Access {
    /// A query of existence, length, kind, times or permissions.
    Inspected,
    /// A folder listing.
    Listed,
    /// Opening a file for reading.
    Read,
    /// Creating a file or link.
    Created,
    /// Creating a folder.
    DirectoryCreated,
    /// Opening an existing file for writing, or replacing it.
    Written,
    /// Changing permissions, times, owner or the number of links.
    AttributesChanged,
    /// Renaming; the path no longer exists.
    Renamed,
    /// Deletion.
    Deleted,
}

impl Access {
    /// Whether the operation modifies the file system.
    pub fn changes(self) -> bool {
        !matches!(self, Access::Inspected | Access::Listed | Access::Read)
    }

    /// The operation as a past participle: `deleted`.
    pub fn verb(self) -> &'static str {
        match self {
            Access::Inspected => "inspected",
            Access::Listed => "listed",
            Access::Read => "read",
            Access::Created => "created",
            Access::DirectoryCreated => "created as a folder",
            Access::Written => "written",
            Access::AttributesChanged => "attributes changed",
            Access::Renamed => "renamed",
            Access::Deleted => "deleted",
        }
    }
}

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// `System.in`.
    In,
    /// `System.out`.
    Out,
    /// `System.err`.
    Err,
}

impl Stream {
    /// The name of the field in `java.lang.System`.
    pub fn field(self) -> &'static str {
        match self {
            Stream::In => "in",
            Stream::Out => "out",
            Stream::Err => "err",
        }
    }
}

/// One effect of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Effect {
    /// Use of a path. The path is absolute, normalised, and without symbolic links.
    File {
        /// The path.
        path: Box<str>,
        /// The operation.
        access: Access,
    },
    /// Opening, connecting or binding a socket: the operation and the address, as far as known.
    Socket(Box<str>),
    /// A look-up of a host name or address.
    NameLookup(Box<str>),
    /// An attempt to start a program: its path as given.
    Process(Box<str>),
    /// Inspecting, waiting for, or signalling other processes.
    OtherProcesses,
    /// Exit of the JVM with this status.
    Exit(i32),
    /// A read from standard input.
    StandardInput,
    /// A system property was set to a different value.
    PropertySet(Box<str>),
    /// A system property was removed.
    PropertyCleared(Box<str>),
    /// `System.setProperties` replaced the system properties.
    PropertiesReplaced,
    /// A read of an environment variable; `None` for all of them.
    EnvironmentRead(Option<Box<str>>),
    /// The default locale was changed.
    DefaultLocale,
    /// The default time zone was changed.
    DefaultTimeZone,
    /// A standard stream was replaced.
    StreamReplaced(Stream),
    /// Another object that the JDK uses by default was replaced.
    DefaultReplaced(JvmDefault),
    /// A thread was left running.
    Thread {
        /// Its name.
        name: Box<str>,
        /// Whether the thread is idle: it waits for another thread without a time-out.
        waits: bool,
    },
    /// A shutdown hook was registered; the class of its thread.
    ShutdownHook(Box<str>),
    /// A path was registered for deletion at exit (`File.deleteOnExit`).
    DeleteOnExit(Box<str>),
    /// A read of the clock.
    ClockRead,
    /// A read of random bytes, or of a seed that differs from run to run.
    RandomnessRead,
    /// Loading of a native library, by name or path.
    NativeLibrary(Box<str>),
    /// A call of a native method that the machine does not implement: `class.method`.
    UnknownNative(Box<str>),
}

/// What a run looks up that asks for the name of the computer. It differs from computer to computer, but asking for it
/// changes nothing.
pub const OWN_NAME: &str = "of this computer";
/// Names that contact nobody when they are looked up.
const NEAR: [&str; 2] = ["localhost", OWN_NAME];

impl Effect {
    /// Whether repeating the run could harm the computer or depends on it: the effect reaches beyond this
    /// folder. With an empty string, every path is outside.
    ///
    /// Reading paths outside of the folder counts too, because the result depends on the computer. Changes of
    /// properties, locale, time zone, streams and defaults do not count: a test can restore them.
    pub fn escapes(&self, folder: &str) -> bool {
        match self {
            Effect::File { path, access: Access::Inspected } => {
                !is_inside(path, folder) && !is_above(path, folder)
            }
            Effect::File { path, .. } | Effect::DeleteOnExit(path) => !is_inside(path, folder),
            Effect::NameLookup(name) => !NEAR.contains(&&**name),
            Effect::Thread { waits, .. } => !waits,
            Effect::Socket(_)
            | Effect::Process(_)
            | Effect::OtherProcesses
            | Effect::Exit(_)
            | Effect::StandardInput
            | Effect::ShutdownHook(_)
            | Effect::NativeLibrary(_)
            | Effect::UnknownNative(_) => true,
            Effect::PropertySet(_)
            | Effect::PropertyCleared(_)
            | Effect::PropertiesReplaced
            | Effect::EnvironmentRead(_)
            | Effect::DefaultLocale
            | Effect::DefaultTimeZone
            | Effect::StreamReplaced(_)
            | Effect::DefaultReplaced(_)
            | Effect::ClockRead
            | Effect::RandomnessRead => false,
        }
    }

    /// Whether it changes global state of the JVM that a test can restore.
    pub fn changes_globals(&self) -> bool {
        matches!(
            self,
            Effect::PropertySet(_)
                | Effect::PropertyCleared(_)
                | Effect::PropertiesReplaced
                | Effect::DefaultLocale
                | Effect::DefaultTimeZone
                | Effect::StreamReplaced(_)
                | Effect::DefaultReplaced(_)
        )
    }

    /// A stable keyword for the kind of effect, for machine-readable reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Effect::File { access, .. } => match access {
                Access::Inspected => "file-inspected",
                Access::Listed => "directory-listed",
                Access::Read => "file-read",
                Access::Created => "file-created",
                Access::DirectoryCreated => "directory-created",
                Access::Written => "file-written",
                Access::AttributesChanged => "attributes-changed",
                Access::Renamed => "file-renamed",
                Access::Deleted => "file-deleted",
            },
            Effect::Socket(_) => "socket",
            Effect::NameLookup(_) => "name-lookup",
            Effect::Process(_) => "process",
            Effect::OtherProcesses => "other-processes",
            Effect::Exit(_) => "exit",
            Effect::StandardInput => "standard-input",
            Effect::PropertySet(_) => "property-set",
            Effect::PropertyCleared(_) => "property-cleared",
            Effect::PropertiesReplaced => "properties-replaced",
            Effect::EnvironmentRead(_) => "environment-read",
            Effect::DefaultLocale => "default-locale",
            Effect::DefaultTimeZone => "default-time-zone",
            Effect::StreamReplaced(_) => "stream-replaced",
            Effect::DefaultReplaced(_) => "default-replaced",
            Effect::Thread { waits: true, .. } => "thread-waiting",
            Effect::Thread { waits: false, .. } => "thread-running",
            Effect::ShutdownHook(_) => "shutdown-hook",
            Effect::DeleteOnExit(_) => "delete-on-exit",
            Effect::ClockRead => "clock-read",
            Effect::RandomnessRead => "randomness-read",
            Effect::NativeLibrary(_) => "native-library",
            Effect::UnknownNative(_) => "unknown-native",
        }
    }

    /// The subject: a path, a name or an address; empty if there is none.
    pub fn subject(&self) -> String {
        match self {
            Effect::File { path: text, .. }
            | Effect::Socket(text)
            | Effect::NameLookup(text)
            | Effect::Process(text)
            | Effect::PropertySet(text)
            | Effect::PropertyCleared(text)
            | Effect::EnvironmentRead(Some(text))
            | Effect::Thread { name: text, .. }
            | Effect::ShutdownHook(text)
            | Effect::DeleteOnExit(text)
            | Effect::NativeLibrary(text)
            | Effect::UnknownNative(text) => text.to_string(),
            Effect::Exit(status) => status.to_string(),
            Effect::StreamReplaced(stream) => format!("System.{}", stream.field()),
            Effect::DefaultReplaced(default) => default.name(),
            Effect::OtherProcesses
            | Effect::StandardInput
            | Effect::PropertiesReplaced
            | Effect::EnvironmentRead(None)
            | Effect::DefaultLocale
            | Effect::DefaultTimeZone
            | Effect::ClockRead
            | Effect::RandomnessRead => String::new(),
        }
    }
}

/// Displays the effect as a phrase without a full stop: `/tmp/a deleted`.
impl Display for Effect {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Effect::File { path, access } => write!(f, "{path} {}", access.verb()),
            Effect::Socket(what) => write!(f, "socket: {what}"),
            Effect::NameLookup(name) => write!(f, "name {name} looked up"),
            Effect::Process(program) => write!(f, "process {program} started"),
            Effect::OtherProcesses => f.write_str("other processes inspected or signalled"),
            Effect::Exit(status) => write!(f, "JVM ended with status {status}"),
            Effect::StandardInput => f.write_str("standard input read"),
            Effect::PropertySet(name) => write!(f, "system property {name} set"),
            Effect::PropertyCleared(name) => write!(f, "system property {name} cleared"),
            Effect::PropertiesReplaced => f.write_str("system properties replaced"),
            Effect::EnvironmentRead(Some(name)) => write!(f, "environment variable {name} read"),
            Effect::EnvironmentRead(None) => f.write_str("environment read"),
            Effect::DefaultLocale => f.write_str("default locale changed"),
            Effect::DefaultTimeZone => f.write_str("default time zone changed"),
            Effect::StreamReplaced(stream) => write!(f, "System.{} replaced", stream.field()),
            Effect::DefaultReplaced(default) => write!(f, "{} replaced", default.name()),
            Effect::Thread { name, waits: true } => write!(f, "thread {name} left waiting"),
            Effect::Thread { name, waits: false } => write!(f, "thread {name} left running"),
            Effect::ShutdownHook(class) => write!(f, "shutdown hook {class} registered"),
            Effect::DeleteOnExit(path) => write!(f, "{path} to be deleted on exit"),
            Effect::ClockRead => f.write_str("clock read"),
            Effect::RandomnessRead => f.write_str("randomness read"),
            Effect::NativeLibrary(name) => write!(f, "native library {name} loaded"),
            Effect::UnknownNative(name) => write!(f, "unknown native method {name} called"),
        }
    }
}

/// Whether an absolute path is this folder or inside it.
fn is_inside(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    !folder.is_empty()
        && path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether this folder is inside an absolute path.
fn is_above(path: &str, folder: &str) -> bool {
    path == "/" && !folder.is_empty() || is_inside(folder, path)
}

/// The effects of a run, sorted and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Effects {
    all: BTreeSet<Effect>,
}

impl Effects {
    /// No effects.
    pub fn new() -> Effects {
        Effects::default()
    }

    /// Adds an effect.
    pub fn insert(&mut self, effect: Effect) {
        self.all.insert(effect);
    }

    /// Whether there are no effects.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Number of effects.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the effect is present.
    pub fn contains(&self, effect: &Effect) -> bool {
        self.all.contains(effect)
    }

    /// All effects in order.
    pub fn iter(&self) -> impl Iterator<Item = &Effect> {
        self.all.iter()
    }

    /// All paths used, with the operations on each.
    pub fn files(&self) -> BTreeMap<&str, BTreeSet<Access>> {
        let mut files: BTreeMap<&str, BTreeSet<Access>> = BTreeMap::new();
        for effect in &self.all {
            if let Effect::File { path, access } = effect {
                files.entry(path).or_default().insert(*access);
            }
        }
        files
    }

    /// The effects that forbid repeating the run in this folder; see [`Effect::escapes`].
    pub fn escapes(&self, folder: &str) -> Vec<&Effect> {
        self.all.iter().filter(|effect| effect.escapes(folder)).collect()
    }

    /// The same without shutdown hooks, for runs that are not at their end: a machine can run the hooks then, and what
    /// they do counts.
    pub fn escapes_so_far(&self, folder: &str) -> Vec<&Effect> {
        let mut found = self.escapes(folder);
        found.retain(|effect| !matches!(effect, Effect::ShutdownHook(_)));
        found
    }

    /// Forgets shutdown hooks, whose effects are known.
    pub fn forget_hooks(&mut self) {
        self.all.retain(|effect| !matches!(effect, Effect::ShutdownHook(_)));
    }

    /// The effects on global state of the JVM that a test can restore.
    pub fn globals(&self) -> impl Iterator<Item = &Effect> {
        self.all.iter().filter(|effect| effect.changes_globals())
    }

    /// Whether the effects neither reach beyond the folder nor change global state of the JVM.
    pub fn are_harmless(&self) -> bool {
        self.escapes("").is_empty() && !self.changes_globals()
    }

    /// Whether there are effects on global state of the JVM that a test can restore.
    pub fn changes_globals(&self) -> bool {
        self.globals().next().is_some()
    }
}

impl Extend<Effect> for Effects {
    fn extend<I: IntoIterator<Item = Effect>>(&mut self, effects: I) {
        self.all.extend(effects);
    }
}

impl IntoIterator for Effects {
    type Item = Effect;
    type IntoIter = std::collections::btree_set::IntoIter<Effect>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl FromIterator<Effect> for Effects {
    fn from_iter<I: IntoIterator<Item = Effect>>(effects: I) -> Effects {
        Effects { all: effects.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, access: Access) -> Effect {
        Effect::File { path: path.into(), access }
    }

    #[test]
    fn effects_inside_the_test_folder_do_not_escape() {
        let cases = [
            (file("/tmp/junit/a", Access::Deleted), false),
            (file("/tmp/junit", Access::Listed), false),
            (file("/tmp/junit2/a", Access::Read), true),
            (file("/tmp", Access::Inspected), false),
            (file("/", Access::Inspected), false),
            (file("/tmp", Access::Listed), true),
            (file("/", Access::Deleted), true),
            (Effect::DeleteOnExit("/tmp/junit/a".into()), false),
            (Effect::DeleteOnExit("/etc/a".into()), true),
            (Effect::NameLookup("localhost".into()), false),
            (Effect::NameLookup("example.org".into()), true),
            (Effect::Thread { name: "a".into(), waits: true }, false),
            (Effect::Thread { name: "a".into(), waits: false }, true),
            (Effect::ClockRead, false),
            (Effect::PropertySet("a".into()), false),
        ];
        for (effect, escapes) in cases {
            assert_eq!(effect.escapes("/tmp/junit"), escapes, "{effect}");
            assert_eq!(effect.escapes("/tmp/junit/"), escapes, "{effect}");
        }
        assert!(file("/", Access::Inspected).escapes(""));
        assert!(file("/a", Access::Read).escapes(""));
    }

    #[test]
    fn files_are_told_with_all_that_was_done() {
        let effects: Effects = [
            file("/b", Access::Deleted),
            file("/a", Access::Read),
            file("/b", Access::Created),
            Effect::ClockRead,
        ]
        .into_iter()
        .collect();
        let files: Vec<_> =
            effects.files().into_iter().map(|(p, a)| (p, a.into_iter().collect::<Vec<_>>())).collect();
        assert_eq!(files, [("/a", vec![Access::Read]), ("/b", vec![Access::Created, Access::Deleted])]);
        assert!(!effects.changes_globals());
    }
}
