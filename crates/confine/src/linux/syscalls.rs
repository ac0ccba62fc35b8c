//! System calls that no crate wraps: installing a filter with a listener, and communicating through the
//! listener.

#![allow(unsafe_code)]

use libc::{c_uint, c_ulong, seccomp_notif, seccomp_notif_resp, sock_filter, sock_fprog};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// The kernel's Landlock ABI version; 0 if it has none.
pub fn landlock_version() -> u32 {
    const VERSION: c_uint = 1;
    // SAFETY: with this flag the call reads no memory (landlock_create_ruleset(2)).
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0_usize, VERSION)
    };
    u32::try_from(version).unwrap_or(0)
}

/// Enforces a rule set on the calling thread. It must not allocate: it runs between `fork` and `exec`.
pub fn enforce(rules: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: neither call takes a pointer.
    let done = unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 {
            libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0_u32)
        } else {
            -1
        }
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether the kernel supports filters.
pub fn has_filters() -> bool {
    is_available(libc::SECCOMP_RET_ERRNO)
}

/// Whether a filter can notify a monitor. A process that already has a monitor, for instance its container's,
/// cannot get another one, so this installs a filter on a temporary thread.
pub fn has_notifications() -> bool {
    // `BPF_RET | BPF_K` with the verdict that allows the call.
    let allows = seccompiler::sock_filter { code: 0x06, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW };
    is_available(libc::SECCOMP_RET_USER_NOTIF)
        && std::thread::spawn(move || listen(&[allows]).is_ok()).join().unwrap_or(false)
}

fn is_available(action: u32) -> bool {
    // SAFETY: the call reads four bytes at the pointer, which points to a live u32 (seccomp(2)).
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0_u32, &raw const action) == 0 }
}

/// Installs a filter with a listener on the calling thread. It must not allocate: it runs between `fork` and
/// `exec`.
pub fn listen(filter: &[seccompiler::sock_filter]) -> io::Result<OwnedFd> {
    let program = sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        filter: filter.as_ptr().cast::<sock_filter>().cast_mut(),
    };
    // SAFETY: both instruction types are the kernel's `struct sock_filter`, field by field and `repr(C)`. The
    // kernel copies `len` instructions, which is the length of the slice, and writes nothing.
    // `PR_SET_NO_NEW_PRIVS` takes no pointers.
    let listener = unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &raw const program,
            )
        } else {
            -1
        }
    };
    let Ok(listener @ 0..) = i32::try_from(listener) else { return Err(io::Error::last_os_error()) };
    // SAFETY: the kernel has just created this descriptor for us; nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(listener) })
}

/// A call that waits for the monitor's answer.
#[derive(Clone, Copy, Debug)]
pub struct SystemCall {
    /// Its identifier, for the answer.
    id: u64,
    /// The thread that makes it.
    pub thread: u32,
    /// Its number.
    pub number: i64,
    /// Its arguments.
    pub arguments: [u64; 6],
}

/// The answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The kernel continues, and Landlock checks the call.
    Continue,
    /// The monitor has performed the call: it returns 0.
    Done,
    /// The call fails with this error number.
    Refuse(i32),
}

/// Receives the next call; `None` if its thread was killed in the meantime.
pub fn receive(listener: BorrowedFd<'_>) -> io::Result<Option<SystemCall>> {
    // SAFETY: all fields are integers, for which zero is valid. The kernel requires zeroed memory.
    let mut told: seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the request writes one `struct seccomp_notif` to the pointer, which points to one.
    let result = unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV as c_ulong as _, &raw mut told)
    };
    if result < 0 {
        let error = io::Error::last_os_error();
        return match error.raw_os_error() {
            Some(libc::ENOENT | libc::EINTR) => Ok(None),
            _ => Err(error),
        };
    }
    let number = i64::from(told.data.nr);
    Ok(Some(SystemCall { id: told.id, thread: told.pid, number, arguments: told.data.args }))
}

/// Whether the call still waits, so that memory read from its thread was valid.
pub fn still_waits(listener: BorrowedFd<'_>, call: &SystemCall) -> bool {
    let id = call.id;
    // SAFETY: the request reads eight bytes at the pointer, which points to a live u64.
    unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID as c_ulong as _, &raw const id)
            == 0
    }
}

/// Answers a call. No answer is needed if its thread is gone.
pub fn answer(listener: BorrowedFd<'_>, call: &SystemCall, answer: Answer) {
    let (error, flags) = match answer {
        Answer::Continue => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
        Answer::Done => (0, 0),
        Answer::Refuse(error) => (-error, 0),
    };
    let response = seccomp_notif_resp { id: call.id, val: 0, error, flags };
    // SAFETY: the request reads one `struct seccomp_notif_resp` at the pointer, which points to one.
    unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SEND as c_ulong as _,
            &raw const response,
        );
    }
}
