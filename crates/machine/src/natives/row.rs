//! Rows of the table, by how a native takes symbolic arguments and whether it replaces bytecode.

use super::table::NativeRow;
use crate::code::Op;
use crate::machine::{NativeCode, NativeFn};

/// A row of the machine's table.
pub type Native = NativeRow<NativeFn>;

/// A row for a native that never sees shadows.
pub(crate) const fn row(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    run: NativeCode,
) -> Native {
    Native {
        class,
        name,
        descriptor,
        native: NativeFn { run, symbolic: false, inlined: None, quick: false },
        replaces: true,
    }
}

/// A row for a native that deals with shadows.
pub(crate) const fn symbolic(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    run: NativeCode,
) -> Native {
    Native {
        class,
        name,
        descriptor,
        native: NativeFn { run, symbolic: true, inlined: None, quick: false },
        replaces: true,
    }
}

/// A row for a native that also has an operation in the instruction loop.
pub(crate) const fn inlined(row: Native, op: Op) -> Native {
    let native = NativeFn { inlined: Some(op), ..row.native };
    Native { native, ..row }
}

/// A row for a method that is native only in some JDKs: bytecode, where it exists, runs as it is.
pub(crate) const fn fallback(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    run: NativeCode,
) -> Native {
    Native {
        class,
        name,
        descriptor,
        native: NativeFn { run, symbolic: false, inlined: None, quick: false },
        replaces: false,
    }
}

/// A row for a native that compiled code calls without a frame.
pub(crate) const fn quick(row: Native) -> Native {
    let native = NativeFn { quick: true, ..row.native };
    Native { native, ..row }
}

/// The same for several.
pub(crate) const fn all_quick<const N: usize>(mut rows: [Native; N]) -> [Native; N] {
    let mut at = 0;
    while at < N {
        rows[at] = quick(rows[at]);
        at += 1;
    }
    rows
}
