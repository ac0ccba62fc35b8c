//! `sun.nio.fs`: the system calls behind `java.nio.file`, with mounts and users.
//!
//! Paths are addresses of zero-terminated bytes outside the heap; failures are `UnixException`s with an error
//! number.

use super::support::{NOTHING, int, long, reference};
use super::system_calls::UMASK;
use super::{Args, Native, NativeOutcome, VOID, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{bytes, jdk_internal_misc_unsafe, system_calls, unsafe_memory};
use crate::state::Value;
use crate::world::{Errno, FileEntry, FileResult, Mode, USER, WORKING_DIRECTORY};
use cupping_case::{Access, Effect};

const CLASS: &str = "sun/nio/fs/UnixNativeDispatcher";
const LINUX: &str = "sun/nio/fs/LinuxNativeDispatcher";
const FILE_ATTRIBUTES: &str = "sun/nio/fs/UnixFileAttributes";
const TIME: &str = "()Ljava/nio/file/attribute/FileTime;";
const PROVIDER: &str = "sun/nio/fs/UnixFileSystemProvider";
/// The classes of `Files.move`, in older and newer JDKs.
const MOVERS: [&str; 2] = ["sun/nio/fs/UnixCopyFile", "sun/nio/fs/UnixFileSystem"];
const ATTRIBUTES: &str = "(JLsun/nio/fs/UnixFileAttributes;)V";
const NANOS: i64 = 1_000_000_000;
/// Flags of `open` on Linux.
const WRITE_ONLY: i32 = 1;
const READ_WRITE: i32 = 2;
const CREATE: i32 = 0o100;
const EXCLUSIVE: i32 = 0o200;
const TRUNCATE: i32 = 0o1000;
const APPEND: i32 = 0o2000;
const DIRECTORY: i32 = 0o200_000;
const NO_FOLLOW: i32 = 0o400_000;
/// `AT_SYMLINK_NOFOLLOW` of Linux.
const AT_NO_FOLLOW: i32 = 0x100;
/// The user's name.
const USER_NAME: &str = "cupping-user";

pub(super) const NATIVES: &[Native] = &[
    // As on a file system without user attributes, and a kernel without change notifications.
    row(CLASS, "fgetxattr0", "(IJJI)I", |m, _| Err(failure(m, Errno::NotSupported))),
    row(CLASS, "fsetxattr0", "(IJJI)V", |m, _| Err(failure(m, Errno::NotSupported))),
    row(CLASS, "fremovexattr0", "(IJ)V", |m, _| Err(failure(m, Errno::NotSupported))),
    row(CLASS, "flistxattr", "(IJI)I", |m, _| Err(failure(m, Errno::NotSupported))),
    row("sun/nio/fs/LinuxWatchService", "inotifyInit", "()I", |m, _| {
        // With `java` there are notifications.
        m.note(Effect::UnknownNative("sun.nio.fs.LinuxWatchService.inotifyInit".into()));
        Err(failure(m, Errno::NoSystemCall))
    }),
    row(CLASS, "init", "()I", capabilities),
    row(CLASS, "getcwd", "()[B", |m, _| bytes(m, WORKING_DIRECTORY.as_bytes())),
    row(CLASS, "open0", "(JII)I", open),
    row(CLASS, "close0", "(I)V", |m, a| {
        let descriptor = a.int(m, 0);
        let closed = m.registers.cold.disk.close(descriptor);
        void(m, closed)
    }),
    row(CLASS, "link0", "(JJ)V", |m, a| {
        let (from, to, now) = (path(m, a, 0)?, path(m, a, 2)?, system_calls::file_time(m));
        let linked = m.registers.cold.disk.add_name(&from, &to, now);
        void(m, linked)
    }),
    row(CLASS, "unlink0", "(J)V", |m, a| remove(m, a, false)),
    row(CLASS, "rmdir0", "(J)V", |m, a| remove(m, a, true)),
    row(CLASS, "rename0", "(JJ)V", |m, a| {
        let (from, to, now) = (path(m, a, 0)?, path(m, a, 2)?, system_calls::file_time(m));
        let renamed = m.registers.cold.disk.rename(&from, &to, now);
        void(m, renamed)
    }),
    row(CLASS, "mkdir0", "(JI)V", |m, a| {
        let (at, mode, now) = (path(m, a, 0)?, a.int(m, 2) as u32 & !UMASK, system_calls::file_time(m));
        let made = m.registers.cold.disk.make_directory(&at, mode, now);
        void(m, made)
    }),
    row(CLASS, "readlink0", "(J)[B", |m, a| {
        let at = path(m, a, 0)?;
        let target = m.disk().target(&at);
        let target = check(m, target)?;
        bytes(m, &target)
    }),
    row(CLASS, "realpath0", "(J)[B", |m, a| {
        let at = path(m, a, 0)?;
        let real = m.disk().real_path(&at);
        let real = check(m, real)?;
        bytes(m, &real)
    }),
    row(CLASS, "symlink0", "(JJ)V", |m, a| {
        let (target, at, now) = (path(m, a, 0)?, path(m, a, 2)?, system_calls::file_time(m));
        let made = m.registers.cold.disk.make_link(&target, &at, now);
        void(m, made)
    }),
    row(CLASS, "stat0", ATTRIBUTES, |m, a| {
        let found = stat(m, a, true)?;
        void(m, found)
    }),
    row(CLASS, "stat0", "(JLsun/nio/fs/UnixFileAttributes;)I", |m, a| {
        let found = stat(m, a, true)?;
        int(found.err().map_or(0, Errno::number))
    }),
    row(CLASS, "stat1", "(J)I", |m, a| {
        let at = path(m, a, 0)?;
        let found = m.disk().inspect(&at, true);
        int(found.map_or(0, |(_, entry)| entry.full_mode() as i32))
    }),
    row(CLASS, "lstat0", ATTRIBUTES, |m, a| {
        let found = stat(m, a, false)?;
        void(m, found)
    }),
    row(CLASS, "fstat", "(ILsun/nio/fs/UnixFileAttributes;)V", stat_open),
    row(CLASS, "fstat0", "(ILsun/nio/fs/UnixFileAttributes;)V", stat_open),
    row(CLASS, "chown0", "(JII)V", |m, a| change_owner(m, a, true)),
    row(CLASS, "lchown0", "(JII)V", |m, a| change_owner(m, a, false)),
    row(CLASS, "fchown", "(III)V", change_open_owner),
    row(CLASS, "fchown0", "(III)V", change_open_owner),
    row(CLASS, "chmod0", "(JI)V", |m, a| {
        let (at, mode) = (path(m, a, 0)?, a.int(m, 2) as u32 & 0o7777);
        change(m, &at, true, |entry| entry.mode = mode)
    }),
    row(CLASS, "fchmod", "(II)V", change_open_mode),
    row(CLASS, "fchmod0", "(II)V", change_open_mode),
    row(CLASS, "utimes0", "(JJJ)V", |m, a| set_times(m, a, 0, true, 1000)),
    row(CLASS, "lutimes0", "(JJJ)V", |m, a| set_times(m, a, 0, false, 1000)),
    row(CLASS, "utimensat0", "(IJJJI)V", |m, a| {
        let follow = a.int(m, 7) & AT_NO_FOLLOW == 0;
        set_times(m, a, 1, follow, 1)
    }),
    row(CLASS, "futimes", "(IJJ)V", |m, a| set_open_times(m, a, 1000)),
    row(CLASS, "futimens", "(IJJ)V", |m, a| set_open_times(m, a, 1)),
    row(CLASS, "futimens0", "(IJJ)V", |m, a| set_open_times(m, a, 1)),
    row(CLASS, "opendir0", "(J)J", |m, a| {
        let at = path(m, a, 0)?;
        let names = m.disk().names(&at);
        let names = check(m, names)?;
        long(m.registers.cold.disk.list(names))
    }),
    row(CLASS, "closedir", "(J)V", |m, a| {
        let listing = a.long(m, 0);
        m.registers.cold.disk.end_listing(listing);
        Ok(VOID)
    }),
    row(CLASS, "readdir", "(J)[B", next_name),
    row(CLASS, "readdir0", "(J)[B", next_name),
    row(CLASS, "read", "(IJI)I", read),
    row(CLASS, "read0", "(IJI)I", read),
    row(CLASS, "write", "(IJI)I", write),
    row(CLASS, "write0", "(IJI)I", write),
    row(CLASS, "access0", "(JI)V", |m, a| {
        let granted = access(m, a)?;
        void(m, granted)
    }),
    row(CLASS, "access0", "(JI)I", |m, a| int(access(m, a)?.err().map_or(0, Errno::number))),
    row(CLASS, "exists0", "(J)Z", |m, a| {
        let at = looked_up(m, a, 0)?;
        super::support::boolean(m.disk().inspect(&at, true).is_ok())
    }),
    row(CLASS, "getpwuid", "(I)[B", name_of),
    row(CLASS, "getgrgid", "(I)[B", name_of),
    row(CLASS, "getpwnam0", "(J)I", number_of_name),
    row(CLASS, "getgrnam0", "(J)I", number_of_name),
    row(CLASS, "statvfs0", "(JLsun/nio/fs/UnixFileStoreAttributes;)V", stat_store),
    row(CLASS, "strerror", "(I)[B", |m, a| {
        let text = Errno::message_of(a.int(m, 0));
        bytes(m, text.as_bytes())
    }),
    row(CLASS, "fchmodatNoFollowSupported0", "()Z", super::support::ZERO),
    row(LINUX, "init", "()V", NOTHING),
    row(LINUX, "setmntent0", "(JJ)J", |m, _| {
        // The mounts differ from computer to computer.
        m.note(Effect::File { path: "/proc/mounts".into(), access: Access::Read });
        long(m.registers.cold.disk.list(vec![b"/".to_vec()]))
    }),
    row(LINUX, "getmntent0", "(JLsun/nio/fs/UnixMountEntry;JI)I", next_mount),
    row(LINUX, "endmntent", "(J)V", |m, a| {
        let listing = a.long(m, 0);
        m.registers.cold.disk.end_listing(listing);
        Ok(VOID)
    }),
    // There are no lines: `getmntent0` needs no buffer.
    row(CLASS, "getlinelen", "(J)I", super::support::MINUS_ONE),
    row(CLASS, "rewind", "(J)V", NOTHING),
    row(LINUX, "posix_fadvise", "(IJJI)I", super::support::ZERO),
    row(LINUX, "directCopy0", "(IIJ)I", |m, a| {
        copy(m, a)?;
        int(0)
    }),
    row(FILE_ATTRIBUTES, "lastModifiedTime", TIME, |m, a| time(m, a, "st_mtime_sec", "st_mtime_nsec")),
    row(FILE_ATTRIBUTES, "lastAccessTime", TIME, |m, a| time(m, a, "st_atime_sec", "st_atime_nsec")),
    row(FILE_ATTRIBUTES, "creationTime", TIME, |m, a| time(m, a, "st_birthtime_sec", "st_birthtime_nsec")),
    row(FILE_ATTRIBUTES, "ctime", TIME, |m, a| time(m, a, "st_ctime_sec", "st_ctime_nsec")),
    row("sun/nio/fs/UnixFileKey", "toString", "()Ljava/lang/String;", |m, a| {
        let (device, inode) = (m.named(a.reference(m, 0), "st_dev"), m.named(a.reference(m, 0), "st_ino"));
        m.registers.volatile_reads += 1;
        reference(m.new_text(&format!("(dev={device:x},ino={inode})"))?)
    }),
    row("sun/nio/fs/UnixFileSystem", "bufferedCopy0", "(IIJIJ)V", copy),
    row("sun/nio/fs/UnixCopyFile", "transfer", "(IIJ)V", copy),
];

/// Capabilities of this platform by the names of the flags, whose numbers differ between JDKs.
fn capabilities(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let class = m.load(CLASS)?;
    let names = ["SUPPORTS_FUTIMES", "SUPPORTS_FUTIMENS", "SUPPORTS_LUTIMES", "SUPPORTS_BIRTHTIME"];
    int(names.iter().fold(0, |sum, name| sum | m.static_field(class, name).unwrap_or(0) as i32))
}

fn failure(m: &mut Machine, errno: Errno) -> Trap {
    match m.new_throwable("sun/nio/fs/UnixException", None) {
        Ok(exception) => {
            m.set_named(exception, "errno", errno.number() as u64);
            Trap::Throw(exception)
        }
        Err(trap) => trap,
    }
}

fn check<T>(m: &mut Machine, result: FileResult<T>) -> Step<T> {
    result.map_err(|errno| failure(m, errno))
}

fn void(m: &mut Machine, result: FileResult<()>) -> Step<NativeOutcome> {
    check(m, result)?;
    Ok(VOID)
}

fn bytes(m: &mut Machine, bytes: &[u8]) -> Step<NativeOutcome> {
    reference(m.new_byte_array(bytes)?)
}

/// The zero-terminated path whose address is at this slot; also enters given files at this path into the tree.
fn path(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<u8>> {
    let path = path_text(m, args, slot)?;
    m.enter_given(&path);
    Ok(path)
}

/// The same for a call that only asks what is at the path.
fn looked_up(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<u8>> {
    let path = path_text(m, args, slot)?;
    m.enter_looked_up(&path);
    Ok(path)
}

fn path_text(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<u8>> {
    let mut at = args.long(m, slot) as u64;
    let mut path = Vec::new();
    loop {
        let byte = jdk_internal_misc_unsafe::read_outside(m, at, 1)?[0];
        bytes::fix_bytes(m, at, 1)?;
        if byte == 0 {
            return Ok(path);
        }
        path.push(byte);
        if path.len() > 1 << 16 {
            return Err(failure(m, Errno::NameTooLong));
        }
        at += 1;
    }
}

fn open(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (at, flags, mode) = (path(m, args, 0)?, args.int(m, 2), args.int(m, 3) as u32);
    let has = |flag| flags & flag != 0;
    let write = has(WRITE_ONLY) || has(READ_WRITE);
    let wanted = Mode {
        read: !has(WRITE_ONLY),
        write,
        append: has(APPEND),
        create: has(CREATE),
        exclusive: has(EXCLUSIVE),
        truncate: has(TRUNCATE),
        no_follow: has(NO_FOLLOW),
        directory: has(DIRECTORY),
    };
    let now = system_calls::file_time(m);
    let opened = m.disk().open(&at, wanted, mode & !UMASK & 0o7777, now);
    int(check(m, opened)?)
}

fn remove(m: &mut Machine, args: &Args, directory: bool) -> Step<NativeOutcome> {
    let (at, now) = (path(m, args, 0)?, system_calls::file_time(m));
    let removed = m.registers.cold.disk.remove(&at, directory, now);
    void(m, removed)
}

fn stat(m: &mut Machine, args: &Args, follow: bool) -> Step<FileResult<()>> {
    let at = looked_up(m, args, 0)?;
    let attributes = args.non_null(m, 2)?;
    // The JDK asks what exists in order to remove it: nothing here, but perhaps elsewhere.
    if !follow && (m.is_within(PROVIDER, "implDelete") || MOVERS.iter().any(|it| m.is_within(it, "move"))) {
        m.registers.cold.disk.record_deletion(&at);
    }
    let found = m.disk().inspect(&at, follow).map(|(inode, entry)| (inode, entry.clone()));
    Ok(found.map(|(inode, entry)| fill(m, attributes, inode, &entry)))
}

fn stat_open(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, attributes) = (args.int(m, 0), args.non_null(m, 1)?);
    let disk = &m.registers.cold.disk;
    let found = disk.get(descriptor).and_then(|open| Ok((open.inode, disk.entry(descriptor)?.clone())));
    let (inode, entry) = check(m, found)?;
    fill(m, attributes, inode, &entry);
    Ok(VOID)
}

/// A time of a file. All other attributes are the same on every computer that has the same files.
fn time(m: &mut Machine, args: &Args, seconds: &str, nanos: &str) -> Step<NativeOutcome> {
    let convert = m.jdk_method(FILE_ATTRIBUTES, "toFileTime", "(JJ)Ljava/nio/file/attribute/FileTime;")?;
    let attributes = args.reference(m, 0);
    let parts = [seconds, nanos].map(|name| m.named(attributes, name));
    m.registers.volatile_reads += 1;
    Ok(NativeOutcome::Call(convert, parts.map(|part| Value::long(part as i64)).to_vec()))
}

/// Sets the fields of `UnixFileAttributes`.
fn fill(m: &mut Machine, attributes: Addr, inode: u64, entry: &FileEntry) {
    let values = [
        ("st_mode", entry.full_mode().into()),
        ("st_ino", inode),
        ("st_dev", 1),
        ("st_rdev", 0),
        ("st_nlink", entry.links.into()),
        ("st_uid", entry.owner.into()),
        ("st_gid", entry.owner.into()),
        ("st_size", entry.length()),
        ("birthtime_available", 1),
    ];
    for (name, value) in values {
        m.set_named(attributes, name, value);
    }
    for (seconds, nanos, time) in [
        ("st_atime_sec", "st_atime_nsec", entry.accessed),
        ("st_mtime_sec", "st_mtime_nsec", entry.modified),
        ("st_ctime_sec", "st_ctime_nsec", entry.changed),
        ("st_birthtime_sec", "st_birthtime_nsec", entry.made),
    ] {
        m.set_named(attributes, seconds, time.div_euclid(NANOS) as u64);
        m.set_named(attributes, nanos, time.rem_euclid(NANOS) as u64);
    }
}

/// Only a change to the present owner is allowed.
fn change_owner(m: &mut Machine, args: &Args, follow: bool) -> Step<NativeOutcome> {
    let (at, owner) = (path(m, args, 0)?, args.int(m, 2));
    let changed = m.registers.cold.disk.change_owner(&at, follow, owner);
    void(m, changed)
}

fn change_open_owner(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, owner) = (args.int(m, 0), args.int(m, 1));
    if owner >= 0 && owner as u32 != USER {
        return Err(failure(m, Errno::NotPermitted));
    }
    change_open(m, descriptor, |_| ())
}

fn change(
    m: &mut Machine,
    at: &[u8],
    follow: bool,
    change: impl FnOnce(&mut FileEntry),
) -> Step<NativeOutcome> {
    let now = system_calls::file_time(m);
    let changed = m.registers.cold.disk.change(at, follow, now, change);
    void(m, changed)
}

fn change_open(m: &mut Machine, descriptor: i32, change: impl FnOnce(&mut FileEntry)) -> Step<NativeOutcome> {
    let now = system_calls::file_time(m);
    let changed = m.registers.cold.disk.change_open(descriptor, now, change);
    void(m, changed)
}

fn change_open_mode(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, mode) = (args.int(m, 0), args.int(m, 1) as u32 & 0o7777);
    change_open(m, descriptor, |entry| entry.mode = mode)
}

/// Sets access and modification time of the path at this slot, given in units of this number of nanoseconds.
fn set_times(m: &mut Machine, args: &Args, slot: u32, follow: bool, unit: i64) -> Step<NativeOutcome> {
    let at = path(m, args, slot)?;
    let times = [2, 4].map(|after| args.long(m, slot + after).saturating_mul(unit));
    change(m, &at, follow, |entry| [entry.accessed, entry.modified] = times)
}

fn set_open_times(m: &mut Machine, args: &Args, unit: i64) -> Step<NativeOutcome> {
    let times = [1, 3].map(|slot| args.long(m, slot).saturating_mul(unit));
    change_open(m, args.int(m, 0), |entry| [entry.accessed, entry.modified] = times)
}

fn next_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let listing = args.long(m, 0);
    match m.registers.cold.disk.next_name(listing) {
        Some(name) => bytes(m, &name),
        None => reference(0),
    }
}

