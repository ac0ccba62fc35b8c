//! `java.io.RandomAccessFile`.

use super::java_io::{length_of, open, read_byte, read_bytes, write_byte, write_bytes};
use super::support::{NOTHING, long};
use super::system_calls::{descriptor_of, io_exception};
use super::{Args, Native, NativeOutcome, VOID, row, symbolic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::natives::system_calls;
use crate::world::Mode;

const CLASS: &str = "java/io/RandomAccessFile";
/// `RandomAccessFile.O_RDWR`.
const READ_AND_WRITE: i32 = 2;

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "initIDs", "()V", NOTHING),
    row(CLASS, "open0", "(Ljava/lang/String;I)V", |m, a| {
        let write = a.int(m, 2) & READ_AND_WRITE != 0;
        open(m, a, Mode { read: true, write, create: write, ..Mode::default() })
    }),
    row(CLASS, "read0", "()I", read_byte),
    row(CLASS, "readBytes", "([BII)I", read_bytes),
    row(CLASS, "readBytes0", "([BII)I", read_bytes),
    symbolic(CLASS, "write0", "(I)V", write_byte),
    row(CLASS, "writeBytes", "([BII)V", write_bytes),
    row(CLASS, "writeBytes0", "([BII)V", write_bytes),
    row(CLASS, "getFilePointer", "()J", |m, a| {
        let descriptor = descriptor_of(m, a.reference(m, 0))?;
        long(m.registers.cold.disk.get(descriptor).map_err(io_exception)?.position as i64)
    }),
    row(CLASS, "seek0", "(J)V", seek),
    row(CLASS, "length", "()J", length),
    row(CLASS, "length0", "()J", length),
    row(CLASS, "setLength", "(J)V", set_length),
    row(CLASS, "setLength0", "(J)V", set_length),
];

fn seek(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, to) = (descriptor_of(m, args.reference(m, 0))?, args.long(m, 1));
    let to = u64::try_from(to)
        .map_err(|_| Trap::Raise("java/io/IOException", Some("Negative seek offset".into())))?;
    m.registers.cold.disk.seek(descriptor, to).map_err(io_exception)?;
    Ok(VOID)
}

fn length(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = descriptor_of(m, args.reference(m, 0))?;
    long(length_of(m, descriptor) as i64)
}

/// The position moves back if it is behind the new end.
fn set_length(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, length) = (descriptor_of(m, args.reference(m, 0))?, args.long(m, 1));
    let length = u64::try_from(length).map_err(|_| io_exception(crate::world::Errno::Invalid))?;
    let now = system_calls::file_time(m);
    m.registers.cold.disk.set_length(descriptor, length, now).map_err(io_exception)?;
    if m.registers.cold.disk.get(descriptor).is_ok_and(|open| open.position > length) {
        m.registers.cold.disk.seek(descriptor, length).map_err(io_exception)?;
    }
    Ok(VOID)
}
