//! An abstract interpreter of bytecode over frames.
//!
//! An analysis says what it knows of a value and what instructions make of that: it implements [`Domain`].
//! Where operands come from and where results go is the same for all, and is read from the table of opcodes:
//! `step` executes one instruction on a [`Frame`], [`Fixpoint`] runs over a whole method until nothing
//! changes.
//!
//! ```text
//! iadd   pops b and a as its row says, asks Domain::arithmetic(Add, Int, a, b), pushes the answer
//! dup_x1 moves slots as its row says, asks nobody
//! ifeq   pops a, asks Domain::branch(Equal, a, None) which side is possible
//! ```
//!
//! Every method of [`Domain`] but one has an answer of its own, mostly [`Domain::unknown`]. A domain
//! overrides what it knows more about. Static analyses that follow several paths at once, call into other
//! methods, or keep facts beside the frame do that around `step`.

mod fixpoint;
mod frame;
mod step;

pub use fixpoint::{Fixpoint, join_frames};
pub use frame::{Frame, FrameMismatch};
pub use step::step;

use crate::class_file::ClassFile;
use crate::constant::Constant;
use crate::instructions::Instruction;
use crate::opcode::{Arithmetic, ArrayElement, Comparison, Invocation, Literal, StackType};

/// An instruction under interpretation.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The class file that its constants are in.
    pub class: &'a ClassFile,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its number in the method.
    pub index: usize,
}

impl<'a> Site<'a> {
    /// The constant that the instruction names.
    pub fn constant(&self) -> Option<Constant<'a>> {
        self.instruction.constant(self.class)
    }
}

/// The control flow after an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow<V> {
    /// All successors of the instruction; for most instructions, the next one.
    All,
    /// The next instruction only.
    Next,
    /// The instruction at this pc only.
    To(u32),
    /// Out of the method, with the result.
    Return(Option<V>),
    /// The handlers that catch this exception.
    Throw(V),
    /// Nowhere that is known: `ret`.
    Stop,
}

/// Facts about a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Either side is possible.
    Either,
    /// It is taken.
    Taken,
    /// It is not taken.
    Past,
}

impl From<bool> for Decision {
    fn from(taken: bool) -> Decision {
        if taken { Decision::Taken } else { Decision::Past }
    }
}

/// A field that an instruction accesses.
#[derive(Clone, Copy, Debug)]
pub struct FieldAccess<'c> {
    /// Internal name of the class that it is looked up in.
    pub class: &'c str,
    /// Its name.
    pub name: &'c str,
    /// Its descriptor.
    pub descriptor: &'c str,
}

/// A method that an instruction calls, or a call site that it links.
#[derive(Clone, Copy, Debug)]
pub struct CalledMethod<'c> {
    /// The kind of invocation.
    pub how: Invocation,
    /// Internal name of the class that it is looked up in; empty for a call site.
    pub class: &'c str,
    /// Its name.
    pub name: &'c str,
    /// Its descriptor.
    pub descriptor: &'c str,
}

/// The domain of an analysis: abstract values, and the transfer functions of instructions.
///
/// An error ends the path on which it occurs. Operands come in the order in which they were pushed.
#[allow(unused_variables)]
pub trait Domain {
    /// Facts about a value. A `long` or `double` is one value that takes two slots.
    type Value: Clone;
    /// Why an instruction cannot be interpreted.
    type Refusal: From<FrameMismatch>;

    /// A value of which only its type is known.
    fn unknown(&mut self, site: &Site<'_>, ty: StackType) -> Result<Self::Value, Self::Refusal>;

    /// `iconst_2`, `bipush`, `aconst_null`, and numbers that `ldc` loads.
    fn literal(&mut self, site: &Site<'_>, literal: Literal) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, literal.stack_type())
    }

    /// `ldc` of anything but a number.
    fn constant(
        &mut self,
        site: &Site<'_>,
        constant: &Constant<'_>,
        ty: StackType,
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, ty)
    }

    /// The value of a local variable, which is `None` if it is not set.
    fn load(
        &mut self,
        site: &Site<'_>,
        local: u16,
        value: Option<&Self::Value>,
    ) -> Result<Self::Value, Self::Refusal> {
        Ok(value.ok_or(FrameMismatch)?.clone())
    }

    /// The new content of a local variable; `None` if the domain does not track it.
    fn store(
        &mut self,
        site: &Site<'_>,
        local: u16,
        value: Self::Value,
    ) -> Result<Option<Self::Value>, Self::Refusal> {
        Ok(Some(value))
    }

    /// The content of a local variable after `iinc`; `None` as for [`Domain::store`].
    fn increment(
        &mut self,
        site: &Site<'_>,
        local: u16,
        value: Option<&Self::Value>,
        by: i32,
    ) -> Result<Option<Self::Value>, Self::Refusal> {
        self.unknown(site, StackType::Int).map(Some)
    }

