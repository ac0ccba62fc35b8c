//! `java.io`: descriptors, the standard streams, and streams of files of the sandbox.
//!
//! Output to descriptors 1 and 2 is kept in the machine's registers, or passed on by its console.

use super::support::{MINUS_ONE_LONG, NOTHING, ZERO, boolean, int, long};
use super::system_calls::{UMASK, descriptor_of, io_exception, number_of, part_of_array, set_descriptor};
use super::{Args, Native, NativeOutcome, VOID, row, symbolic};
use crate::classes::Kind;
use crate::exit::{Step, Trap};
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{bytes, system_calls};
use crate::state::Value;
use crate::symbols::term_of;
use crate::world::{Bytes, EntryContent, Errno, Mode};
use cupping_case::Effect;
use std::rc::Rc;

const DESCRIPTOR: &str = "java/io/FileDescriptor";
const INPUT: &str = "java/io/FileInputStream";
const OUTPUT: &str = "java/io/FileOutputStream";
const CONSOLE: &str = "java/io/Console";

pub(super) const NATIVES: &[Native] = &[
    row(DESCRIPTOR, "initIDs", "()V", NOTHING),
    row(DESCRIPTOR, "getHandle", "(I)J", MINUS_ONE_LONG),
    row(DESCRIPTOR, "getAppend", "(I)Z", |m, a| {
        boolean(m.registers.cold.disk.get(a.int(m, 0)).is_ok_and(|open| open.mode.append))
    }),
    row(DESCRIPTOR, "close0", "()V", |m, a| {
        let object = a.reference(m, 0);
        let descriptor = number_of(m, object);
        m.set_named(object, "fd", -1i32 as u32 as u64);
        close(m, descriptor)
    }),
    row(DESCRIPTOR, "sync", "()V", NOTHING),
    row(DESCRIPTOR, "sync0", "()V", NOTHING),
    row("java/io/FileCleanable", "cleanupClose0", "(IJ)V", |m, a| {
        let descriptor = a.int(m, 0);
        close(m, descriptor)
    }),
    row(INPUT, "initIDs", "()V", NOTHING),
    row(INPUT, "open0", "(Ljava/lang/String;)V", |m, a| open(m, a, Mode { read: true, ..Mode::default() })),
    row(INPUT, "read0", "()I", read_byte),
    row(INPUT, "readBytes", "([BII)I", read_bytes),
    row(INPUT, "length0", "()J", |m, a| {
        let descriptor = descriptor_of(m, a.reference(m, 0))?;
        long(length_of(m, descriptor) as i64)
    }),
    row(INPUT, "position0", "()J", |m, a| {
        let descriptor = descriptor_of(m, a.reference(m, 0))?;
        long(m.registers.cold.disk.get(descriptor).map_or(0, |open| open.position as i64))
    }),
    row(INPUT, "skip0", "(J)J", skip),
    row(INPUT, "available0", "()I", available),
    row(INPUT, "isRegularFile0", "(Ljava/io/FileDescriptor;)Z", |m, a| {
        let descriptor = number_of(m, a.reference(m, 1));
        let entry = m.registers.cold.disk.entry(descriptor);
        boolean(
            entry.is_ok_and(|entry| matches!(entry.node, EntryContent::File(_) | EntryContent::Given(..))),
        )
    }),
    row(OUTPUT, "initIDs", "()V", NOTHING),
    row(OUTPUT, "open0", "(Ljava/lang/String;Z)V", |m, a| {
        let append = a.int(m, 2) != 0;
        let mode = Mode { write: true, create: true, append, truncate: !append, ..Mode::default() };
        open(m, a, mode)
    }),
    symbolic(OUTPUT, "write", "(IZ)V", write_byte),
    row(OUTPUT, "writeBytes", "([BIIZ)V", write_bytes),
    row(CONSOLE, "encoding", "()Ljava/lang/String;", ZERO),
    row(CONSOLE, "echo", "(Z)Z", ZERO),
    row(CONSOLE, "istty", "()Z", ZERO),
    row(CONSOLE, "ttyStatus", "()I", ZERO),
    row("jdk/internal/io/JdkConsoleImpl", "echo", "(Z)Z", ZERO),
    row("java/io/ObjectStreamClass", "initNative", "()V", NOTHING),
    row("java/io/ObjectStreamClass", "hasStaticInitializer", "(Ljava/lang/Class;)Z", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 0));
        boolean(m.class(class).initializer.is_some())
    }),
];

