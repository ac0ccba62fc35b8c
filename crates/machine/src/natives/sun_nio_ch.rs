//! `sun.nio.ch`: channels of files, and the constants of channels of sockets.

use super::support::{MINUS_ONE, NOTHING, ONE, ZERO, boolean, int, long};
use super::system_calls::{io_exception, number_of};
use super::{Args, Native, NativeCode, NativeOutcome, VOID, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::natives::io_vector::pieces;
use crate::natives::{bytes, jdk_internal_misc_unsafe, loopback, system_calls, unsafe_memory};
use crate::world::{Bytes, Errno, FileResult};
use cupping_case::Effect;

const IO: &str = "sun/nio/ch/IOUtil";
const THREAD: &str = "sun/nio/ch/NativeThread";
const NEWER: &str = "sun/nio/ch/UnixFileDispatcherImpl";
const DISPATCHER: &str = "sun/nio/ch/FileDispatcherImpl";
const CHANNEL: &str = "sun/nio/ch/FileChannelImpl";
const KEY: &str = "sun/nio/ch/FileKey";
const UNIX: &str = "sun/nio/ch/UnixDispatcher";
/// `IOStatus.EOF` and `IOStatus.UNSUPPORTED`.
const END: i32 = -1;
const UNSUPPORTED: i64 = -4;
/// `FileChannelImpl.MAP_RW`: changes go to the file.
const SHARED: i32 = 1;
const PAGE: i64 = 4096;

/// Rows of methods that are in one class in JDK 17 and in another in later JDKs.
macro_rules! dispatcher {
    ($class:ident) => {
        [
            row($class, "read0", "(Ljava/io/FileDescriptor;JI)I", |m, a| read(m, a, false)),
            row($class, "pread0", "(Ljava/io/FileDescriptor;JIJ)I", |m, a| read(m, a, true)),
            row($class, "readv0", "(Ljava/io/FileDescriptor;JI)J", read_vector),
            row($class, "write0", "(Ljava/io/FileDescriptor;JI)I", |m, a| write(m, a, false)),
            row($class, "pwrite0", "(Ljava/io/FileDescriptor;JIJ)I", |m, a| write(m, a, true)),
            row($class, "writev0", "(Ljava/io/FileDescriptor;JI)J", write_vector),
            row($class, "force0", "(Ljava/io/FileDescriptor;Z)I", ZERO),
            row($class, "seek0", "(Ljava/io/FileDescriptor;J)J", seek),
            row($class, "truncate0", "(Ljava/io/FileDescriptor;J)I", truncate),
            row($class, "size0", "(Ljava/io/FileDescriptor;)J", size),
            row($class, "lock0", "(Ljava/io/FileDescriptor;ZJJZ)I", ZERO),
            row($class, "release0", "(Ljava/io/FileDescriptor;JJ)V", NOTHING),
            row($class, "closeIntFD", "(I)V", |m, a| {
                let descriptor = a.int(m, 0);
                close(m, descriptor)
            }),
            row($class, "setDirect0", "(Ljava/io/FileDescriptor;)I", |_, _| {
                Err(io_exception(Errno::Invalid))
            }),
        ]
    };
}

const OLD: [Native; 14] = dispatcher!(DISPATCHER);
const NEW: [Native; 14] = dispatcher!(NEWER);
pub(super) const OLD_NATIVES: &[Native] = &OLD;
pub(super) const NEW_NATIVES: &[Native] = &NEW;

pub(super) const NATIVES: &[Native] = &[
    row(DISPATCHER, "init", "()V", NOTHING),
    row(DISPATCHER, "init0", "()V", NOTHING),
    row(DISPATCHER, "close0", "(Ljava/io/FileDescriptor;)V", close_object),
    row(DISPATCHER, "preClose0", "(Ljava/io/FileDescriptor;)V", NOTHING),
    row(DISPATCHER, "dup0", "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;)V", |_, _| {
        Err(io_exception(Errno::NotSupported))
    }),
    row(DISPATCHER, "canTransferToFromOverlappedMap0", "()Z", ONE),
    row(DISPATCHER, "transferTo0", "*", |_, _| long(UNSUPPORTED)),
    row(DISPATCHER, "transferFrom0", "*", |_, _| long(UNSUPPORTED)),
    row(NEWER, "available0", "(Ljava/io/FileDescriptor;)I", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        if descriptor == 0 {
            m.note(Effect::StandardInput);
            return int(m.environment.console.available(m.registers.input_read) as i32);
        }
        let disk = &m.registers.cold.disk;
        let (open, entry) = (disk.get(descriptor).map_err(io_exception)?, disk.entry(descriptor));
        let length = entry.map_or(0, |entry| entry.length());
        int(i32::try_from(length.saturating_sub(open.position)).unwrap_or(i32::MAX))
    }),
    row(NEWER, "isOther0", "(Ljava/io/FileDescriptor;)Z", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        boolean(m.registers.cold.disk.get(descriptor).is_err())
    }),
    row(NEWER, "allocationGranularity0", "()J", |_, _| long(PAGE)),
    row(NEWER, "map0", "(Ljava/io/FileDescriptor;IJJZ)J", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        map(m, descriptor, a.int(m, 1), a.long(m, 2), a.long(m, 4))
    }),
    row(NEWER, "unmap0", "(JJ)I", ZERO),
    row(CHANNEL, "initIDs", "()J", |_, _| long(PAGE)),
    row(CHANNEL, "map0", "(IJJZ)J", |m, a| {
        let descriptor = number_of(m, m.named(a.reference(m, 0), "fd") as crate::memory::Addr);
        map(m, descriptor, a.int(m, 1), a.long(m, 2), a.long(m, 4))
    }),
    row(CHANNEL, "unmap0", "(JJ)I", ZERO),
    row(CHANNEL, "maxDirectTransferSize0", "()I", |_, _| int(i32::MAX)),
    row(CHANNEL, "transferTo0", "*", |_, _| long(UNSUPPORTED)),
    row(UNIX, "init", "()V", NOTHING),
    row(UNIX, "close0", "(Ljava/io/FileDescriptor;)V", close_object),
    row(UNIX, "preClose0", "(Ljava/io/FileDescriptor;)V", NOTHING),
    // Unix domain sockets are not supported: `UnsupportedOperationException`.
    row("sun/nio/ch/UnixDomainSockets", "init", "()Z", ZERO),
    row(KEY, "initIDs", "()V", NOTHING),
    row(KEY, "init", "(Ljava/io/FileDescriptor;)V", |m, a| {
        let inode = inode(m, a, 1)?;
        let key = a.reference(m, 0);
        m.set_named(key, "st_dev", 1);
        m.set_named(key, "st_ino", inode);
        Ok(VOID)
    }),
    row(KEY, "init", "(Ljava/io/FileDescriptor;[J)V", |m, a| {
        let (inode, longs) = (inode(m, a, 0)?, a.non_null(m, 1)?);
        for (index, value) in [1, inode].into_iter().enumerate() {
            let value = crate::state::Value::long(value as i64);
            m.set_element_value(longs, index as u32, crate::classes::Kind::Long, value);
        }
        Ok(VOID)
    }),
    row(IO, "initIDs", "()V", NOTHING),
    row(IO, "iovMax", "()I", |_, _| int(16)),
    row(IO, "writevMax", "()J", |_, _| long(i32::MAX.into())),
    row(IO, "fdLimit", "()I", |_, _| int(65_536)),
    row(IO, "fdVal", "(Ljava/io/FileDescriptor;)I", |m, a| int(number_of(m, a.reference(m, 0)))),
    row(IO, "setfdVal", "(Ljava/io/FileDescriptor;I)V", |m, a| {
        let (object, value) = (a.non_null(m, 0)?, a.int(m, 1));
        m.set_named(object, "fd", value as u32 as u64);
        Ok(VOID)
    }),
    row(IO, "configureBlocking", "(Ljava/io/FileDescriptor;Z)V", NOTHING),
    row(IO, "makePipe", "(Z)J", |m, _| refuse(m, "pipe opened")),
    row(IO, "randomBytes", "([B)Z", ZERO),
    row(THREAD, "init", "()V", NOTHING),
    row(THREAD, "current", "()J", NO_THREAD),
    row(THREAD, "current0", "()J", NO_THREAD),
    row(THREAD, "signal", "(J)V", NOTHING),
    row(THREAD, "signal0", "(J)V", NOTHING),
    row(THREAD, "supportPendingSignals0", "()Z", ZERO),
    row("sun/nio/ch/EPoll", "eventSize", "()I", |_, _| int(12)),
    row("sun/nio/ch/EPoll", "eventsOffset", "()I", ZERO),
    row("sun/nio/ch/EPoll", "dataOffset", "()I", |_, _| int(4)),
    row("sun/nio/ch/Net", "pollerrValue", "()S", |_, _| int(8)),
    row("sun/nio/ch/Net", "pollhupValue", "()S", |_, _| int(16)),
    row("sun/nio/ch/Net", "pollinValue", "()S", ONE),
    row("sun/nio/ch/Net", "pollnvalValue", "()S", |_, _| int(32)),
    row("sun/nio/ch/Net", "polloutValue", "()S", |_, _| int(4)),
    row("sun/nio/ch/Net", "pollconnValue", "()S", |_, _| int(4)),
    row("sun/nio/ch/Net", "isExclusiveBindAvailable", "()I", MINUS_ONE),
];

