//! Arguments and outcomes of natives.

use crate::classes::MethodId;
use crate::state::Value;

/// The outcome of a native.
pub enum NativeOutcome {
    /// Its result; ignored for `void`.
    Value(Value),
    /// The running thread stops; when it continues, the native has returned nothing.
    Block(crate::threads::StopReason),
    /// A call of a Java method with these arguments (receiver first), whose result becomes that of the native.
    Call(MethodId, Vec<Value>),
    /// A call of a Java method with the native's own arguments, including the receiver.
    Forward(MethodId),
}

/// Shorthand for natives without a result.
pub const VOID: NativeOutcome = NativeOutcome::Value(Value::concrete(0));

/// The arguments of a native, on the caller's operand stack.
pub struct Args {
    pub(crate) base: u32,
    pub(crate) symbolic: bool,
    /// The method invoked.
    pub method: MethodId,
}