    /// `iadd` to `lxor`. The distance of a shift is an int.
    fn arithmetic(
        &mut self,
        site: &Site<'_>,
        operator: Arithmetic,
        ty: StackType,
        operands: [Self::Value; 2],
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, ty)
    }

    /// `ineg` to `dneg`.
    fn negate(
        &mut self,
        site: &Site<'_>,
        ty: StackType,
        operand: Self::Value,
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, ty)
    }

    /// `i2l` to `d2f`.
    fn convert(
        &mut self,
        site: &Site<'_>,
        from: StackType,
        to: StackType,
        operand: Self::Value,
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, to)
    }

    /// `i2b`, `i2c`, `i2s`.
    fn narrow(
        &mut self,
        site: &Site<'_>,
        element: ArrayElement,
        operand: Self::Value,
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, StackType::Int)
    }

    /// `lcmp` to `dcmpg`; `nan` is the result if an operand is not a number.
    fn compare(
        &mut self,
        site: &Site<'_>,
        ty: StackType,
        nan: i8,
        operands: [Self::Value; 2],
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, StackType::Int)
    }

    /// `ifeq` to `if_acmpne`, `ifnull`, `ifnonnull`. Without a second operand the first is compared with 0 or `null`.
    fn branch(
        &mut self,
        site: &Site<'_>,
        comparison: Comparison,
        ty: StackType,
        first: Self::Value,
        second: Option<Self::Value>,
    ) -> Result<Decision, Self::Refusal> {
        Ok(Decision::Either)
    }

    /// The number by which a switch jumps, if it is known.
    fn switch(&mut self, site: &Site<'_>, value: Self::Value) -> Result<Option<i32>, Self::Refusal> {
        Ok(None)
    }

    /// An element of an array.
    fn array_load(
        &mut self,
        site: &Site<'_>,
        element: ArrayElement,
        array: Self::Value,
        index: Self::Value,
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, element.stack_type())
    }

    /// A store into an array.
    fn array_store(
        &mut self,
        site: &Site<'_>,
        element: ArrayElement,
        array: Self::Value,
        index: Self::Value,
        value: Self::Value,
    ) -> Result<(), Self::Refusal> {
        Ok(())
    }

    /// `arraylength`.
    fn array_length(&mut self, site: &Site<'_>, array: Self::Value) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, StackType::Int)
    }

    /// `getfield`, and `getstatic` without an object.
    fn get_field(
        &mut self,
        site: &Site<'_>,
        field: &FieldAccess<'_>,
        object: Option<Self::Value>,
    ) -> Result<Self::Value, Self::Refusal> {
        let ty = StackType::of_descriptor(field.descriptor).ok_or(FrameMismatch)?;
        self.unknown(site, ty)
    }

    /// `putfield`, and `putstatic` without an object.
    fn put_field(
        &mut self,
        site: &Site<'_>,
        field: &FieldAccess<'_>,
        object: Option<Self::Value>,
        value: Self::Value,
    ) -> Result<(), Self::Refusal> {
        Ok(())
    }

    /// A call; the receiver, if there is one, is the first operand. The operands are no longer in the frame, which
    /// is passed for domains that change its other contents. `result` is the type of the result.
    fn call(
        &mut self,
        site: &Site<'_>,
        frame: &mut Frame<Self::Value>,
        call: &CalledMethod<'_>,
        operands: Vec<Self::Value>,
        result: Option<StackType>,
    ) -> Result<Option<Self::Value>, Self::Refusal> {
        result.map(|ty| self.unknown(site, ty)).transpose()
    }

    /// `new` of the class of this internal name.
    fn new_object(&mut self, site: &Site<'_>, class: &str) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, StackType::Reference)
    }

    /// A new array of this class (`[I`), with the lengths of its outer dimensions.
    fn new_array(
        &mut self,
        site: &Site<'_>,
        class: &str,
        lengths: Vec<Self::Value>,
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, StackType::Reference)
    }

    /// `checkcast`: the reference stays what it is.
    fn check_cast(
        &mut self,
        site: &Site<'_>,
        class: &str,
        value: Self::Value,
    ) -> Result<Self::Value, Self::Refusal> {
        Ok(value)
    }

    /// `instanceof`.
    fn instance_of(
        &mut self,
        site: &Site<'_>,
        class: &str,
        value: Self::Value,
    ) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, StackType::Int)
    }

    /// `monitorenter` and `monitorexit`.
    fn monitor(&mut self, site: &Site<'_>, object: Self::Value) -> Result<(), Self::Refusal> {
        Ok(())
    }

    /// The exception that a handler finds on the stack; `site` is the handler's first instruction.
    fn caught(&mut self, site: &Site<'_>) -> Result<Self::Value, Self::Refusal> {
        self.unknown(site, StackType::Reference)
    }

    /// The value of a slot where two paths with different values meet; `None` is a slot without a value of its own.
    fn join(&mut self, known: Option<&Self::Value>, other: Option<&Self::Value>) -> Option<Self::Value> {
        None
    }
}