/// No thread is ever inside a system call.
const NO_THREAD: NativeCode = ZERO;

/// Refuses what does not exist here but may elsewhere, so that the behaviour of a program there is unknown.
fn refuse(m: &mut Machine, what: &str) -> Step<NativeOutcome> {
    m.note(Effect::Socket(what.into()));
    Err(io_exception(Errno::NoSystemCall))
}

fn check<T>(result: FileResult<T>) -> Step<T> {
    result.map_err(io_exception)
}

fn inode(m: &Machine, args: &Args, slot: u32) -> Step<u64> {
    let descriptor = number_of(m, args.reference(m, slot));
    Ok(check(m.registers.cold.disk.get(descriptor))?.inode)
}

fn close(m: &mut Machine, descriptor: i32) -> Step<NativeOutcome> {
    m.registers.cold.network.close(descriptor);
    if descriptor > 2 {
        // A socket is not a file.
        let _ = m.registers.cold.disk.close(descriptor);
    }
    Ok(VOID)
}

fn close_object(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = number_of(m, args.reference(m, 0));
    close(m, descriptor)
}

/// The position of a positional read or write, its last argument.
fn position(m: &Machine, args: &Args, given: bool) -> Step<Option<u64>> {
    let at = given.then(|| u64::try_from(args.long(m, 4)));
    at.transpose().map_err(|_| io_exception(Errno::Invalid))
}

