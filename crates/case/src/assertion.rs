//! What a case claims about the outcome.

use crate::{Expected, Literal, MethodRef, VarId};
use serde::{Deserialize, Serialize};

/// How the last step, the invocation under test, ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// It returned; what it returned is asserted through the step's result variable.
    Returned,
    /// It threw.
    Threw {
        /// Internal name of the exception's class.
        class: Box<str>,
        /// The message, if it is the same on every JVM: asserted then.
        message: Option<Vec<u16>>,
    },
}

/// What an assertion looks at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Probe {
    /// The value of a variable itself.
    Var(VarId),
    /// The result of an observer (a method without parameters and side effects) on a variable.
    Observer {
        /// The object.
        receiver: VarId,
        /// The observer.
        method: MethodRef,
    },
    /// The result of a static observer.
    StaticObserver(MethodRef),
    /// The state of an object and of what it leads to, as text: `List{header=Node{elem=0}}`.
    State {
        /// The object.
        of: VarId,
        /// The fields that count, private ones too: `elem`, or `Node.elem` where several classes have one.
        fields: Vec<Box<str>>,
    },
    /// What is at a path in the test's folder.
    File {
        /// The path, relative to the folder, parted by `/`.
        path: Box<str>,
        /// What of it.
        aspect: FileAspect,
    },
}

/// What can be claimed of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAspect {
    /// Whether anything is there: a boolean.
    Exists,
    /// Whether a folder is there: a boolean.
    IsFolder,
    /// The file's content, read as UTF-8: a string.
    Text,
    /// The file's content: an array of bytes.
    Bytes,
    /// The file's length: a long.
    Length,
}

/// What the probe must show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// It equals this literal (`null` included; floats and doubles by `Float.compare` equality, so NaN is
    /// NaN and 0.0 is not -0.0).
    Equals(Literal),
    /// It does not equal this literal.
    Differs(Literal),
    /// It equals one of these literals.
    OneOf(Vec<Literal>),
    /// It is not null, no more is known to be stable.
    NotNull,
    /// It is the same object as another variable.
    Same(VarId),
    /// It equals a value that the test builds: by its `equals`, arrays element by element.
    EqualsValue(Expected),
    /// It is an array with these elements (`assertArrayEquals`); the component type is primitive, or
    /// String or a box.
    ArrayEquals(Vec<Literal>),
    /// Its run-time class is this (internal name).
    InstanceOf(Box<str>),
    /// It is a `File`, a `Path` or a text that says where this path in the test's folder is.
    InFolder(Box<str>),
}

/// One claim of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assertion {
    /// What is looked at.
    pub probe: Probe,
    /// What it must show.
    pub expectation: Expectation,
}
