//! One way to provide a reference.

use super::files::{FileForm, FileKind};
use super::prepare::Preparation;
use crate::input::Input;
use crate::invokable::Invokable;
use crate::pool::Recipe;
use crate::stub::Stub;
use cupping_machine::ClassId;
use std::rc::Rc;

/// One way to provide a reference.
#[derive(Clone, Debug)]
pub enum Provision {
    /// An input.
    Input(Input),
    /// A static field.
    Constant(ClassId, usize),
    /// A constructor or factory, with the first provision of each argument.
    Make(Rc<Invokable>),
    /// A constructor or factory with these arguments.
    MakeOf(Rc<Invokable>, Vec<Provision>),
    /// An array of references with these elements.
    Elements(ClassId, Vec<Provision>),
    /// A stub of an interface, whose methods return these values.
    Stub(Rc<Stub>, Vec<Provision>),
    /// An object on which fields are set and methods are called before it is passed.
    Prepared(Box<Provision>, Vec<Preparation>),
    /// A path in the test's folder, with a file or folder at it.
    File(FileKind, FileForm),
    /// The object under test itself, if its type fits.
    Receiver,
    /// An object of the pool.
    Recipe(Rc<Recipe>),
    /// The last object or text of its type that the sequence has made, apart from the one under test.
    Known,
    /// A variable of the sequence.
    Var(crate::plan::Var),
    /// The value of a field of the object under test: declaring class and field index.
    Load(ClassId, usize),
}

impl Provision {
    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Provision::Input(Input::Null))
    }

    /// A first assignment of parameters with `null` for one of them each, where that is possible.
    pub(super) fn with_null(base: &[Provision], choices: &[Vec<Provision>]) -> Vec<Vec<Provision>> {
        let mut assignments = Vec::new();
        for (at, provisions) in choices.iter().enumerate() {
            if provisions.iter().skip(1).any(Provision::is_null) {
                let mut assignment = base.to_vec();
                assignment[at] = Provision::Input(Input::Null);
                assignments.push(assignment);
            }
        }
        assignments
    }

    /// Visits the interfaces of the stubs of which it consists.
    pub(super) fn visit_stubs(&self, visit: &mut dyn FnMut(ClassId)) {
        match self {
            Provision::Stub(stub, answers) => {
                visit(stub.interface);
                answers.iter().for_each(|it| it.visit_stubs(visit));
            }
            Provision::MakeOf(_, parts) | Provision::Elements(_, parts) => {
                parts.iter().for_each(|it| it.visit_stubs(visit));
            }
            Provision::Prepared(of, _) => of.visit_stubs(visit),
            _ => {}
        }
    }

    /// The result of a call on an object.
    pub(crate) fn call(invokable: &Rc<Invokable>, receiver: Provision, arguments: &[Provision]) -> Provision {
        let parts = std::iter::once(receiver).chain(arguments.iter().cloned()).collect();
        Provision::MakeOf(invokable.clone(), parts)
    }

    /// Whether it contains symbolic values.
    pub fn is_symbolic(&self) -> bool {
        match self {
            Provision::Input(input) => {
                !matches!(input, Input::Null | Input::Text(_) | Input::ClassLiteral(_))
            }
            Provision::Make(maker) => !maker.parameters.is_empty(),
            Provision::Prepared(..) => true,
            Provision::File(kind, _) => matches!(kind, FileKind::Content(1..) | FileKind::Folder),
            Provision::Elements(_, provisions)
            | Provision::Stub(_, provisions)
            | Provision::MakeOf(_, provisions) => provisions.iter().any(Provision::is_symbolic),
            Provision::Constant(..)
            | Provision::Receiver
            | Provision::Recipe(_)
            | Provision::Known
            | Provision::Var(_)
            | Provision::Load(..) => false,
        }
    }

    /// Whether both are the same choice, or copies of it. Preparations of one object are told apart by their number.
    pub(crate) fn is_same(&self, other: &Provision) -> bool {
        use Provision::*;
        let all = |some: &[Provision], others: &[Provision]| {
            some.len() == others.len() && some.iter().zip(others).all(|(one, other)| one.is_same(other))
        };
        match (self, other) {
            (Input(one), Input(other)) => one == other,
            (Make(one), Make(other)) => Rc::ptr_eq(one, other),
            (MakeOf(one, some), MakeOf(other, others)) => Rc::ptr_eq(one, other) && all(some, others),
            (Stub(one, some), Stub(other, others)) => Rc::ptr_eq(one, other) && all(some, others),
            (Elements(one, some), Elements(other, others)) => one == other && all(some, others),
            (Prepared(one, some), Prepared(other, others)) => {
                one.is_same(other) && some.len() == others.len()
            }
            (Recipe(one), Recipe(other)) => Rc::ptr_eq(one, other),
            (Constant(class, field), Constant(other, at)) | (Load(class, field), Load(other, at)) => {
                (class, field) == (other, at)
            }
            (File(kind, form), File(other, of)) => (kind, form) == (other, of),
            (Var(one), Var(other)) => one == other,
            (Receiver, Receiver) | (Known, Known) => true,
            _ => false,
        }
    }

    /// Whether it makes invocations, whose paths then belong to the sequence.
    pub fn invokes(&self) -> bool {
        match self {
            Provision::Make(_)
            | Provision::MakeOf(..)
            | Provision::Prepared(..)
            | Provision::Recipe(_)
            | Provision::File(..) => true,
            Provision::Elements(_, parts) | Provision::Stub(_, parts) => parts.iter().any(Provision::invokes),
            Provision::Input(_)
            | Provision::Constant(..)
            | Provision::Receiver
            | Provision::Known
            | Provision::Var(_)
            | Provision::Load(..) => false,
        }
    }
}
