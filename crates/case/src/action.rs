//! The actions of a case: the invokables of the thesis (Table 4.2) with their operands.

use crate::{JavaType, Literal};
use serde::{Deserialize, Serialize};

/// Index of a variable in [`Case::variables`](crate::Case::variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VarId(pub u32);

/// A method or constructor (named `<init>`) as a call site names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MethodRef {
    /// Internal name of the class through which it is called.
    pub class: Box<str>,
    /// Its name; `<init>` for a constructor.
    pub name: Box<str>,
    /// Its erased descriptor, such as `(I)V`.
    pub descriptor: Box<str>,
    /// Whether the last parameter is variadic (`...`).
    pub varargs: bool,
    /// Internal names of the checked exceptions it declares.
    pub throws: Vec<Box<str>>,
    /// Parameter names from the class file, or empty.
    pub parameter_names: Vec<Box<str>>,
}

/// A field as an access instruction names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FieldRef {
    /// Internal name of the declaring class.
    pub class: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its type.
    pub ty: JavaType,
}

/// An argument, receiver or element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operand {
    /// A literal.
    Literal(Literal),
    /// The result of an earlier step.
    Var(VarId),
}

/// One invokable of the thesis's Table 4.2, with its operands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// `new C(args)`
    Construct {
        /// The constructor.
        constructor: MethodRef,
        /// The arguments. For an inner (non-static) class, `args[0]` is the enclosing instance.
        args: Vec<Operand>,
    },
    /// `receiver.m(args)`
    Invoke {
        /// The method.
        method: MethodRef,
        /// The object it is called on.
        receiver: Operand,
        /// Its arguments.
        args: Vec<Operand>,
    },
    /// `C.m(args)`
    InvokeStatic {
        /// The method.
        method: MethodRef,
        /// Its arguments.
        args: Vec<Operand>,
    },
    /// `new E[] {elements}`
    NewArray {
        /// The type of the elements.
        element: JavaType,
        /// The elements, in order.
        elements: Vec<Operand>,
    },
    /// A lambda expression or anonymous class that stubs an interface or abstract class
    Implement {
        /// Internal name of the interface or abstract class.
        interface: Box<str>,
        /// The constructor of the abstract class; `None` for an interface.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        constructor: Option<MethodRef>,
        /// The constructor's arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<Operand>,
        /// Its abstract methods.
        methods: Vec<StubMethod>,
        /// Whether a lambda expression suffices: there is a single abstract method, and it is not generic.
        is_functional: bool,
    },
    /// An object created without a constructor, with all fields zero
    Allocate {
        /// Internal name of the class.
        class: Box<str>,
    },
    /// The test's temporary folder as a `java.io.File`: empty before the test, deleted after it
    TestFolder,
    /// `receiver.f`, or `C.f` without a receiver
    GetField {
        /// The field.
        field: FieldRef,
        /// The object, or `None` for a static field.
        receiver: Option<Operand>,
    },
    /// `receiver.f = value`
    SetField {
        /// The field.
        field: FieldRef,
        /// The object, or `None` for a static field.
        receiver: Option<Operand>,
        /// The new value.
        value: Operand,
    },
    /// `receiver[index] = value`
    SetElement {
        /// The array.
        array: Operand,
        /// The index.
        index: i32,
        /// The new value.
        value: Operand,
    },
}

/// A method of a stub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StubMethod {
    /// Its name.
    pub name: Box<str>,
    /// Its erased descriptor.
    pub descriptor: Box<str>,
    /// Its result.
    pub result: StubResult,
}

/// The result of a stub's method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StubResult {
    /// None, or the default value of the type of the result.
    Nothing,
    /// This value, for every call.
    Value(Operand),
    /// These values, one for each call, and the last of them from then on.
    Sequence(Vec<Operand>),
    /// It throws this exception.
    Throws(Operand),
    /// What a method of one of its parameters returns, if anything.
    Calls {
        /// The index of the parameter.
        parameter: usize,
        /// The method of the parameter.
        method: MethodRef,
        /// What is passed to it.
        arguments: Vec<Operand>,
    },
    /// The parameter with this index.
    Parameter(usize),
}

impl StubResult {
    /// The values that it needs.
    pub fn values(&self) -> &[Operand] {
        match self {
            StubResult::Value(value) | StubResult::Throws(value) => std::slice::from_ref(value),
            StubResult::Sequence(values) | StubResult::Calls { arguments: values, .. } => values,
            StubResult::Nothing | StubResult::Parameter(_) => &[],
        }
    }
}

/// One statement of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// The variable that stores the result, if a later step or assertion reads it.
    pub result: Option<VarId>,
}
