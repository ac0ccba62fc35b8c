//! Support for combinators: their arguments, and code that many of them emit.

use crate::classes::Kind;
use crate::dynamic::assemble::Assembler;
use crate::dynamic::signature::Signature;
use crate::dynamic::{handle, lookup_object};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, NativeOutcome};
use crate::state::Value;
use std::sync::Arc;

/// The class of the combinators.
pub(super) const CLASS: &str = "java/lang/invoke/MethodHandles";

pub(in crate::dynamic) fn given(handle: Addr) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::reference(handle)))
}

pub(in crate::dynamic) fn bad_argument(message: impl Into<String>) -> Trap {
    Trap::Raise("java/lang/IllegalArgumentException", Some(message.into()))
}

/// The handle at a slot, and its type.
pub(in crate::dynamic) fn handle_at(m: &mut Machine, args: &Args, slot: u32) -> Step<(Addr, Signature)> {
    let handle = args.non_null(m, slot)?;
    Ok((handle, handle::type_of_handle(m, handle)?))
}

/// The elements of a reference array at a slot.
pub(in crate::dynamic) fn elements(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<Addr>> {
    let array = args.non_null(m, slot)?;
    Ok((0..m.array_length(array)).map(|index| m.element_ref(array, index)).collect())
}

/// The descriptor of the class at a slot.
pub(in crate::dynamic) fn descriptor_at(m: &mut Machine, args: &Args, slot: u32) -> Step<Arc<str>> {
    let class = lookup_object::class_argument(m, args, slot)?;
    Ok(m.descriptor_of(class).into())
}

/// The position at a slot, if it is one among `count` parameters.
pub(in crate::dynamic) fn position(m: &Machine, args: &Args, slot: u32, count: usize) -> Step<usize> {
    let at = args.int(m, slot);
    usize::try_from(at)
        .ok()
        .filter(|at| *at <= count)
        .ok_or_else(|| bad_argument(format!("bad argument position {at}")))
}

/// Emits a push of the handle in a field.
pub(in crate::dynamic) fn push_field(code: &mut Assembler, field: u16) {
    code.this();
    code.get_field(field, Kind::Reference);
}

pub(in crate::dynamic) fn push_parameters(code: &mut Assembler, range: std::ops::Range<usize>) {
    range.for_each(|index| code.parameter(index + 1));
}
