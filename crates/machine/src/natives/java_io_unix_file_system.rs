//! `java.io.UnixFileSystem`, which is behind `java.io.File`.

use super::support::{NOTHING, boolean, int, long, reference};
use super::system_calls::{UMASK, io_exception};
use super::{Args, Native, NativeOutcome, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::system_calls;
use crate::world::{EntryContent, Errno, FileResult, Mode};

const CLASS: &str = "java/io/UnixFileSystem";
/// `FileSystem.BA_EXISTS`, `BA_REGULAR` and `BA_DIRECTORY`.
const EXISTS: i32 = 1;
const REGULAR: i32 = 2;
const DIRECTORY: i32 = 4;
/// `FileSystem.SPACE_TOTAL`; the others are free space.
const TOTAL: i32 = 0;

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "initIDs", "()V", NOTHING),
    row(CLASS, "canonicalize0", "(Ljava/lang/String;)Ljava/lang/String;", canonicalize),
    row(CLASS, "getBooleanAttributes0", "(Ljava/io/File;)I", attributes),
    row(CLASS, "checkAccess", "(Ljava/io/File;I)Z", check_access),
    row(CLASS, "checkAccess0", "(Ljava/io/File;I)Z", check_access),
    row(CLASS, "getLastModifiedTime", "(Ljava/io/File;)J", last_modified),
    row(CLASS, "getLastModifiedTime0", "(Ljava/io/File;)J", last_modified),
    row(CLASS, "getLength", "(Ljava/io/File;)J", length),
    row(CLASS, "getLength0", "(Ljava/io/File;)J", length),
    row(CLASS, "setPermission", "(Ljava/io/File;IZZ)Z", set_permission),
    row(CLASS, "setPermission0", "(Ljava/io/File;IZZ)Z", set_permission),
    row(CLASS, "createFileExclusively", "(Ljava/lang/String;)Z", create),
    row(CLASS, "createFileExclusively0", "(Ljava/lang/String;)Z", create),
    row(CLASS, "delete0", "(Ljava/io/File;)Z", delete),
    row(CLASS, "list", "(Ljava/io/File;)[Ljava/lang/String;", list),
    row(CLASS, "list0", "(Ljava/io/File;)[Ljava/lang/String;", list),
    row(CLASS, "createDirectory", "(Ljava/io/File;)Z", create_directory),
    row(CLASS, "createDirectory0", "(Ljava/io/File;)Z", create_directory),
    row(CLASS, "rename0", "(Ljava/io/File;Ljava/io/File;)Z", rename),
    row(CLASS, "setLastModifiedTime", "(Ljava/io/File;J)Z", set_last_modified),
    row(CLASS, "setLastModifiedTime0", "(Ljava/io/File;J)Z", set_last_modified),
    row(CLASS, "setReadOnly", "(Ljava/io/File;)Z", set_read_only),
    row(CLASS, "setReadOnly0", "(Ljava/io/File;)Z", set_read_only),
    row(CLASS, "getSpace", "(Ljava/io/File;I)J", space),
    row(CLASS, "getSpace0", "(Ljava/io/File;I)J", space),
    row(CLASS, "getNameMax0", "(Ljava/lang/String;)J", |_, _| long(255)),
];

