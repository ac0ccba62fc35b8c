//! What a run did to the world outside the heap, and what it learned of it.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// What was done with a path. It is recorded also when the operation failed: elsewhere it may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Access {
    /// It was asked whether it is there, or for its length, its kind, its times, its permissions.
    Inspected,
    /// The names in the folder were read.
    Listed,
    /// A file was opened to read.
    Read,
    /// A file or a link was made where nothing was.
    Created,
    /// A folder was made where nothing was.
    DirectoryCreated,
    /// A file that is there was opened to write, or replaced.
    Written,
    /// Permissions, times, owner or the number of names were changed.
    AttributesChanged,
    /// It got another name, and is there no more.
    Renamed,
    /// It was removed.
    Deleted,
}

impl Access {
    /// Whether it changes what is there.
    pub fn changes(self) -> bool {
        !matches!(self, Access::Inspected | Access::Listed | Access::Read)
    }

    /// A verb in the past tense: `deleted`.
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
    /// The field of `java.lang.System`.
    pub fn field(self) -> &'static str {
        match self {
            Stream::In => "in",
            Stream::Out => "out",
            Stream::Err => "err",
        }
    }
}

/// One thing that a run did to the world outside the heap, or learned of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Effect {
    /// A path was used. It is absolute, without `.`, `..` and links.
    File {
        /// The path.
        path: Box<str>,
        /// How it was used.
        access: Access,
    },
    /// A socket was opened, connected or bound: what was done, with the address as far as it is known.
    Socket(Box<str>),
    /// The addresses of a host, or the name of an address, were asked for.
    NameLookup(Box<str>),
    /// The start of a program was tried: its path as given.
    Process(Box<str>),
    /// Other processes were looked at, waited for or sent a signal.
    OtherProcesses,
    /// The JVM was told to end, with this status.
    Exit(i32),
    /// Standard input was read.
    StandardInput,
    /// A system property has another value than before.
    PropertySet(Box<str>),
    /// A system property is there no more.
    PropertyCleared(Box<str>),
    /// `System.setProperties` put another object in the place of the system properties.
    PropertiesReplaced,
    /// An environment variable was read; without a name, all of them.
    EnvironmentRead(Option<Box<str>>),
    /// The default locale is another one.
    DefaultLocale,
    /// The default time zone is another one.
    DefaultTimeZone,
    /// A standard stream is another object.
    StreamReplaced(Stream),
    /// A thread was left behind.
    Thread {
        /// Its name.
        name: Box<str>,
        /// Whether it does nothing any more by itself: it waits without a time-out for somebody else.
        waits: bool,
    },
    /// A shutdown hook was left behind; the class of the thread.
    ShutdownHook(Box<str>),
    /// A path is to be deleted when the JVM ends (`File.deleteOnExit`).
    DeleteOnExit(Box<str>),
    /// The clock was read.
    ClockRead,
    /// Random bytes, or a seed that differs from run to run, were read.
    RandomnessRead,
    /// A native library was loaded: its name or path.
    NativeLibrary(Box<str>),
    /// A native method was called of which the machine knows nothing: `class.method`.
    UnknownNative(Box<str>),
}

/// Names of the computer that a program runs on: looking them up reaches nobody.
const THIS_COMPUTER: &str = "localhost";

impl Effect {
    /// Whether a run with this effect must not be repeated on a computer where anything but this folder is dear to
    /// somebody. With an empty text no path is in the folder.
    ///
    /// What only reads paths outside counts too, since what comes of it depends on the computer. Changes of properties,
    /// locale, time zone and streams do not: a test can put them back.
    pub fn escapes(&self, folder: &str) -> bool {
        match self {
            Effect::File { path, access: Access::Inspected } => {
                !is_inside(path, folder) && !is_above(path, folder)
            }
            Effect::File { path, .. } | Effect::DeleteOnExit(path) => !is_inside(path, folder),
            Effect::NameLookup(name) => &**name != THIS_COMPUTER,
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
            | Effect::ClockRead
            | Effect::RandomnessRead => false,
        }
    }

    /// Whether it changes what all code in the JVM shares, and a test can put it back.
    pub fn changes_globals(&self) -> bool {
        matches!(
            self,
            Effect::PropertySet(_)
                | Effect::PropertyCleared(_)
                | Effect::PropertiesReplaced
                | Effect::DefaultLocale
                | Effect::DefaultTimeZone
                | Effect::StreamReplaced(_)
        )
    }

    /// What it is, in one word that stays the same: for programs that read reports.
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

    /// What it is about: a path, a name, an address; empty for effects that are about nothing in particular.
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

/// As a phrase for people, without a full stop: `/tmp/a deleted`.
impl Display for Effect {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Effect::File { path, access } => write!(f, "{path} {}", access.verb()),
            Effect::Socket(what) => write!(f, "socket: {what}"),
            Effect::NameLookup(name) => write!(f, "name {name} looked up"),
            Effect::Process(program) => write!(f, "process {program} started"),
            Effect::OtherProcesses => f.write_str("other processes looked at or signalled"),
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
            Effect::Thread { name, waits: true } => write!(f, "thread {name} left behind, waiting"),
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

/// Whether an absolute path is this folder or below it.
fn is_inside(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    !folder.is_empty()
        && path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether this folder is below an absolute path.
fn is_above(path: &str, folder: &str) -> bool {
    path == "/" && !folder.is_empty() || is_inside(folder, path)
}

/// All effects of a run, sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Effects {
    all: BTreeSet<Effect>,
}

impl Effects {
    /// None.
    pub fn new() -> Effects {
        Effects::default()
    }

    /// Adds one.
    pub fn insert(&mut self, effect: Effect) {
        self.all.insert(effect);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether this one is among them.
    pub fn contains(&self, effect: &Effect) -> bool {
        self.all.contains(effect)
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Effect> {
        self.all.iter()
    }

    /// Every path that was used, with all that was done with it.
    pub fn files(&self) -> BTreeMap<&str, BTreeSet<Access>> {
        let mut files: BTreeMap<&str, BTreeSet<Access>> = BTreeMap::new();
        for effect in &self.all {
            if let Effect::File { path, access } = effect {
                files.entry(path).or_default().insert(*access);
            }
        }
        files
    }

    /// Those that forbid to repeat the run where only this folder may be touched; see [`Effect::escapes`].
    pub fn escapes(&self, folder: &str) -> Vec<&Effect> {
        self.all.iter().filter(|effect| effect.escapes(folder)).collect()
    }

    /// Those that change what all code in the JVM shares, and that a test can put back.
    pub fn globals(&self) -> impl Iterator<Item = &Effect> {
        self.all.iter().filter(|effect| effect.changes_globals())
    }

    /// Whether a run with these effects does nothing to a computer, and nothing that other code in its JVM notices.
    pub fn are_harmless(&self) -> bool {
        self.escapes("").is_empty() && !self.changes_globals()
    }

    /// Whether there are such.
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
    fn what_lies_in_the_folder_does_not_escape() {
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
