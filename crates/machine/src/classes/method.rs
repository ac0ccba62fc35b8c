//! Loaded methods: what linking made of them, and what runs.
//!
//! The type of natives is a parameter, since they are functions of the machine, which this file does not know.

use crate::classes::{ClassId, Kind, MethodId, SignatureId};
use crate::code::Code;
use cupping_classfile::AccessFlags;
use std::rc::Rc;
use std::sync::Arc;

/// What runs when a method is invoked.
#[derive(Clone)]
pub enum MethodBody<N> {
    /// Bytecode of the class file, decoded on first use.
    Bytecode,
    /// Decoded code, also of methods that the machine made.
    Code(Rc<Code>),
    /// A native or intrinsic of ours.
    Native(N),
    /// A native method that the machine lacks.
    Missing,
    /// No body.
    Abstract,
}

/// A loaded method.
#[derive(Clone)]
pub struct Method<N> {
    /// Its id.
    pub id: MethodId,
    /// Declaring class.
    pub class: ClassId,
    /// Index in the class file's methods.
    pub index: usize,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// Name and descriptor, interned.
    pub signature: SignatureId,
    /// Access flags.
    pub access: AccessFlags,
    /// Kinds of the parameters, without the receiver.
    pub parameters: Box<[Kind]>,
    /// Slots of receiver and parameters.
    pub argument_slots: u16,
    /// Kind of the result.
    pub result: Kind,
    /// Index in the vtable, if it is dispatched.
    pub virtual_index: Option<u32>,
    /// What runs.
    pub body: MethodBody<N>,
    /// Whether its calls are reported to the observer (see [`crate::Observer`]).
    pub watched: bool,
    /// Which of its calls are reported, if it is watched.
    pub reports: CallReports,
}

/// Which calls of a watched method are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallReports {
    /// All.
    #[default]
    Each,
    /// Those that the observer asks for late in a run ([`crate::Machine::be_quiet_until`]).
    Sparing,
    /// None; they are only counted ([`crate::Machine::count_calls`]).
    Counted,
}

impl<N> Method<N> {
    /// Whether it has no receiver.
    pub fn is_static(&self) -> bool {
        self.access.is_static()
    }

    /// Whether it is private.
    pub fn is_private(&self) -> bool {
        self.access.is_private()
    }

    /// Whether it has no body.
    pub fn is_abstract(&self) -> bool {
        self.access.is_abstract()
    }

    /// Whether it is `synchronized`.
    pub fn is_synchronized(&self) -> bool {
        self.access.is_synchronized()
    }
}
