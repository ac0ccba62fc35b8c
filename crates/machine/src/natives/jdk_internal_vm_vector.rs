//! `jdk.internal.vm.vector`: vectors are computed by the bytecode that is the fallback for processor
//! instructions.

use super::support::{ZERO, int, reference};
use super::{Args, Native, NativeOutcome, row};
use crate::classes::ClassKind;
use crate::exit::Step;
use crate::machine::Machine;

const SUPPORT: &str = "jdk/internal/vm/vector/VectorSupport";
/// Bytes of a vector of the preferred species, as on a processor with AVX2.
const VECTOR: u32 = 32;

pub(super) const NATIVES: &[Native] = &[
    row(SUPPORT, "registerNatives", "()I", ZERO),
    row(SUPPORT, "getMaxLaneCount", "(Ljava/lang/Class;)I", lanes),
    row(SUPPORT, "getCPUFeatures", "()Ljava/lang/String;", |m, _| reference(m.new_text("")?)),
];

/// The number of elements of a type in a vector; -1 for types other than numbers.
fn lanes(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = m.class_of_mirror(args.non_null(m, 0)?);
    let ClassKind::Primitive(_) = m.class(class).kind else { return int(-1) };
    int(match &*m.class(class).name {
        "byte" => VECTOR,
        "short" => VECTOR / 2,
        "int" | "float" => VECTOR / 4,
        "long" | "double" => VECTOR / 8,
        _ => return int(-1),
    } as i32)
}
