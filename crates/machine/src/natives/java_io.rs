//! `java.io`: the standard streams, and a file system that holds nothing but what is [`given`].
//!
//! Output to descriptors 1 and 2 is kept in the machine's registers. No file of the host can be seen and none
//! can be made: what opens one sees `FileNotFoundException`, as for a path that is not there.

use super::support::{MINUS_ONE_LONG, NOTHING, ZERO, boolean, int, long, reference};
use super::{Args, Native, Outcome, VOID, row};
use crate::class::Kind;
use crate::exit::{Step, Trap};
use crate::given;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use std::rc::Rc;
use std::sync::Arc;

const DESCRIPTOR: &str = "java/io/FileDescriptor";
const INPUT: &str = "java/io/FileInputStream";
const OUTPUT: &str = "java/io/FileOutputStream";
const RANDOM: &str = "java/io/RandomAccessFile";
const SYSTEM: &str = "java/io/UnixFileSystem";
const CONSOLE: &str = "java/io/Console";

pub(super) const NATIVES: &[Native] = &[
    row(DESCRIPTOR, "initIDs", "()V", NOTHING),
    row(DESCRIPTOR, "getHandle", "(I)J", MINUS_ONE_LONG),
    row(DESCRIPTOR, "getAppend", "(I)Z", ZERO),
    row(DESCRIPTOR, "close0", "()V", close),
    row(DESCRIPTOR, "sync", "()V", NOTHING),
    row(DESCRIPTOR, "sync0", "()V", NOTHING),
    row("java/io/FileCleanable", "cleanupClose0", "(IJ)V", NOTHING),
    row(INPUT, "initIDs", "()V", NOTHING),
    row(INPUT, "open0", "(Ljava/lang/String;)V", open),
    row(INPUT, "read0", "()I", read_byte),
    row(INPUT, "readBytes", "([BII)I", read_bytes),
    row(INPUT, "length0", "()J", length),
    row(INPUT, "position0", "()J", position),
    row(INPUT, "skip0", "(J)J", skip),
    row(INPUT, "available0", "()I", available),
    row(INPUT, "isRegularFile0", "(Ljava/io/FileDescriptor;)Z", ZERO),
    row(OUTPUT, "initIDs", "()V", NOTHING),
    row(OUTPUT, "open0", "(Ljava/lang/String;Z)V", not_found),
    row(OUTPUT, "write", "(IZ)V", write_byte),
    row(OUTPUT, "writeBytes", "([BIIZ)V", write_bytes),
    row(RANDOM, "initIDs", "()V", NOTHING),
    row(RANDOM, "open0", "(Ljava/lang/String;I)V", open_random),
    row(RANDOM, "read0", "()I", read_byte),
    row(RANDOM, "readBytes", "([BII)I", read_bytes),
    row(RANDOM, "readBytes0", "([BII)I", read_bytes),
    row(RANDOM, "getFilePointer", "()J", position),
    row(RANDOM, "seek0", "(J)V", seek),
    row(RANDOM, "length", "()J", length),
    row(RANDOM, "length0", "()J", length),
    row(SYSTEM, "initIDs", "()V", NOTHING),
    row(SYSTEM, "canonicalize0", "(Ljava/lang/String;)Ljava/lang/String;", canonicalize),
    row(SYSTEM, "getBooleanAttributes0", "(Ljava/io/File;)I", attributes),
    row(SYSTEM, "checkAccess", "(Ljava/io/File;I)Z", check_access),
    row(SYSTEM, "checkAccess0", "(Ljava/io/File;I)Z", check_access),
    row(SYSTEM, "getLastModifiedTime", "(Ljava/io/File;)J", ZERO),
    row(SYSTEM, "getLastModifiedTime0", "(Ljava/io/File;)J", ZERO),
    row(SYSTEM, "getLength", "(Ljava/io/File;)J", file_length),
    row(SYSTEM, "getLength0", "(Ljava/io/File;)J", file_length),
    row(SYSTEM, "setPermission", "(Ljava/io/File;IZZ)Z", ZERO),
    row(SYSTEM, "setPermission0", "(Ljava/io/File;IZZ)Z", ZERO),
    row(SYSTEM, "createFileExclusively", "(Ljava/lang/String;)Z", denied),
    row(SYSTEM, "createFileExclusively0", "(Ljava/lang/String;)Z", denied),
    row(SYSTEM, "delete0", "(Ljava/io/File;)Z", ZERO),
    row(SYSTEM, "list", "(Ljava/io/File;)[Ljava/lang/String;", ZERO),
    row(SYSTEM, "list0", "(Ljava/io/File;)[Ljava/lang/String;", ZERO),
    row(SYSTEM, "createDirectory", "(Ljava/io/File;)Z", ZERO),
    row(SYSTEM, "createDirectory0", "(Ljava/io/File;)Z", ZERO),
    row(SYSTEM, "rename0", "(Ljava/io/File;Ljava/io/File;)Z", ZERO),
    row(SYSTEM, "setLastModifiedTime", "(Ljava/io/File;J)Z", ZERO),
    row(SYSTEM, "setLastModifiedTime0", "(Ljava/io/File;J)Z", ZERO),
    row(SYSTEM, "setReadOnly", "(Ljava/io/File;)Z", ZERO),
    row(SYSTEM, "setReadOnly0", "(Ljava/io/File;)Z", ZERO),
    row(SYSTEM, "getSpace", "(Ljava/io/File;I)J", ZERO),
    row(SYSTEM, "getSpace0", "(Ljava/io/File;I)J", ZERO),
    row(SYSTEM, "getNameMax0", "(Ljava/lang/String;)J", |_, _| super::support::long(255)),
    row(CONSOLE, "encoding", "()Ljava/lang/String;", ZERO),
    row(CONSOLE, "echo", "(Z)Z", ZERO),
    row(CONSOLE, "istty", "()Z", ZERO),
    row(CONSOLE, "ttyStatus", "()I", ZERO),
    row("jdk/internal/io/JdkConsoleImpl", "echo", "(Z)Z", ZERO),
    row("java/io/ObjectStreamClass", "initNative", "()V", NOTHING),
    row("java/io/ObjectStreamClass", "hasStaticInitializer", "(Ljava/lang/Class;)Z", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 0));
        super::support::boolean(m.class(class).initializer.is_some())
    }),
];