/// Opens the file that argument 1 names, for the stream that is argument 0.
pub(super) fn open(m: &mut Machine, args: &Args, mode: Mode) -> Step<NativeOutcome> {
    let path = args.non_null(m, 1)?;
    let (path, now) = (system_calls::path_bytes(m, path)?, system_calls::file_time(m));
    let opened = m.disk().open(&path, mode, 0o666 & !UMASK, now);
    // A directory can be opened, but not by a stream.
    let opened = opened.and_then(|descriptor| match m.registers.cold.disk.entry(descriptor)?.node {
        EntryContent::Directory(_) => m.registers.cold.disk.close(descriptor).and(Err(Errno::IsDirectory)),
        _ => Ok(descriptor),
    });
    match opened {
        Ok(descriptor) => {
            let stream = args.reference(m, 0);
            set_descriptor(m, stream, descriptor);
            let object = m.named(stream, "fd") as Addr;
            m.set_named(object, "append", mode.append as u64);
            Ok(VOID)
        }
        Err(errno) => {
            let message = format!("{} ({})", String::from_utf8_lossy(&path), errno.message());
            Err(Trap::Raise("java/io/FileNotFoundException", Some(message)))
        }
    }
}

fn close(m: &mut Machine, descriptor: i32) -> Step<NativeOutcome> {
    if descriptor > 2 {
        m.registers.cold.disk.close(descriptor).map_err(io_exception)?;
    }
    Ok(VOID)
}

pub(super) fn length_of(m: &Machine, descriptor: i32) -> u64 {
    m.registers.cold.disk.entry(descriptor).map_or(0, |entry| entry.length())
}

pub(super) fn read_byte(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = descriptor_of(m, args.reference(m, 0))?;
    let bytes = system_calls::read_file(m, descriptor, None, 1).map_err(io_exception)?;
    let Some(byte) = bytes.plain.first() else { return int(-1) };
    let shadow = bytes.shadows.first().map_or(0, |(_, shadow)| *shadow);
    let Some(term) = term_of(shadow) else { return int(i32::from(*byte)) };
    let mask = m.terms.int(0xFF);
    let unsigned = m.terms.and(term, mask);
    Ok(NativeOutcome::Value(Value { bits: u64::from(*byte), shadow: m.shadow(unsigned) }))
}

pub(super) fn read_bytes(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (array, offset, length) = part_of_array(m, args, 1)?;
    if length == 0 {
        return int(0);
    }
    let descriptor = descriptor_of(m, args.reference(m, 0))?;
    let bytes = system_calls::read_file(m, descriptor, None, length as usize).map_err(io_exception)?;
    system_calls::fill_bytes(m, array, offset, &bytes);
    int(if bytes.plain.is_empty() { -1 } else { bytes.plain.len() as i32 })
}

fn skip(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, wanted) = (descriptor_of(m, args.reference(m, 0))?, args.long(m, 1));
    if descriptor == 0 {
        let wanted = usize::try_from(wanted).unwrap_or(0);
        return long(system_calls::read_file(m, 0, None, wanted).map_err(io_exception)?.plain.len() as i64);
    }
    let at = m.registers.cold.disk.get(descriptor).map_err(io_exception)?.position;
    let to = at.checked_add_signed(wanted).ok_or_else(|| io_exception(Errno::Invalid))?;
    m.registers.cold.disk.seek(descriptor, to).map_err(io_exception)?;
    long(wanted)
}

fn available(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = descriptor_of(m, args.reference(m, 0))?;
    if descriptor == 0 {
        m.note(Effect::StandardInput);
        return int(m.environment.console.available(m.registers.input_read) as i32);
    }
    let at = m.registers.cold.disk.get(descriptor).map_err(io_exception)?.position;
    int(i32::try_from(length_of(m, descriptor).saturating_sub(at)).unwrap_or(i32::MAX))
}

pub(super) fn write_byte(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = descriptor_of(m, args.reference(m, 0))?;
    let shadow = m.narrowed_shadow(args.value(m, 1), Kind::Byte);
    let shadows = if shadow == 0 { Vec::new() } else { vec![(0, shadow)] };
    let byte = Bytes { plain: vec![args.int(m, 1) as u8], shadows };
    system_calls::write_file(m, descriptor, None, &byte).map_err(io_exception)?;
    Ok(VOID)
}

pub(super) fn write_bytes(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (array, offset, length) = part_of_array(m, args, 1)?;
    let descriptor = descriptor_of(m, args.reference(m, 0))?;
    let bytes = bytes::bytes_at(m, element_byte(array, offset, 1), length.into());
    system_calls::write_file(m, descriptor, None, &bytes).map_err(io_exception)?;
    Ok(VOID)
}

impl Machine {
    /// Appends to the output of the program.
    pub(crate) fn print(&mut self, descriptor: u8, bytes: &[u8]) {
        if self.environment.console.write(descriptor, bytes) {
            return;
        }
        let output = Rc::make_mut(&mut self.registers.cold.output);
        match output.last_mut() {
            Some((last, text)) if *last == descriptor => text.extend_from_slice(bytes),
            _ => output.push((descriptor, bytes.to_vec())),
        }
    }

    /// What the program has written to a descriptor (1 or 2) so far.
    pub fn written(&self, descriptor: u8) -> Vec<u8> {
        self.registers
            .cold
            .output
            .iter()
            .filter(|(d, _)| *d == descriptor)
            .flat_map(|(_, t)| t.clone())
            .collect()
    }
}
