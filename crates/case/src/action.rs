//! The steps of a case: what is invoked on what.

use crate::{JavaType, Literal};
use serde::{Deserialize, Serialize};

/// Index of a variable in [`Case::variables`](crate::Case::variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VarId(pub u32);

/// A method or constructor (name `<init>`) as a call site names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MethodRef {
    /// Internal name of the class through which it is called.
    pub class: Box<str>,
    /// Its name; `<init>` for a constructor.
    pub name: Box<str>,
    /// Its erased descriptor, such as `(I)V`.
    pub descriptor: Box<str>,
    /// Whether the last parameter is declared with `...`.
    pub varargs: bool,
    /// Internal names of the checked exceptions it declares.
    pub throws: Vec<Box<str>>,
    /// Names of the parameters where the class file has them, else empty.
    pub parameter_names: Vec<Box<str>>,
}

/// A field as an access names it.
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
    /// A value written in place.
    Literal(Literal),
    /// What an earlier step made.
    Var(VarId),
}

/// One invokable of the thesis's Table 4.2, with its operands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// `new C(args)`
    Construct {
        /// The constructor.
        constructor: MethodRef,
        /// For a constructor of an inner (non-static) class, `args[0]` is the enclosing instance.
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
    /// A lambda expression, or an object of an anonymous class, that stands in for an implementation of an
    /// interface
    Implement {
        /// Internal name of the interface.
        interface: Box<str>,
        /// Its abstract methods.
        methods: Vec<StubMethod>,
        /// Whether a lambda expression can be one: there is but one method, and it is not generic.
        is_functional: bool,
    },
    /// An object of a class that has no constructor to call: all its fields are zero
    Allocate {
        /// Internal name of the class.
        class: Box<str>,
    },
    /// The temporary folder of the test, as a `java.io.File`: empty when the test begins, and gone after it
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

/// A method of an object that stands in for an implementation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StubMethod {
    /// Its name.
    pub name: Box<str>,
    /// Its erased descriptor.
    pub descriptor: Box<str>,
    /// What it returns.
    pub result: StubResult,
}

/// What a method of a stub returns, at every call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StubResult {
    /// Nothing: it is `void`.
    Nothing,
    /// This.
    Value(Operand),
    /// Its parameter of this index.
    Parameter(usize),
}

/// One statement of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// The variable that takes the result, if anything later (a step or an assertion) reads it.
    pub result: Option<VarId>,
}