/// The descriptor of the first open file.
const FIRST_DESCRIPTOR: i32 = 100;

/// The path of a `File`, from the root.
fn path_of(m: &mut Machine, file: Addr) -> String {
    let path = m.named(file, "path") as Addr;
    given::absolute(&m.text(path))
}

fn attributes(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let file = args.non_null(m, 1)?;
    let path = path_of(m, file);
    int(match m.given_file(&path) {
        Some(given::Given::File(_)) => 3,
        Some(given::Given::Folder) => 5,
        None => 0,
    })
}

/// Whether a file can be read (4), written (2) or run (1).
fn check_access(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let file = args.non_null(m, 1)?;
    let path = path_of(m, file);
    boolean(args.int(m, 2) == 4 && m.given_file(&path).is_some())
}

fn file_length(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let file = args.non_null(m, 1)?;
    let path = path_of(m, file);
    long(match m.given_file(&path) {
        Some(given::Given::File(content)) => content.len() as i64,
        _ => 0,
    })
}

fn open(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let path = args.non_null(m, 1)?;
    let path = given::absolute(&m.text(path));
    match m.given_file(&path) {
        Some(given::Given::File(content)) => {
            let descriptor =
                (FIRST_DESCRIPTOR..).find(|d| m.registers.open_files.get(d).is_none()).unwrap_or(i32::MAX);
            m.registers.open_files.insert(descriptor, (content, 0));
            let object = m.named(args.reference(m, 0), "fd") as Addr;
            m.set_named(object, "fd", descriptor as u32 as u64);
            Ok(VOID)
        }
        Some(given::Given::Folder) => {
            let message = format!("{path} (Is a directory)");
            Err(Trap::Raise("java/io/FileNotFoundException", Some(message)))
        }
        None => not_found(m, args),
    }
}

/// As `FileInputStream`, to read only.
fn open_random(m: &mut Machine, args: &Args) -> Step<Outcome> {
    const READ_ONLY: i32 = 1;
    if args.int(m, 2) != READ_ONLY { not_found(m, args) } else { open(m, args) }
}

fn close(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let descriptor = m.named(args.reference(m, 0), "fd") as u32 as i32;
    m.registers.open_files.remove(&descriptor);
    m.set_named(args.reference(m, 0), "fd", -1i32 as u32 as u64);
    Ok(VOID)
}

fn seek(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let at = args.long(m, 1);
    let Some((descriptor, content, _)) = rest(m, args) else { return bad_descriptor() };
    if at < 0 {
        return Err(Trap::Raise("java/io/IOException", Some("Negative seek offset".into())));
    }
    m.registers.open_files.insert(descriptor, (content, at as usize));
    Ok(VOID)
}

fn bad_descriptor<T>() -> Step<T> {
    Err(Trap::Raise("java/io/IOException", Some("Bad file descriptor".into())))
}

/// The rest of an open data file, with its descriptor.
fn rest(m: &mut Machine, args: &Args) -> Option<(i32, Arc<[u8]>, usize)> {
    let descriptor = descriptor_of(m, args.reference(m, 0));
    let (content, at) = m.registers.open_files.get(&descriptor)?.clone();
    Some((descriptor, content, at))
}

