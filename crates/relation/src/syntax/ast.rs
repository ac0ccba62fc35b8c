//! Syntax trees before name resolution. Formulas, relations and integers are one kind of tree, because only
//! types distinguish them.

use crate::error::Span;

/// A name with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text; qualified names keep their separators.
    pub text: String,
    /// The position.
    pub span: Span,
}

/// A multiplicity: of a field, a signature, or a quantifier.
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
#[allow(missing_docs)] // The variants follow the notation's names.
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
    /// `->`, with the multiplicities on its two sides
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
    /// Its kind.
    pub kind: ExprKind,
    /// Its position.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A name, `this`, `result`, `univ`, `iden`, `none`, `true`, `false`.
    Name(String),
    /// `@f`: the field itself, not that of `this`.
    Bare(String),
    /// A number.
    Number(i64),
    /// A Java string.
    Text(String),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `c => a else b`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f[a, b]` and `f(a, b)`: a call or a join, depending on `f`.
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

impl Expr {
    /// Visits the expression and all its parts, from the outside.
    pub fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        let of_declarations = |decls: &'a [Decl], visit: &mut _| {
            decls.iter().for_each(|it| it.bound.each(visit));
        };
        match &self.kind {
            ExprKind::Name(_) | ExprKind::Bare(_) | ExprKind::Number(_) | ExprKind::Text(_) => {}
            ExprKind::Unary(_, operand) => operand.each(visit),
            ExprKind::Binary(_, left, right) | ExprKind::Let(_, left, right) => {
                left.each(visit);
                right.each(visit);
            }
            ExprKind::If(condition, then, other) => {
                condition.each(visit);
                then.each(visit);
                other.each(visit);
            }
            ExprKind::Apply(callee, arguments) => {
                callee.each(visit);
                arguments.iter().for_each(|it| it.each(visit));
            }
            ExprKind::Quantified(_, decls, body)
            | ExprKind::Comprehension(decls, body)
            | ExprKind::Sum(decls, body) => {
                of_declarations(decls, visit);
                body.each(visit);
            }
            ExprKind::Block(parts) => parts.iter().for_each(|it| it.each(visit)),
        }
    }
}

impl Expr {
    /// The expression with each part replaced, from the inside.
    #[must_use]
    pub fn map(self, change: &mut impl FnMut(Expr) -> Expr) -> Expr {
        fn all(them: Vec<Expr>, change: &mut impl FnMut(Expr) -> Expr) -> Vec<Expr> {
            them.into_iter().map(|it| it.map(change)).collect()
        }
        fn bounds(decls: Vec<Decl>, change: &mut impl FnMut(Expr) -> Expr) -> Vec<Decl> {
            decls.into_iter().map(|it| Decl { bound: it.bound.map(change), ..it }).collect()
        }
        let kind = match self.kind {
            ExprKind::Unary(operator, operand) => ExprKind::Unary(operator, Box::new(operand.map(change))),
            ExprKind::Binary(operator, left, right) => {
                ExprKind::Binary(operator, Box::new(left.map(change)), Box::new(right.map(change)))
            }
            ExprKind::Let(name, value, body) => {
                ExprKind::Let(name, Box::new(value.map(change)), Box::new(body.map(change)))
            }
            ExprKind::If(condition, then, other) => ExprKind::If(
                Box::new(condition.map(change)),
                Box::new(then.map(change)),
                Box::new(other.map(change)),
            ),
            ExprKind::Apply(callee, arguments) => {
                ExprKind::Apply(Box::new(callee.map(change)), all(arguments, change))
            }
            ExprKind::Quantified(quantifier, decls, body) => {
                ExprKind::Quantified(quantifier, bounds(decls, change), Box::new(body.map(change)))
            }
            ExprKind::Comprehension(decls, body) => {
                ExprKind::Comprehension(bounds(decls, change), Box::new(body.map(change)))
            }
            ExprKind::Sum(decls, body) => ExprKind::Sum(bounds(decls, change), Box::new(body.map(change))),
            ExprKind::Block(parts) => ExprKind::Block(all(parts, change)),
            leaf => leaf,
        };
        change(Expr { kind, span: self.span })
    }
}

/// A declaration `disj x, y: m e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decl {
    /// Whether the names are disjoint.
    pub disjoint: bool,
    /// Whether the names are disjoint and together cover the bound.
    pub partition: bool,
    /// The declared names.
    pub names: Vec<Name>,
    /// The multiplicity of each name; `None` for the default.
    pub mult: Option<Mult>,
    /// The set that they are taken from.
    pub bound: Expr,
}

/// `sig A, B extends C { … } { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sig {
    /// Whether every atom belongs to an extension.
    pub is_abstract: bool,
    /// The multiplicity; `one` is `static` in TestEra's notation.
    pub mult: Option<Mult>,
    /// Whether it belongs to a partition of its parent.
    pub part: bool,
    /// The names.
    pub names: Vec<Name>,
    /// `extends`, which makes it disjoint from the other extensions; otherwise `in`.
    pub disjoint: bool,
    /// The parents; several only after `in`.
    pub parents: Vec<Name>,
    /// The fields.
    pub fields: Vec<Decl>,
    /// The facts about each atom.
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
    /// The return type, if declared.
    pub returns: Option<(Option<Mult>, Expr)>,
    /// Its body.
    pub body: Expr,
    /// Whether it is declared by `pred`.
    pub is_predicate: bool,
    /// Whether it is declared by `let`, so that its body is resolved at each use.
    pub is_shorthand: bool,
}

/// `run` and `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Whether it is a `check`, which searches for a counterexample.
    pub check: bool,
    /// The goal: a name or a formula.
    pub goal: Expr,
    /// The scope.
    pub scope: Vec<ScopeItem>,
    /// The scope of signatures that are not listed.
    pub default: Option<i64>,
    /// The position.
    pub span: Span,
}

/// One entry of a scope: `exactly 3 Node`, `4..7 Node`, `0..2 int`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeItem {
    /// The signature.
    pub name: Name,
    /// The minimum number of atoms, or the least integer.
    pub least: i64,
    /// The maximum.
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
    /// `name { … }`: a section of a method's specification.
    Section(Name, Expr),
    /// `open`: ignored, since the libraries are built in; the name serves for messages.
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