fn read(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, at, wanted) = (args.int(m, 0), args.long(m, 1) as u64, args.int(m, 3).max(0));
    unsafe_memory::check_outside(m, at, wanted as u64)?;
    let read = system_calls::read_file(m, descriptor, None, wanted as usize);
    let read = check(m, read)?;
    bytes::put_bytes(m, at, &read);
    int(read.plain.len() as i32)
}

fn write(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, at, length) = (args.int(m, 0), args.long(m, 1) as u64, args.int(m, 3).max(0));
    unsafe_memory::check_outside(m, at, length as u64)?;
    let content = bytes::bytes_at(m, at, length as u64);
    let written = system_calls::write_file(m, descriptor, None, &content);
    check(m, written)?;
    int(length)
}

fn access(m: &mut Machine, args: &Args) -> Step<FileResult<()>> {
    let (at, wanted) = (looked_up(m, args, 0)?, args.int(m, 2) as u32 & 7);
    Ok(m.disk().may(&at, wanted))
}

fn name_of(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    m.registers.volatile_reads += 1;
    match args.int(m, 0) as u32 {
        0 => bytes(m, b"root"),
        USER => bytes(m, USER_NAME.as_bytes()),
        _ => reference(0),
    }
}

fn number_of_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = path(m, args, 0)?;
    int(match &*name {
        b"root" => 0,
        name if name == USER_NAME.as_bytes() => USER as i32,
        _ => -1,
    })
}

