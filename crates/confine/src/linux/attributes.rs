//! File attributes, which Landlock does not cover: the monitor changes them on behalf of the process, within
//! the writable folders.
//!
//! It opens the file relative to such a folder in a way that cannot leave it, even if the process changes the
//! path concurrently, and changes attributes of the open file.

use super::calls::Attributes as Change;
use super::syscalls::{Answer, SystemCall};
use super::tracee;
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, ResolveFlags, Timespec, Timestamps, UTIME_NOW, chmodat, open, openat2,
    utimensat,
};
use rustix::io::Errno;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Changes attributes of files below certain folders.
#[derive(Debug)]
pub struct Attributes {
    folders: Vec<(PathBuf, OwnedFd)>,
}

impl Change {
    /// The file of a call.
    pub fn path(self, call: &SystemCall, is_valid: &dyn Fn() -> bool) -> Option<PathBuf> {
        let argument = |position: u8| call.arguments[usize::from(position)];
        let found = match self {
            Change::Mode { folder, path, .. } | Change::Owner { folder, path } => {
                tracee::path(call.thread, folder.map(argument), argument(path))
            }
            Change::Times { folder, path, .. } if argument(path) == 0 => {
                tracee::open_path(call.thread, argument(folder) as i32)
            }
            Change::Times { folder, path, .. } => {
                tracee::path(call.thread, Some(argument(folder)), argument(path))
            }
            Change::OldTimes { path, .. } => tracee::path(call.thread, None, argument(path)),
            Change::OpenMode { file, .. } | Change::OpenOwner { file } => {
                tracee::open_path(call.thread, argument(file) as i32)
            }
        };
        found.filter(|_| is_valid())
    }
}

impl Attributes {
    /// For files below these folders. Missing ones are ignored.
    pub fn below<'a>(roots: impl Iterator<Item = &'a Path>) -> Attributes {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // The kernel reports real paths for opened files, so use real paths here too.
        let opened = roots.filter_map(|root| {
            let root = root.canonicalize().ok()?;
            let folder = open(&root, flags, Mode::empty()).ok()?;
            Some((root, folder))
        });
        Attributes { folders: opened.collect() }
    }

    /// Performs a call if its file is below one of the folders.
    pub fn change(&self, change: Change, call: &SystemCall, path: Option<&Path>) -> Answer {
        let place = path.and_then(|path| {
            self.folders.iter().find_map(|(root, folder)| Some((folder, path.strip_prefix(root).ok()?)))
        });
        let Some((folder, inner)) = place else { return Answer::Refuse(libc::EPERM) };
        match Self::change_inner(change, call, folder, inner) {
            Ok(()) => Answer::Done,
            Err(error) => Answer::Refuse(error.raw_os_error()),
        }
    }

    fn change_inner(change: Change, call: &SystemCall, folder: &OwnedFd, inner: &Path) -> Result<(), Errno> {
        let argument = |position: u8| call.arguments[usize::from(position)];
        let is_of_link = matches!(change, Change::Times { flags, .. } if argument(flags) as i32 & libc::AT_SYMLINK_NOFOLLOW != 0);
        let follow = if is_of_link { OFlags::NOFOLLOW } else { OFlags::empty() };
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let inner = if inner.as_os_str().is_empty() { Path::new(".") } else { inner };
        let file = openat2(folder, inner, OFlags::PATH | OFlags::CLOEXEC | follow, Mode::empty(), beneath)
            .map_err(|error| if error == Errno::XDEV { Errno::PERM } else { error })?;
        let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
        match change {
            // Set-user-ID and similar bits are not allowed.
            Change::Mode { mode, .. } | Change::OpenMode { mode, .. } => {
                chmodat(CWD, opened, Mode::from_raw_mode(argument(mode) as u32 & 0o777), AtFlags::empty())
            }
            Change::Times { times, .. } => {
                let times = times_at(call.thread, argument(times), 1)?;
                if is_of_link { Ok(()) } else { utimensat(CWD, opened, &times, AtFlags::empty()) }
            }
            Change::OldTimes { times, .. } => {
                let times = times_at(call.thread, argument(times), 1000)?;
                utimensat(CWD, opened, &times, AtFlags::empty())
            }
            // Owners never change. Copying a file with its attributes sets the owner that it already has.
            Change::Owner { .. } | Change::OpenOwner { .. } => Ok(()),
        }
    }
}

/// Reads two time stamps from a thread's memory: seconds, and a fraction in units of this many nanoseconds. A
/// null address means now.
fn times_at(thread: u32, address: u64, unit: i64) -> Result<Timestamps, Errno> {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    if address == 0 {
        return Ok(Timestamps { last_access: now, last_modification: now });
    }
    let bytes = tracee::bytes(thread, address, 32).ok_or(Errno::FAULT)?;
    let number = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[at * 8..at * 8 + 8]);
        i64::from_ne_bytes(word)
    };
    let time = |at: usize| Timespec { tv_sec: number(at), tv_nsec: number(at + 1).saturating_mul(unit) };
    Ok(Timestamps { last_access: time(0), last_modification: time(2) })
}
