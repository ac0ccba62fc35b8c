//! What a specification says. Java in it is kept as the part of the text where it stands.

use crate::diagnostic::{Source, Span};

/// A file of TestJava.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The text.
    pub source: Source,
    /// The package whose classes need not be qualified.
    pub package: Option<String>,
    /// The imports, each with its `import` and its semicolon.
    pub imports: Vec<Span>,
    /// The tests.
    pub tests: Vec<Test>,
}

/// `test C { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The class it is about, as written.
    pub class: Span,
    /// Its testcases.
    pub testcases: Vec<Testcase>,
    /// The insides of `java { … }`: members that its conditions may use.
    pub members: Vec<Span>,
}

/// `testcase name { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Testcase {
    /// Its name.
    pub name: Span,
    /// The types it is said of: `forall T extends B in X, Y;`.
    pub types: Vec<Parameter>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A type of which a testcase says the same for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name that stands for it.
    pub name: Span,
    /// What all of them extend.
    pub bound: Option<Span>,
    /// The types; without any, all concrete subclasses of the bound on the class path that have a constructor without
    /// parameters.
    pub values: Vec<Span>,
}

/// A statement of a testcase.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a testcase has a few statements, most of them large")]
pub enum Statement {
    /// `requirement T x …;`
    Requirement(Requirement),
    /// `T x = e;`
    Local {
        /// The type.
        ty: Span,
        /// The name.
        name: Span,
        /// Its first value.
        value: Option<Span>,
    },
    /// Any other statement of Java.
    Java(Span),
    /// A triple.
    Triple(Triple),
}

/// A variable and what its values may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The whole.
    pub span: Span,
    /// Its type.
    pub ty: Span,
    /// Its name.
    pub name: Span,
    /// What holds of it; all of them.
    pub bounds: Vec<Bound>,
}

/// How two numbers compare.
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
    /// As Java writes it.
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

/// What holds of a required variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `= e`
    Equal(Span),
    /// `< e` and its like.
    Compare(Order, Span),
    /// `in a .. b`, both included.
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
    /// What holds before.
    pub pre: Condition,
    /// The call.
    pub call: Call,
    /// `throws E`: what it throws.
    pub throws: Option<Span>,
    /// What holds after.
    pub post: Option<Condition>,
}

/// A condition, and what in it is not Java.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its text, without the brackets around it.
    pub span: Span,
    /// `old(e)`: the whole, and `e`.
    pub old: Vec<(Span, Span)>,
    /// `modifies(e.f)`: the whole, and `e.f`.
    pub modifies: Vec<(Span, Span)>,
    /// Triples in it.
    pub nested: Vec<Triple>,
}

/// A call that a triple is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The whole.
    pub span: Span,
    /// What stands before the name: an object or a class.
    pub receiver: Option<Span>,
    /// The method, or the class of a constructor.
    pub name: Span,
    /// The arguments.
    pub arguments: Vec<Span>,
    /// Whether it is `new`.
    pub is_new: bool,
}