fn advance(m: &mut Machine, descriptor: i32, by: usize) {
    if let Some((content, at)) = m.registers.open_files.get(&descriptor).cloned() {
        m.registers.open_files.insert(descriptor, (content, at + by));
    }
}

fn read_byte(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let Some((descriptor, content, at)) = rest(m, args) else { return int(-1) };
    let Some(byte) = content.get(at).copied() else { return int(-1) };
    advance(m, descriptor, 1);
    int(byte.into())
}

fn read_bytes(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let array = args.non_null(m, 1)?;
    let (offset, length) = (args.int(m, 2), args.int(m, 3));
    if offset < 0 || length < 0 || offset as i64 + length as i64 > m.array_length(array) as i64 {
        return Err(Trap::Raise("java/lang/IndexOutOfBoundsException", None));
    }
    let Some((descriptor, content, at)) = rest(m, args) else { return int(-1) };
    let left = content.get(at..).unwrap_or_default();
    if left.is_empty() {
        return int(-1);
    }
    let read = left.len().min(length as usize);
    for (index, byte) in left[..read].iter().enumerate() {
        let value = Value::int(*byte as i8 as i32);
        m.set_element_value(array, offset as u32 + index as u32, Kind::Byte, value);
    }
    advance(m, descriptor, read);
    int(read as i32)
}

fn length(m: &mut Machine, args: &Args) -> Step<Outcome> {
    long(rest(m, args).map_or(0, |(_, content, _)| content.len() as i64))
}

fn position(m: &mut Machine, args: &Args) -> Step<Outcome> {
    long(rest(m, args).map_or(0, |(_, _, at)| at as i64))
}

fn skip(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let wanted = args.long(m, 1).max(0) as usize;
    let Some((descriptor, content, at)) = rest(m, args) else { return long(0) };
    let skipped = wanted.min(content.len().saturating_sub(at));
    advance(m, descriptor, skipped);
    long(skipped as i64)
}

fn available(m: &mut Machine, args: &Args) -> Step<Outcome> {
    int(rest(m, args).map_or(0, |(_, content, at)| content.len().saturating_sub(at) as i32))
}

fn not_found(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let path = args.non_null(m, 1)?;
    let message = format!("{} (No such file or directory)", m.text(path));
    Err(Trap::Raise("java/io/FileNotFoundException", Some(message)))
}

fn denied(_: &mut Machine, _: &Args) -> Step<Outcome> {
    Err(Trap::Raise("java/io/IOException", Some("No such file or directory".into())))
}

/// The path without `.`, `..` and empty parts; nothing is a link here.
fn canonicalize(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let path = args.non_null(m, 1)?;
    let path = m.text(path);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let path = format!("/{}", parts.join("/"));
    reference(m.new_text(&path)?)
}

fn descriptor_of(m: &Machine, stream: Addr) -> i32 {
    let descriptor = m.named(stream, "fd") as Addr;
    if descriptor == 0 { -1 } else { m.named(descriptor, "fd") as u32 as i32 }
}

fn write_byte(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let descriptor = descriptor_of(m, args.reference(m, 0));
    let byte = args.int(m, 1) as u8;
    m.print(descriptor, &[byte])
}

fn write_bytes(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let descriptor = descriptor_of(m, args.reference(m, 0));
    let array = args.non_null(m, 1)?;
    let (offset, length) = (args.int(m, 2), args.int(m, 3));
    let bytes = m.byte_array(array);
    let end = offset as i64 + length as i64;
    if offset < 0 || length < 0 || end > bytes.len() as i64 {
        return Err(Trap::Raise("java/lang/IndexOutOfBoundsException", None));
    }
    m.print(descriptor, &bytes[offset as usize..end as usize])
}

impl Machine {
    /// Appends to the output of the program; only descriptors 1 and 2 are open.
    fn print(&mut self, descriptor: i32, bytes: &[u8]) -> Step<Outcome> {
        if descriptor != 1 && descriptor != 2 {
            return Err(Trap::Raise("java/io/IOException", Some("Bad file descriptor".into())));
        }
        if self.console.write(descriptor as u8, bytes) {
            return Ok(VOID);
        }
        let output = Rc::make_mut(&mut self.registers.output);
        match output.last_mut() {
            Some((last, text)) if *last == descriptor as u8 => text.extend_from_slice(bytes),
            _ => output.push((descriptor as u8, bytes.to_vec())),
        }
        Ok(VOID)
    }

    /// What the program has written to a descriptor (1 or 2) so far.
    pub fn written(&self, descriptor: u8) -> Vec<u8> {
        self.registers.output.iter().filter(|(d, _)| *d == descriptor).flat_map(|(_, t)| t.clone()).collect()
    }
}