fn stat_store(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let at = path(m, args, 0)?;
    let attributes = args.non_null(m, 2)?;
    let found = m.disk().inspect(&at, true).map(|_| ());
    check(m, found)?;
    let (free, all) = (m.registers.cold.disk.free() / 4096, m.registers.cold.disk.capacity() / 4096);
    for (name, value) in [("f_frsize", 4096), ("f_blocks", all), ("f_bfree", free), ("f_bavail", free)] {
        m.set_named(attributes, name, value);
    }
    Ok(VOID)
}

/// The only mount is that of the root.
fn next_mount(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (listing, entry) = (args.long(m, 0), args.non_null(m, 2)?);
    let Some(place) = m.registers.cold.disk.next_name(listing) else { return int(-1) };
    for (name, text) in [("name", &b"memory"[..]), ("dir", &place), ("fstype", b"tmpfs"), ("opts", b"rw")] {
        let array = m.new_byte_array(text)?;
        m.set_named(entry, name, array as u64);
    }
    m.set_named(entry, "dev", 1);
    int(0)
}

/// Copies the rest of one open file (argument 1) into another (argument 0).
fn copy(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    const PIECE: usize = 1 << 16;
    let (to, from) = (args.int(m, 0), args.int(m, 1));
    loop {
        let piece = system_calls::read_file(m, from, None, PIECE);
        let piece = check(m, piece)?;
        if piece.plain.is_empty() {
            return Ok(VOID);
        }
        let written = system_calls::write_file(m, to, None, &piece);
        check(m, written)?;
    }
}