fn read(m: &mut Machine, args: &Args, at_position: bool) -> Step<NativeOutcome> {
    let descriptor = number_of(m, args.reference(m, 0));
    let (to, wanted) = (args.long(m, 1) as u64, args.int(m, 3).max(0));
    let from = position(m, args, at_position)?;
    // The whole buffer must be accessible before the descriptor's position moves.
    unsafe_memory::check_outside(m, to, wanted as u64)?;
    let bytes = check(system_calls::read_file(m, descriptor, from, wanted as usize))?;
    bytes::put_bytes(m, to, &bytes);
    let read = bytes.plain.len();
    int(if read == 0 && wanted > 0 { END } else { read as i32 })
}

fn write(m: &mut Machine, args: &Args, at_position: bool) -> Step<NativeOutcome> {
    if loopback::is_socket(m, args.reference(m, 0)) {
        return loopback::write(m, args);
    }
    let descriptor = number_of(m, args.reference(m, 0));
    let (from, length) = (args.long(m, 1) as u64, args.int(m, 3).max(0));
    let at = position(m, args, at_position)?;
    unsafe_memory::check_outside(m, from, length as u64)?;
    let bytes = bytes::bytes_at(m, from, length as u64);
    check(system_calls::write_file(m, descriptor, at, &bytes))?;
    int(length)
}

fn read_vector(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = number_of(m, args.reference(m, 0));
    let pieces = pieces(m, args)?;
    for (to, wanted) in &pieces {
        unsafe_memory::check_outside(m, *to, *wanted)?;
    }
    let mut read = 0;
    for (to, wanted) in &pieces {
        let bytes = check(system_calls::read_file(m, descriptor, None, *wanted as usize))?;
        bytes::put_bytes(m, *to, &bytes);
        read += bytes.plain.len() as i64;
        if (bytes.plain.len() as u64) < *wanted {
            break;
        }
    }
    let wanted = pieces.iter().any(|(_, length)| *length > 0);
    long(if read == 0 && wanted { END.into() } else { read })
}

fn write_vector(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    if loopback::is_socket(m, args.reference(m, 0)) {
        return loopback::write_vector(m, args);
    }
    let descriptor = number_of(m, args.reference(m, 0));
    let mut bytes = Bytes::default();
    for (from, length) in pieces(m, args)? {
        unsafe_memory::check_outside(m, from, length)?;
        bytes.append(bytes::bytes_at(m, from, length));
    }
    check(system_calls::write_file(m, descriptor, None, &bytes))?;
    long(bytes.plain.len() as i64)
}

/// A negative position asks for the descriptor's current one.
fn seek(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, to) = (number_of(m, args.reference(m, 0)), args.long(m, 1));
    match u64::try_from(to) {
        Ok(to) => {
            check(m.registers.cold.disk.seek(descriptor, to))?;
            long(to as i64)
        }
        Err(_) => long(check(m.registers.cold.disk.get(descriptor))?.position as i64),
    }
}

fn truncate(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, length) = (number_of(m, args.reference(m, 0)), args.long(m, 1));
    let length = u64::try_from(length).map_err(|_| io_exception(Errno::Invalid))?;
    let now = system_calls::file_time(m);
    check(m.registers.cold.disk.set_length(descriptor, length, now))?;
    int(0)
}

fn size(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = number_of(m, args.reference(m, 0));
    long(check(m.registers.cold.disk.entry(descriptor))?.length() as i64)
}

/// A copy of a part of a file outside the heap. Mappings that write changes back to the file are not supported.
fn map(m: &mut Machine, descriptor: i32, mode: i32, from: i64, length: i64) -> Step<NativeOutcome> {
    if mode == SHARED {
        return Err(Trap::Raise("java/io/IOException", Some("Map failed: Operation not supported".into())));
    }
    let at = jdk_internal_misc_unsafe::allocate_outside(m, length)?;
    let bytes =
        check(system_calls::read_file(m, descriptor, Some(from.max(0) as u64), length.max(0) as usize))?;
    bytes::put_bytes(m, at as u64, &bytes);
    long(at)
}