/// The path of the `File` at this slot.
fn path(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<u8>> {
    let file = args.non_null(m, slot)?;
    system_calls::path_bytes(m, m.named(file, "path") as Addr)
}

/// The same for a call that only asks what is at the path.
fn looked_up(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<u8>> {
    let file = args.non_null(m, slot)?;
    system_calls::looked_up_bytes(m, m.named(file, "path") as Addr)
}

fn canonicalize(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let path = args.non_null(m, 1)?;
    let path = system_calls::looked_up_bytes(m, path)?;
    let real = m.disk().canonical_path(&path);
    reference(m.new_text(&String::from_utf8_lossy(&real))?)
}

fn attributes(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let path = looked_up(m, args, 1)?;
    let found = m.disk().inspect(&path, true);
    int(found.map_or(0, |(_, entry)| match entry.node {
        EntryContent::File(_) | EntryContent::Given(..) => EXISTS | REGULAR,
        EntryContent::Directory(_) => EXISTS | DIRECTORY,
        EntryContent::Link(_) | EntryContent::Device(_) => EXISTS,
    }))
}

fn check_access(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (path, wanted) = (looked_up(m, args, 1)?, args.int(m, 2) as u32);
    boolean(m.disk().may(&path, wanted).is_ok())
}

fn last_modified(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let path = path(m, args, 1)?;
    m.registers.volatile_reads += 1;
    let found = m.disk().inspect(&path, true);
    long(found.map_or(0, |(_, entry)| entry.modified.div_euclid(1_000_000)))
}

fn length(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let path = path(m, args, 1)?;
    let found = m.disk().inspect(&path, true);
    let (length, is_directory) = found
        .map_or((0, false), |(_, entry)| (entry.length(), matches!(entry.node, EntryContent::Directory(_))));
    // The length of a folder depends on the file system.
    m.registers.volatile_reads += u32::from(is_directory);
    long(length as i64)
}

/// Whether a call came through.
fn done(result: FileResult<()>) -> Step<NativeOutcome> {
    boolean(result.is_ok())
}

fn set_permission(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (path, access) = (path(m, args, 1)?, args.int(m, 2) as u32);
    let (enable, owner_only) = (args.int(m, 3) != 0, args.int(m, 4) != 0);
    let bits = if owner_only { access << 6 } else { access << 6 | access << 3 | access };
    change(m, &path, |entry| entry.mode = if enable { entry.mode | bits } else { entry.mode & !bits })
}

fn set_read_only(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let path = path(m, args, 1)?;
    change(m, &path, |entry| entry.mode &= !0o222)
}

fn set_last_modified(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (path, time) = (path(m, args, 1)?, args.long(m, 2).saturating_mul(1_000_000));
    change(m, &path, |entry| entry.modified = time)
}

fn change(
    m: &mut Machine,
    path: &[u8],
    change: impl FnOnce(&mut crate::world::FileEntry),
) -> Step<NativeOutcome> {
    let now = system_calls::file_time(m);
    done(m.registers.cold.disk.change(path, true, now, change))
}

fn create(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let path = args.non_null(m, 1)?;
    let (path, now) = (system_calls::path_bytes(m, path)?, system_calls::file_time(m));
    let mode = Mode { read: true, write: true, create: true, exclusive: true, ..Mode::default() };
    let disk = &mut m.registers.cold.disk;
    match disk.open(&path, mode, 0o666 & !UMASK, now).and_then(|descriptor| disk.close(descriptor)) {
        Ok(()) => boolean(true),
        Err(Errno::Exists) => boolean(false),
        Err(errno) => Err(io_exception(errno)),
    }
}

fn delete(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (path, now) = (path(m, args, 1)?, system_calls::file_time(m));
    let disk = &mut m.registers.cold.disk;
    done(match disk.remove(&path, false, now) {
        Err(Errno::IsDirectory) => disk.remove(&path, true, now),
        other => other,
    })
}

fn list(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let path = path(m, args, 1)?;
    let Ok(names) = m.disk().names(&path) else { return reference(0) };
    let names: Vec<Option<String>> =
        names.iter().map(|name| Some(String::from_utf8_lossy(name).into_owned())).collect();
    reference(m.string_array(&names)?)
}

fn create_directory(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (path, now) = (path(m, args, 1)?, system_calls::file_time(m));
    done(m.registers.cold.disk.make_directory(&path, 0o777 & !UMASK, now))
}

fn rename(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (from, to, now) = (path(m, args, 1)?, path(m, args, 2)?, system_calls::file_time(m));
    done(m.registers.cold.disk.rename(&from, &to, now))
}

fn space(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (path, what) = (path(m, args, 1)?, args.int(m, 2));
    let disk = &mut m.registers.cold.disk;
    long(match disk.inspect(&path, true) {
        Err(_) => 0,
        Ok(_) if what == TOTAL => disk.capacity() as i64,
        Ok(_) => disk.free() as i64,
    })
}
