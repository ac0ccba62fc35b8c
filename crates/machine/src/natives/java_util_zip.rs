//! `java.util.zip`: checksums.

use super::support::int;
use super::{Args, Native, Outcome, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;

const CRC: &str = "java/util/zip/CRC32";
const ADLER: &str = "java/util/zip/Adler32";

pub(super) const NATIVES: &[Native] = &[
    row(CRC, "update", "(II)I", |m, a| {
        let (crc, byte) = (a.int(m, 0) as u32, a.int(m, 1) as u8);
        int(crc32(crc, &[byte]) as i32)
    }),
    row(CRC, "updateBytes0", "(I[BII)I", |m, a| update(m, a, crc32)),
    row(CRC, "updateByteBuffer0", "(IJII)I", |m, a| update_outside(m, a, crc32)),
    row(ADLER, "update", "(II)I", |m, a| {
        let (adler, byte) = (a.int(m, 0) as u32, a.int(m, 1) as u8);
        int(adler32(adler, &[byte]) as i32)
    }),
    row(ADLER, "updateBytes", "(I[BII)I", |m, a| update(m, a, adler32)),
    row(ADLER, "updateByteBuffer", "(IJII)I", |m, a| update_outside(m, a, adler32)),
];

fn update(m: &mut Machine, args: &Args, step: fn(u32, &[u8]) -> u32) -> Step<Outcome> {
    let (sum, array, offset, length) =
        (args.int(m, 0) as u32, args.non_null(m, 1)?, args.int(m, 2), args.int(m, 3));
    let bytes = m.byte_array(array);
    let range = offset.max(0) as usize..(offset as i64 + length as i64).max(0) as usize;
    match bytes.get(range) {
        Some(part) => int(step(sum, part) as i32),
        None => Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None)),
    }
}

fn update_outside(m: &mut Machine, args: &Args, step: fn(u32, &[u8]) -> u32) -> Step<Outcome> {
    let (sum, address) = (args.int(m, 0) as u32, args.long(m, 1) as u64);
    let (offset, length) = (args.int(m, 3), args.int(m, 4));
    let bytes = m.read_outside(address.wrapping_add(offset as i64 as u64), length.max(0) as u64)?;
    int(step(sum, &bytes) as i32)
}

/// CRC-32 (ISO 3309), bit by bit.
fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut crc = !crc;
    for byte in bytes {
        crc ^= *byte as u32;
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
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
