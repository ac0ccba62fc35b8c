//! Arrays of `struct iovec`, by which one call reads or writes several pieces of memory.

use super::Args;
use crate::exit::Step;
use crate::machine::Machine;
use crate::natives::jdk_internal_misc_unsafe;

/// The pieces that the second and third argument of a call denote: address and length of each.
pub(super) fn pieces(m: &Machine, args: &Args) -> Step<Vec<(u64, u64)>> {
    let (at, count) = (args.long(m, 1) as u64, args.int(m, 3).max(0) as u64);
    let words = jdk_internal_misc_unsafe::read_outside(m, at, count.saturating_mul(16))?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    Ok(words.chunks_exact(16).map(|pair| (word(&pair[..8]), word(&pair[8..]))).collect())
}
