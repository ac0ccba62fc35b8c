//! `java.util.zip`: checksums.

use super::support::int;
use super::{Args, Native, NativeOutcome, row, symbolic};
use crate::classes::Kind;
use crate::exit::{Step, Trap};
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::natives::{bytes, unsafe_memory};
use crate::state::Value;
use crate::world::Bytes;
use cupping_term::{Sort, TermId};

const CRC: &str = "java/util/zip/CRC32";
const ADLER: &str = "java/util/zip/Adler32";

pub(super) const NATIVES: &[Native] = &[
    symbolic(CRC, "update", "(II)I", |m, a| {
        let byte = a.value(m, 1);
        let shadow = m.narrowed_shadow(byte, Kind::Byte);
        let shadows = if shadow == 0 { Vec::new() } else { vec![(0, shadow)] };
        update_crc(m, a.value(m, 0), &Bytes { plain: vec![byte.bits as u8], shadows })
    }),
    symbolic(CRC, "updateBytes0", "(I[BII)I", |m, a| {
        fix_range(m, a, 2)?;
        let (at, length) = part_of_array(m, a)?;
        let bytes = bytes_for_crc(m, a.value(m, 0), at, length)?;
        update_crc(m, a.value(m, 0), &bytes)
    }),
    symbolic(CRC, "updateByteBuffer0", "(IJII)I", |m, a| {
        fix_range(m, a, 3)?;
        let (at, length) = part_outside(m, a)?;
        let bytes = bytes_for_crc(m, a.value(m, 0), at, length)?;
        update_crc(m, a.value(m, 0), &bytes)
    }),
    row(ADLER, "update", "(II)I", |m, a| {
        let (adler, byte) = (a.int(m, 0) as u32, a.int(m, 1) as u8);
        int(adler32(adler, &[byte]) as i32)
    }),
    row(ADLER, "updateBytes", "(I[BII)I", |m, a| {
        let (at, length) = part_of_array(m, a)?;
        update_adler(m, a, at, length)
    }),
    row(ADLER, "updateByteBuffer", "(IJII)I", |m, a| {
        let (at, length) = part_outside(m, a)?;
        update_adler(m, a, at, length)
    }),
];

/// Limit on the bytes with terms in one checksum term; beyond it, all are fixed.
const MOST_SYMBOLIC: usize = 256;
/// The polynomial of CRC-32, its bits in reverse.
const POLYNOMIAL: u32 = 0xEDB8_8320;

/// Fixes the two ints from this slot on, which locate the bytes.
fn fix_range(m: &mut Machine, args: &Args, slot: u32) -> Step<()> {
    for slot in [slot, slot + 1] {
        let value = args.value(m, slot);
        m.concretize(value, Kind::Int)?;
    }
    Ok(())
}

/// The bytes of an array (argument 1) that the next two arguments denote: address and number.
fn part_of_array(m: &Machine, args: &Args) -> Step<(u64, u64)> {
    let (array, offset, length) = (args.non_null(m, 1)?, args.int(m, 2), args.int(m, 3));
    let end = i64::from(offset.max(0)) + i64::from(length.max(0));
    if end > i64::from(m.array_length(array)) {
        return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None));
    }
    Ok((element_byte(array, offset.max(0) as u32, 1), length.max(0) as u64))
}

/// As [`part_of_array`], outside the heap: an address, an offset and a length.
fn part_outside(m: &Machine, args: &Args) -> Step<(u64, u64)> {
    let (address, offset, length) = (args.long(m, 1) as u64, args.int(m, 3), args.int(m, 4));
    let (at, length) = (address.wrapping_add(offset as i64 as u64), length.max(0) as u64);
    unsafe_memory::check_outside(m, at, length)?;
    Ok((at, length))
}

fn update_adler(m: &mut Machine, args: &Args, at: u64, length: u64) -> Step<NativeOutcome> {
    bytes::fix_bytes(m, at, length)?;
    let bytes = bytes::bytes_at(m, at, length);
    int(adler32(args.int(m, 0) as u32, &bytes.plain) as i32)
}

/// The bytes of a range; they are fixed if a term over all of them would be too large.
fn bytes_for_crc(m: &mut Machine, crc: Value, at: u64, length: u64) -> Step<Bytes> {
    let bytes = bytes::bytes_at(m, at, length);
    if bytes.plain.len() <= MOST_SYMBOLIC || bytes.shadows.is_empty() && crc.shadow == 0 {
        return Ok(bytes);
    }
    m.concretize(crc, Kind::Int)?;
    bytes::fix_bytes(m, at, length)?;
    Ok(bytes.plain.into())
}

/// The checksum after more bytes. It is linear over single bits, so its term is a sum without carry.
fn update_crc(m: &mut Machine, crc: Value, bytes: &Bytes) -> Step<NativeOutcome> {
    let result = crc32(crc.bits as u32, &bytes.plain);
    // The current sum of longer inputs has been concretized.
    if crc.shadow == 0 && bytes.shadows.is_empty() || bytes.plain.len() > MOST_SYMBOLIC {
        return int(result as i32);
    }
    let ones = m.terms.int(-1);
    let before = m.term(crc, Sort::Bv32);
    let mut sum = m.terms.xor(before, ones);
    let mut shadows = bytes.shadows.iter().peekable();
    for (at, byte) in bytes.plain.iter().enumerate() {
        let shadow = shadows.next_if(|(place, _)| *place == at).map_or(0, |(_, shadow)| *shadow);
        let byte = m.term(Value { bits: u64::from(*byte), shadow }, Sort::Bv32);
        sum = crc_step(m, sum, byte);
    }
    let term = m.terms.xor(sum, ones);
    Ok(NativeOutcome::Value(Value { bits: u64::from(result), shadow: m.shadow(term) }))
}

fn crc_step(m: &mut Machine, sum: TermId, byte: TermId) -> TermId {
    let mask = m.terms.int(0xFF);
    let mixed = m.terms.xor(sum, byte);
    let low = m.terms.and(mixed, mask);
    let eight = m.terms.int(8);
    let mut sum = m.terms.lshr(sum, eight);
    for bit in 0..8 {
        let row = (0..8).fold(1u32 << bit, |row, _| (row >> 1) ^ (POLYNOMIAL & (row & 1).wrapping_neg()));
        let (chosen, one) = (m.terms.int(1 << bit), m.terms.int(row as i32));
        let is_set = m.terms.and(low, chosen);
        let none = m.terms.int(0);
        let is_set = m.terms.ne(is_set, none);
        let part = m.terms.ite(is_set, one, none);
        sum = m.terms.xor(sum, part);
    }
    sum
}

/// CRC-32 (ISO 3309), bit by bit.
fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut crc = !crc;
    for byte in bytes {
        crc ^= *byte as u32;
        for _ in 0..8 {
            crc = (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// Adler-32 (RFC 1950).
fn adler32(adler: u32, bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (adler & 0xFFFF, adler >> 16);
    for byte in bytes {
        low = (low + *byte as u32) % 65521;
        high = (high + low) % 65521;
    }
    high << 16 | low
}
