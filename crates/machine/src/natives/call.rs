//! Arguments and outcomes of natives.

use crate::classes::MethodId;
use crate::state::Value;

/// The outcome of a native.
pub enum NativeOutcome {
    /// Its result; ignored for `void`.
    Value(Value),
    /// The running thread stops; when it goes on, the native has returned nothing.
    Block(crate::threads::StopReason),
    /// The call of a Java method with these arguments (receiver first); what that returns is the result.
    Call(MethodId, Vec<Value>),
    /// The call of a Java method with the very arguments of the native, receiver included.
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
