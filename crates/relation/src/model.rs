//! Signatures, fields and facts, from a specification or from class files.

use crate::error::{Error, Result, Span};
use crate::logic::{FieldId, Formula, LogicNodeFactory, SigId};
use crate::syntax::ast::{Command, Expr, Function, Mult};
use crate::types::Type;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A signature: a set of atoms.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// The supersignature; none for a top-level signature.
    pub parent: Option<SigId>,
    /// Whether it is disjoint from the other extensions of its parent.
    pub disjoint: bool,
    /// Whether every atom belongs to an extension.
    pub is_abstract: bool,
    /// The multiplicity in the declaration, if any.
    pub mult: Option<Mult>,
    /// Position of the declaration.
    pub span: Span,
}

/// A field: a relation whose first column is its owner.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its owner.
    pub owner: SigId,
    /// Its type, including the owner's column.
    pub columns: Type,
    /// For a binary field: at most one value (`Lone`) or exactly one (`One`) per atom.
    pub function: Option<Mult>,
}

/// A formula that every instance satisfies.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) formula: Formula,
}

/// Signatures, fields, facts, functions and commands.
#[derive(Debug, Default)]
pub struct Model {
    pub(crate) sigs: Vec<Signature>,
    pub(crate) fields: Vec<Field>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) functions: BTreeMap<String, Vec<Function>>,
    pub(crate) assertions: BTreeMap<String, Expr>,
    pub(crate) commands: Vec<Command>,
    pub(crate) sections: Vec<(String, Expr)>,
    pub(crate) nodes: LogicNodeFactory,
    pub(crate) warnings: RefCell<BTreeMap<Span, Error>>,
}

impl Model {
    /// The integers.
    pub const INT: SigId = SigId(0);
    /// `true` and `false`.
    pub const BOOL: SigId = SigId(1);
    /// Strings.
    pub const TEXT: SigId = SigId(2);

    /// A model with only integers and booleans.
    pub fn new() -> Model {
        let mut model = Model::default();
        for name in ["Int", "Bool", "String"] {
            model.sigs.push(Signature {
                name: name.to_owned(),
                parent: None,
                disjoint: true,
                is_abstract: false,
                mult: None,
                span: Span::default(),
            });
        }
        model
    }

    /// Declares a signature.
    pub fn add_signature(&mut self, signature: Signature) -> Result<SigId> {
        if self.find_signature(&signature.name).is_some() {
            return Err(Error::new(
                signature.span,
                format!("there already is a signature {}", signature.name),
            ));
        }
        self.sigs.push(signature);
        Ok(SigId(self.sigs.len() as u32 - 1))
    }

    /// Declares a binary field whose values are atoms of `values`: exactly one or at most one per atom.
    pub fn add_field(&mut self, owner: SigId, name: &str, values: &[SigId], mult: Mult) -> FieldId {
        let columns = Type { arity: 2, products: values.iter().map(|it| vec![owner, *it]).collect() };
        let function = matches!(mult, Mult::One | Mult::Lone).then_some(mult);
        let id = FieldId(self.fields.len() as u32);
        self.fields.push(Field { name: name.to_owned(), owner, columns, function });
        self.declare_function(id, mult);
        id
    }

    /// Declares a field with several columns after its owner's, each with atoms of one of these signatures,
    /// without a multiplicity.
    pub fn add_relation(&mut self, owner: SigId, name: &str, columns: &[Vec<SigId>]) -> FieldId {
        let columns = columns.iter().fold(Type::of(owner), |all, sigs| {
            all.product(&Type { arity: 1, products: sigs.iter().map(|it| vec![*it]).collect() })
        });
        self.fields.push(Field { name: name.to_owned(), owner, columns, function: None });
        FieldId(self.fields.len() as u32 - 1)
    }

    /// The signature with this name. Built-in signatures also answer to the names of TestEra and Java.
    pub fn find_signature(&self, name: &str) -> Option<SigId> {
        let name = match name {
            "Integer" | "int" | "Int" | "long" | "short" | "byte" | "char" => "Int",
            "Boolean" | "boolean" | "Bool" => "Bool",
            other => other,
        };
        self.sigs.iter().position(|it| it.name == name).map(|at| SigId(at as u32))
    }

    /// A signature.
    pub fn signature(&self, id: SigId) -> &Signature {
        &self.sigs[id.0 as usize]
    }

    /// All signatures.
    pub fn signatures(&self) -> impl Iterator<Item = (SigId, &Signature)> {
        self.sigs.iter().enumerate().map(|(at, it)| (SigId(at as u32), it))
    }

    /// A field.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.0 as usize]
    }

    /// All fields.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.fields.iter().enumerate().map(|(at, it)| (FieldId(at as u32), it))
    }

    /// The commands of the specification.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Suspicious formulas found so far, by position.
    pub fn warnings(&self) -> Vec<Error> {
        self.warnings.borrow().values().cloned().collect()
    }

    /// The sections with this name, such as `pre { … }`.
    pub fn sections(&self, name: &str) -> impl Iterator<Item = &Expr> {
        self.sections.iter().filter(move |(it, _)| it == name).map(|(_, body)| body)
    }

    /// The top-level signature above `sig`.
    pub fn root(&self, mut sig: SigId) -> SigId {
        while let Some(parent) = self.signature(sig).parent {
            sig = parent;
        }
        sig
    }

    /// Whether `sig` is `ancestor` or a descendant of it.
    pub fn is_within(&self, sig: SigId, ancestor: SigId) -> bool {
        let mut at = Some(sig);
        while let Some(it) = at {
            if it == ancestor {
                return true;
            }
            at = self.signature(it).parent;
        }
        false
    }

    /// The intersection of two signatures: one of them, or nothing. For overlapping subsets, which share an
    /// unknown set of atoms, the first stands for both.
    pub(crate) fn common(&self, a: SigId, b: SigId) -> Option<SigId> {
        if self.is_within(a, b) {
            return Some(a);
        }
        if self.is_within(b, a) {
            return Some(b);
        }
        let overlap = |it: SigId| {
            let mut at = Some(it);
            std::iter::from_fn(move || {
                let now = at?;
                at = self.signature(now).parent;
                Some(now)
            })
            .any(|it| !self.signature(it).disjoint)
        };
        (self.root(a) == self.root(b) && (overlap(a) || overlap(b))).then_some(a)
    }
}
