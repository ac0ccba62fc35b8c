//! Assertions: what a case claims about its outcome.

use crate::{ExpectedValue, FieldRef, Literal, MethodRef, Operand, VarId};
use serde::{Deserialize, Serialize};

/// How the last step, the invocation under test, ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// It returned. The result is asserted through the step's result variable.
    Returned,
    /// It threw an exception.
    Threw {
        /// Internal name of the exception's class.
        class: Box<str>,
        /// The message, asserted if it is the same on every JVM.
        message: Option<Vec<u16>>,
    },
}

/// What an assertion inspects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Probe {
    /// The value of a variable.
    Var(VarId),
    /// The result of an observer (a method without side effects) on a variable.
    Observer {
        /// The object.
        receiver: VarId,
        /// The observer.
        method: MethodRef,
        /// Its arguments; usually none.
        #[serde(default)]
        arguments: Vec<Operand>,
    },
    /// The end of a chain of observers and fields: `order.getCustomer().name`, `Registry.lookup("a")`.
    Chain {
        /// The first object; `None` if the first member is static.
        of: Option<VarId>,
        /// The members, at least one.
        members: Vec<Member>,
    },
    /// The remaining elements of an iterator, as a list. They are consumed.
    Elements(VarId),
    /// The text that the last step has written to `System.out`.
    Printed,
    /// The same, where an object has kept the stream since an earlier step. No earlier step has written anything.
    PrintedToKept,
    /// The cause of the exception that the last step has thrown.
    Cause,
    /// The state of an object and the objects that it reaches, as text: `List{header=Node{elem=0}}`.
    State {
        /// The object.
        of: VarId,
        /// The fields to include, private ones too: `elem`, or `Node.elem` if several classes have the name.
        fields: Vec<Box<str>>,
    },
    /// The calls that a stub has received, as a list of texts: `moved(5, 7)`.
    Calls {
        /// The stub.
        of: VarId,
        /// The methods whose calls count.
        methods: Vec<RecordedMethod>,
    },
    /// An object that a stub has been passed, or the end of a chain from there.
    Captured {
        /// The object.
        argument: CapturedArgument,
        /// The members of the chain.
        members: Vec<Member>,
    },
    /// A file in the test's folder.
    File {
        /// Its path relative to the folder, separated by `/`.
        path: Box<str>,
        /// The aspect of the file.
        aspect: FileAspect,
    },
}

impl Probe {
    /// Whether it counts calls of methods with results.
    pub fn counts_questions(&self) -> bool {
        matches!(self, Probe::Calls { methods, .. } if methods.iter().any(|it| !it.descriptor.ends_with(")V")))
    }

    /// Whether it is text that was written to `System.out`.
    pub fn is_printed(&self) -> bool {
        matches!(self, Probe::Printed | Probe::PrintedToKept)
    }
}

/// An object that a stub has been passed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapturedArgument {
    /// The stub.
    pub stub: VarId,
    /// The name of its method.
    pub method: Box<str>,
    /// The erased descriptor of its method.
    pub descriptor: Box<str>,
    /// The number of the call of this method, from 0.
    pub call: usize,
    /// The index of the parameter.
    pub parameter: usize,
}

/// A method of a stub that records its calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedMethod {
    /// Its name.
    pub name: Box<str>,
    /// Its erased descriptor.
    pub descriptor: Box<str>,
    /// The indices of the parameters whose values are part of the text.
    pub shown: Vec<usize>,
}

impl RecordedMethod {
    /// The text of a call with these values of the parameters that it shows.
    pub fn text(&self, values: &[String]) -> String {
        match values {
            [] => self.name.to_string(),
            some => format!("{}({})", self.name, some.join(", ")),
        }
    }
}

/// One link of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Member {
    /// The result of an observer.
    Method {
        /// The observer.
        method: MethodRef,
        /// Its arguments; usually none.
        arguments: Vec<Operand>,
    },
    /// The value of a field.
    Field(FieldRef),
}

impl Member {
    /// The observer, if it is one.
    pub fn method(&self) -> Option<&MethodRef> {
        match self {
            Member::Method { method, .. } => Some(method),
            Member::Field(_) => None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Member::Method { method, .. } => &method.name,
            Member::Field(field) => &field.name,
        }
    }
}

/// An aspect of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAspect {
    /// Whether the path exists, as a boolean.
    Exists,
    /// Whether it is a folder, as a boolean.
    IsFolder,
    /// The content decoded as UTF-8.
    Text,
    /// The content as an array of bytes.
    Bytes,
    /// The length as a `long`.
    Length,
}

/// What the probe must evaluate to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// It equals this literal, possibly `null`. Floats and doubles compare as in `Float.compare`: NaN equals
    /// NaN, and 0.0 differs from -0.0.
    Equals(Literal),
    /// It does not equal this literal.
    Differs(Literal),
    /// It equals one of these literals.
    OneOf(Vec<Literal>),
    /// It is not null; nothing else is known to be stable.
    NotNull,
    /// It does not equal another variable.
    DiffersFrom(VarId),
    /// It is the same object as another variable.
    Same(VarId),
    /// It equals a value that the test builds: by `equals`, arrays element by element.
    EqualsValue(ExpectedValue),
    /// It is an array with these elements (`assertArrayEquals`); the component type is primitive, String or a
    /// box.
    ArrayEquals(Vec<Literal>),
    /// Its run-time class is this one (internal name).
    InstanceOf(Box<str>),
    /// It is a `File`, `Path` or string that denotes this path in the test's folder.
    InFolder(Box<str>),
}

/// One assertion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assertion {
    /// The inspected value.
    pub probe: Probe,
    /// The expectation.
    pub expectation: Expectation,
}
