//! Differences found between two versions of a program.

use super::side_by_side::Excerpt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The severity of a difference for a caller, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// It returned and throws now.
    NewFailure,
    /// It ended and no longer ends.
    Endless,
    /// `equals`, `hashCode` or `compareTo` answers differently.
    Contract,
    /// It throws another exception.
    OtherException,
    /// A different value.
    OtherResult,
    /// A different readable text: a message, or `toString`.
    OtherText,
    /// It threw and returns now.
    FailureMended,
}

impl FindingKind {
    /// All kinds, the worst first.
    pub const ALL: [FindingKind; 7] = [
        FindingKind::NewFailure,
        FindingKind::Endless,
        FindingKind::Contract,
        FindingKind::OtherException,
        FindingKind::OtherResult,
        FindingKind::OtherText,
        FindingKind::FailureMended,
    ];

    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::NewFailure => "new-failure",
            FindingKind::Endless => "endless",
            FindingKind::Contract => "contract",
            FindingKind::OtherException => "other-exception",
            FindingKind::OtherResult => "other-result",
            FindingKind::OtherText => "other-text",
            FindingKind::FailureMended => "failure-mended",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            FindingKind::NewFailure => "fails now",
            FindingKind::Endless => "no longer ends",
            FindingKind::Contract => "contract",
            FindingKind::OtherException => "other exception",
            FindingKind::OtherResult => "other result",
            FindingKind::OtherText => "other text",
            FindingKind::FailureMended => "fails no more",
        }
    }
}

/// Calls on which the versions differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Its identity, the same in each run.
    pub id: String,
    /// Its severity.
    pub kind: FindingKind,
    /// The method that is called last: `org.x.Y.put(int)`.
    pub method: String,
    /// Conditions in the changed code that the calls satisfy.
    pub when: Vec<String>,
    /// The contracts of the old version that the calls break in the new one.
    pub breaks: Vec<String>,
    /// The calls, as Java.
    pub calls: Vec<String>,
    /// The behaviour of the old version.
    pub old: String,
    /// The behaviour of the new version.
    pub new: String,
    /// Whether the JDK confirmed it: the test passes on the old version and fails on the new one.
    pub confirmed: bool,
    /// Why the difference is intended, if the user said so.
    pub accepted: Option<String>,
}

impl Example {
    /// Its place among the examples: those that break a contract come first, then the worse kinds.
    pub fn rank(&self) -> (bool, FindingKind) {
        (self.breaks.is_empty(), self.kind)
    }

    /// The identity of calls that run these changed methods: a hash of their description.
    pub fn identity(changed: &[String], kind: FindingKind, calls: &[String], old: &str, new: &str) -> String {
        let text = format!("{changed:?} {} {calls:?} {old:?} {new:?}", kind.name());
        let hash = Sha256::digest(text.as_bytes());
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A change, and what it makes of calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// The changed methods that the calls run.
    pub changed: Vec<String>,
    /// The source file of the first, as `org/x/Y.java`.
    pub file: String,
    /// Its line in the new version.
    pub line: Option<u16>,
    /// One example of each kind, by [`Example::rank`].
    pub examples: Vec<Example>,
    /// The sources of the changed methods, for pages.
    #[serde(skip)]
    pub sources: Vec<SourcePair>,
}

/// The source of a method in both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePair {
    /// The method, as [`Cause::changed`] has it.
    pub method: String,
    /// The old source.
    pub old: Excerpt,
    /// The new source.
    pub new: Excerpt,
}

/// A class that has another name in the new version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedClass {
    /// Its name in the old version.
    pub was: String,
    /// Its name in the new version.
    pub is: String,
    /// The similarity, in percent, by which the two were matched.
    pub likeness: usize,
}

/// Why a change is not examined that only other classes than the requested ones show.
pub const NOT_SEARCHED: &str = "not searched";

/// A changed method and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedMethod {
    /// Its class, as Java writes it.
    pub class: String,
    /// Its name with parameters.
    pub method: String,
    /// `changed`, `added`, `removed` or `renamed`.
    pub fate: &'static str,
    /// Its name in the old version, if it was renamed.
    pub was: Option<String>,
    /// Its first line in the old version.
    pub old_line: Option<u16>,
    /// Its first line in the new version.
    pub new_line: Option<u16>,
    /// `differs`, `same`, `unknown`; empty if the method was not examined.
    pub verdict: &'static str,
    /// The bound of `same`, or the obstacle of `unknown`; [`NOT_SEARCHED`] if the user asked for other classes.
    pub why: String,
    /// Methods that other packages can call and from which it may be reached, nearest first.
    pub visible_from: Vec<String>,
}

/// A change that clients notice when they are compiled or linked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiChange {
    /// The class or member.
    pub place: String,
    /// The change.
    pub what: String,
    /// The incompatibility.
    pub breaks: String,
    /// The section of the JLS.
    pub jls: String,
}

/// All that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// The number of classes in both versions.
    pub common: usize,
    /// Classes that only the new version has.
    pub added: Vec<String>,
    /// Classes that only the old version has.
    pub removed: Vec<String>,
    /// Classes that have another name in the new version. Elsewhere in the report they have the old one.
    pub moved: Vec<MovedClass>,
    /// Fields that are not declared as they were.
    pub fields: Vec<String>,
    /// Methods that are not as they were.
    pub changed: Vec<ChangedMethod>,
    /// Changes of the API.
    pub api: Vec<ApiChange>,
    /// Differences in behaviour, the most severe first.
    pub causes: Vec<Cause>,
    /// Differences that the machine saw and the JDK did not confirm. They are reported nowhere else.
    pub unconfirmed: usize,
}

impl Differences {
    /// The examples that the user has not accepted.
    pub fn open(&self) -> impl Iterator<Item = (&Cause, &Example)> {
        let examples = self.causes.iter().flat_map(|cause| cause.examples.iter().map(move |it| (cause, it)));
        examples.filter(|(_, it)| it.accepted.is_none())
    }

    /// Whether nothing is reported: all differences of behaviour are accepted.
    pub fn is_silent(&self) -> bool {
        self.open().next().is_none()
    }
}
