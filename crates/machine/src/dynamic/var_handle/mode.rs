//! Access modes of variable handles.

use crate::code::Op;

/// The operation of an access mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Get,
    Set,
    CompareAndSet,
    CompareAndExchange,
    GetAndSet,
    GetAndAdd,
    GetAndBitwise(Op, Op),
}

/// Whether this is the name of an access mode.
pub(crate) fn is_mode(name: &str) -> bool {
    mode(name).is_some()
}

/// The mode of this name.
pub(super) fn mode(name: &str) -> Option<Mode> {
    let name = name.strip_suffix("Acquire").or_else(|| name.strip_suffix("Release")).unwrap_or(name);
    Some(match name {
        "get" | "getVolatile" | "getOpaque" => Mode::Get,
        "set" | "setVolatile" | "setOpaque" => Mode::Set,
        "compareAndSet" | "weakCompareAndSet" | "weakCompareAndSetPlain" => Mode::CompareAndSet,
        "compareAndExchange" => Mode::CompareAndExchange,
        "getAndSet" => Mode::GetAndSet,
        "getAndAdd" => Mode::GetAndAdd,
        "getAndBitwiseOr" => Mode::GetAndBitwise(Op::IOr, Op::LOr),
        "getAndBitwiseAnd" => Mode::GetAndBitwise(Op::IAnd, Op::LAnd),
        "getAndBitwiseXor" => Mode::GetAndBitwise(Op::IXor, Op::LXor),
        _ => return None,
    })
}

impl Mode {
    /// Number of values that the mode takes besides the coordinates.
    pub(super) fn values(self) -> usize {
        match self {
            Mode::Get => 0,
            Mode::CompareAndSet | Mode::CompareAndExchange => 2,
            _ => 1,
        }
    }
}
