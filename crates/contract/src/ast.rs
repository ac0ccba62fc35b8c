//! The syntax tree of a specification. Java code in it is kept as a span of the text.

use crate::diagnostic::{Span, SpecificationSource};

/// A TestJava file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The text.
    pub source: SpecificationSource,
    /// The package whose classes need no qualification.
    pub package: Option<String>,
    /// The imports, each including `import` and the semicolon.
    pub imports: Vec<Span>,
    /// The tests.
    pub tests: Vec<TestDeclaration>,
}

/// `test C { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestDeclaration {
    /// The class under test, as written.
    pub class: Span,
    /// Its testcases.
    pub testcases: Vec<Testcase>,
    /// The contents of `java { … }`: members that conditions may use.
    pub members: Vec<Span>,
}

/// `testcase name { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Testcase {
    /// Its name.
    pub name: Span,
    /// Whether its triples hold of every call for which their preconditions hold: `testcase name always { … }`.
    pub is_always: bool,
    /// Whether they say nothing about calls that throw: `testcase name always returning { … }`.
    pub is_returning: bool,
    /// The type parameters: `forall T extends B in X, Y;`.
    pub types: Vec<Parameter>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// A type parameter of a testcase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Span,
    /// Its bound.
    pub bound: Option<Span>,
    /// The types; if empty, all concrete subclasses of the bound on the class path that have a default
    /// constructor.
    pub values: Vec<Span>,
}

/// A statement of a testcase.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a testcase has few statements, most of them large")]
pub enum Statement {
    /// `requirement T x …;`
    Requirement(Requirement),
    /// `T x = e;`
    Local {
        /// The type.
        ty: Span,
        /// The name.
        name: Span,
        /// The initial value.
        value: Option<Span>,
    },
    /// Any other statement of Java.
    Java(Span),
    /// A triple.
    Triple(Triple),
}

/// A variable with restrictions on its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The whole.
    pub span: Span,
    /// Its type.
    pub ty: Span,
    /// Its name.
    pub name: Span,
    /// The restrictions; all of them must hold.
    pub bounds: Vec<Bound>,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `!=`
    Not,
}

impl Order {
    /// The operator in Java.
    pub fn sign(self) -> &'static str {
        match self {
            Order::Less => "<",
            Order::AtMost => "<=",
            Order::Greater => ">",
            Order::AtLeast => ">=",
            Order::Not => "!=",
        }
    }
}

/// A restriction on a required variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `= e`
    Equal(Span),
    /// `< e` and the like.
    Compare(Order, Span),
    /// `in a .. b`, inclusive.
    Range(Span, Span),
    /// `in { a, b }`
    OneOf(Vec<Span>),
    /// `where (e)`
    Where(Span),
}

/// `(pre) requiredBy call ensure (post)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triple {
    /// The whole.
    pub span: Span,
    /// The precondition.
    pub pre: Condition,
    /// The call.
    pub call: TripleCall,
    /// `throws E`: the expected exception.
    pub throws: Option<Span>,
    /// The postcondition.
    pub post: Option<Condition>,
}

/// A condition with the parts that are not Java.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its text without the parentheses around it.
    pub span: Span,
    /// `old(e)`: the span of the whole, and of `e`.
    pub old: Vec<(Span, Span)>,
    /// `modifies(e.f)`: the span of the whole, and of `e.f`.
    pub modifies: Vec<(Span, Span)>,
    /// Nested triples.
    pub nested: Vec<Triple>,
}

/// The call of a triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripleCall {
    /// The whole.
    pub span: Span,
    /// The part before the name: an object or a class.
    pub receiver: Option<Span>,
    /// The method, or the class of a constructor.
    pub name: Span,
    /// The arguments.
    pub arguments: Vec<Span>,
    /// Whether it is `new`.
    pub is_new: bool,
}
