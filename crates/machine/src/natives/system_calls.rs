//! Common code of the natives for files: arguments, system calls, failures.

use super::Args;
use crate::exit::{Step, Trap};
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::bytes;
use crate::world::{ByteSource, Bytes, Errno, FileResult};
use cupping_case::Effect;

/// Permissions that new files do not get.
pub(super) const UMASK: u32 = 0o022;

/// An `IOException` with the words of the failure.
pub(super) fn io_exception(errno: Errno) -> Trap {
    Trap::Raise("java/io/IOException", Some(errno.message().into()))
}

/// The descriptor in the field `fd` of a `FileDescriptor`; -1 for `null`.
pub(super) fn number_of(m: &Machine, descriptor: Addr) -> i32 {
    if descriptor == 0 { -1 } else { m.named(descriptor, "fd") as u32 as i32 }
}

/// The descriptor of a stream; a stream without one is closed.
pub(super) fn descriptor_of(m: &Machine, stream: Addr) -> Step<i32> {
    match number_of(m, m.named(stream, "fd") as Addr) {
        -1 => Err(Trap::Raise("java/io/IOException", Some("Stream Closed".into()))),
        descriptor => Ok(descriptor),
    }
}

/// Puts the descriptor into the `FileDescriptor` of a stream.
pub(super) fn set_descriptor(m: &mut Machine, stream: Addr, descriptor: i32) {
    let object = m.named(stream, "fd") as Addr;
    if object != 0 {
        m.set_named(object, "fd", descriptor as u32 as u64);
    }
}

/// The part of a `byte[]` that the arguments from this slot on denote: array, offset, length.
pub(super) fn part_of_array(m: &Machine, args: &Args, slot: u32) -> Step<(Addr, u32, u32)> {
    let array = args.non_null(m, slot)?;
    let (offset, length) = (args.int(m, slot + 1), args.int(m, slot + 2));
    if offset < 0 || length < 0 || offset as i64 + length as i64 > m.array_length(array) as i64 {
        return Err(Trap::Raise("java/lang/IndexOutOfBoundsException", None));
    }
    Ok((array, offset as u32, length as u32))
}

/// Nanoseconds since 1970 on the virtual clock; does not count as a reading by the program.
pub(super) fn file_time(m: &Machine) -> i64 {
    let start = m.environment.options.start_millis.saturating_mul(1_000_000);
    start.saturating_add(i64::try_from(m.registers.clock).unwrap_or(i64::MAX))
}

/// `read` and `pread`: bytes from a position, or from that of the descriptor, which advances.
pub(super) fn read_file(
    m: &mut Machine,
    descriptor: i32,
    at: Option<u64>,
    wanted: usize,
) -> FileResult<Bytes> {
    if descriptor == 0 {
        m.note(Effect::StandardInput);
        let from = m.registers.input_read;
        let input = m.environment.console.input(from);
        let bytes = input[..input.len().min(wanted)].to_vec();
        m.registers.input_read += bytes.len();
        return Ok(bytes.into());
    }
    let from = at.unwrap_or(m.registers.cold.disk.get(descriptor)?.position);
    let place = match m.registers.cold.disk.content(descriptor)? {
        ByteSource::Content(content) => Ok(content.read_symbolic(from, wanted)),
        ByteSource::Nothing => Ok(Bytes::default()),
        ByteSource::Random => Ok(random_bytes(m, wanted).into()),
        ByteSource::Given(place) => Err(place),
    };
    let bytes = place.unwrap_or_else(|place| {
        let content = m.given_file(&place);
        let from = (from as usize).min(content.len());
        content[from..(from.saturating_add(wanted)).min(content.len())].to_vec().into()
    });
    if at.is_none() {
        m.registers.cold.disk.seek(descriptor, from + bytes.plain.len() as u64)?;
    }
    Ok(bytes)
}

/// Bytes that depend only on the seed and on how many have been read (SplitMix64).
fn random_bytes(m: &mut Machine, count: usize) -> Vec<u8> {
    m.registers.volatile_reads += 1;
    m.registers.entropy_reads += 1;
    m.note(Effect::RandomnessRead);
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        m.registers.random_read += 1;
        let step = m.registers.random_read.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let seed = m.environment.options.seed ^ u64::from(m.registers.variation).rotate_left(17);
        let mut word = seed.wrapping_add(step);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend((word ^ (word >> 31)).to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

/// `write` and `pwrite`.
pub(super) fn write_file(m: &mut Machine, descriptor: i32, at: Option<u64>, bytes: &Bytes) -> FileResult<()> {
    if descriptor == 1 || descriptor == 2 {
        m.print(descriptor as u8, &bytes.plain);
        return Ok(());
    }
    let now = file_time(m);
    m.registers.cold.disk.write(descriptor, at, bytes, now)
}

/// Puts bytes into a `byte[]`.
pub(super) fn fill_bytes(m: &mut Machine, array: Addr, offset: u32, bytes: &Bytes) {
    bytes::put_bytes(m, element_byte(array, offset, 1), bytes);
}

/// The text of a path as bytes; also enters given files at this path into the tree.
pub(super) fn path_bytes(m: &mut Machine, string: Addr) -> Step<Vec<u8>> {
    bytes::fix_text(m, string)?;
    let path = m.text(string).into_bytes();
    m.enter_given(&path);
    Ok(path)
}

/// The same for a call that only asks what is at the path.
pub(super) fn looked_up_bytes(m: &mut Machine, string: Addr) -> Step<Vec<u8>> {
    bytes::fix_text(m, string)?;
    let path = m.text(string).into_bytes();
    m.enter_looked_up(&path);
    Ok(path)
}
