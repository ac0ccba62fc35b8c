//! Trees as they are written: nothing is looked up yet, and formulas, relations and integers are one kind of tree,
//! because only types tell them apart.

use crate::error::Span;

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As written; qualified names keep their separators.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// How many: of a field's values, of a signature's atoms, of a quantifier's witnesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mult {
    /// None.
    No,
    /// At most one; `sole` and `?` in TestEra's notation, `option` in declarations.
    Lone,
    /// Exactly one; `!`.
    One,
    /// At least one; `+`.
    Some,
    /// Any number.
    Set,
}

/// Quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `all`
    All,
    /// `some`, `no`, `lone` (`sole`), `one`
    Count(Mult),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `~e`
    Transpose,
    /// `^e`
    Closure,
    /// `*e`
    Reflexive,
    /// `#e`
    Cardinality,
    /// `!f`, `not f`
    Not,
    /// `some e` and the like, as a formula
    Test(Mult),
    /// ``e` ``: in the pre-state
    Before,
    /// `-i`
    Negate,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names are those of the notation.
pub enum Binary {
    Join,
    Union,
    Difference,
    Intersection,
    Override,
    /// `<:`
    Domain,
    /// `:>`
    Range,
    /// `->`, with the multiplicities written at its two sides
    Product(Option<Mult>, Option<Mult>),
    And,
    Or,
    Implies,
    Iff,
    In,
    NotIn,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Where.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name, `this`, `result`, `univ`, `iden`, `none`, `true`, `false`.
    Name(String),
    /// `@f`: the field itself, not that of `this`.
    Bare(String),
    /// A number.
    Number(i64),
    /// A string, for Java's.
    Text(String),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `c => a else b`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f[a, b]` and `f(a, b)`: a call or a join, as `f` is.
    Apply(Box<Expr>, Vec<Expr>),
    /// `all x: e | f` and the like
    Quantified(Quantifier, Vec<Decl>, Box<Expr>),
    /// `{ x: e | f }`
    Comprehension(Vec<Decl>, Box<Expr>),
    /// `sum x: e | i`
    Sum(Vec<Decl>, Box<Expr>),
    /// `let x = e | f`
    Let(Name, Box<Expr>, Box<Expr>),
    /// `{ f g h }`: a conjunction
    Block(Vec<Expr>),
}

/// A declaration `disj x, y: m e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decl {
    /// The names share nothing.
    pub disjoint: bool,
    /// The names share nothing, and together are all.
    pub partition: bool,
    /// What is declared.
    pub names: Vec<Name>,
    /// How many of `bound` each is; not said where it is the default.
    pub mult: Option<Mult>,
    /// What they are taken from.
    pub bound: Expr,
}

/// `sig A, B extends C { … } { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sig {
    /// Every atom is of an extension.
    pub is_abstract: bool,
    /// How many atoms: `one` is `static` in TestEra's notation.
    pub mult: Option<Mult>,
    /// With the others so marked it partitions its parent.
    pub part: bool,
    /// The names.
    pub names: Vec<Name>,
    /// `extends`: disjoint from the other extensions; otherwise `in`.
    pub disjoint: bool,
    /// The parents; more than one only after `in`.
    pub parents: Vec<Name>,
    /// The fields.
    pub fields: Vec<Decl>,
    /// What holds of every atom.
    pub facts: Option<Expr>,
}

/// `fun`, `pred`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// The type of `this`, if it has one.
    pub receiver: Option<Expr>,
    /// Its parameters.
    pub parameters: Vec<Decl>,
    /// What it returns, if it says so.
    pub returns: Option<(Option<Mult>, Expr)>,
    /// Its body.
    pub body: Expr,
    /// Declared by `pred`.
    pub is_predicate: bool,
    /// Declared by `let`: it means what its body means where it is used.
    pub is_shorthand: bool,
}

/// `run` and `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// `check` looks for what contradicts.
    pub check: bool,
    /// What is asked: a name or a formula.
    pub goal: Expr,
    /// Scopes.
    pub scope: Vec<ScopeItem>,
    /// Scope of signatures that are not listed.
    pub default: Option<i64>,
    /// The place.
    pub span: Span,
}

/// One entry of a scope: `exactly 3 Node`, `4..7 Node`, `0..2 int`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeItem {
    /// The signature.
    pub name: Name,
    /// The smallest number of atoms, or the smallest integer.
    pub least: i64,
    /// The largest.
    pub most: i64,
}

/// A paragraph of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paragraph {
    /// A signature.
    Sig(Sig),
    /// A fact.
    Fact(Option<Name>, Expr),
    /// An assertion.
    Assert(Option<Name>, Expr),
    /// A function or predicate.
    Function(Function),
    /// A command.
    Command(Command),
    /// `name { … }`: a part of the specification of a method.
    Section(Name, Expr),
    /// `open`: what is built in needs none; the name is kept for messages.
    Open(Name),
}

/// A specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Its name.
    pub name: Option<Name>,
    /// Its paragraphs, in order.
    pub paragraphs: Vec<Paragraph>,
}
