//! The system calls that a JVM may make, and those reported to the monitor.

use libc::c_long;

/// How the monitor treats a reported call. Numbers are argument positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// A file is opened; `flags` say whether for writing or creation.
    Open { folder: Option<u8>, path: u8, flags: Option<u8> },
    /// A path is created or changed.
    File { act: crate::AttemptKind, folder: Option<u8>, path: u8 },
    /// File attributes are changed, which the monitor does itself.
    Attributes(Attributes),
    /// A thread or process is created, depending on the flags.
    Clone { flags: u8 },
    /// A program is executed.
    Execute,
    /// A process is created.
    Fork,
    /// A socket is opened.
    Socket,
    /// A signal is sent to the process given by an argument.
    Signal { process: u8 },
}

/// How file attributes are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// `chmod`.
    Mode { folder: Option<u8>, path: u8, mode: u8 },
    /// `fchmod`.
    OpenMode { file: u8, mode: u8 },
    /// `utimensat`; without a path, it applies to the file descriptor in the first argument.
    Times { folder: u8, path: u8, times: u8, flags: u8 },
    /// `utimes`, with microseconds.
    OldTimes { path: u8, times: u8 },
    /// All variants of `chown`.
    Owner { folder: Option<u8>, path: u8 },
    /// `fchown`.
    OpenOwner { file: u8 },
}

/// Calls that are reported to the monitor. Without a monitor they are refused, except for those that Landlock
/// covers.
pub fn reported() -> Vec<(c_long, Report)> {
    use crate::AttemptKind::{CreateFolder, CreateNode, Link, Remove, Rename, Write};
    use Attributes::{Mode, OpenMode, OpenOwner, Owner, Times};
    let at = |act, folder, path| Report::File { act, folder: Some(folder), path };
    #[allow(unused_mut)]
    let mut calls = vec![
        (libc::SYS_openat, Report::Open { folder: Some(0), path: 1, flags: Some(2) }),
        (libc::SYS_unlinkat, at(Remove, 0, 1)),
        (libc::SYS_renameat, at(Rename, 0, 1)),
        (libc::SYS_renameat2, at(Rename, 0, 1)),
        (libc::SYS_mkdirat, at(CreateFolder, 0, 1)),
        (libc::SYS_linkat, at(Link, 2, 3)),
        (libc::SYS_symlinkat, at(Link, 1, 2)),
        (libc::SYS_mknodat, at(CreateNode, 0, 1)),
        (libc::SYS_truncate, Report::File { act: Write, folder: None, path: 0 }),
        (libc::SYS_fchmodat, Report::Attributes(Mode { folder: Some(0), path: 1, mode: 2 })),
        (libc::SYS_fchmod, Report::Attributes(OpenMode { file: 0, mode: 1 })),
        (libc::SYS_fchownat, Report::Attributes(Owner { folder: Some(0), path: 1 })),
        (libc::SYS_fchown, Report::Attributes(OpenOwner { file: 0 })),
        (libc::SYS_utimensat, Report::Attributes(Times { folder: 0, path: 1, times: 2, flags: 3 })),
        (libc::SYS_clone, Report::Clone { flags: 0 }),
        (libc::SYS_execve, Report::Execute),
        (libc::SYS_execveat, Report::Execute),
        (libc::SYS_socket, Report::Socket),
        (libc::SYS_kill, Report::Signal { process: 0 }),
        (libc::SYS_tkill, Report::Signal { process: 0 }),
        (libc::SYS_tgkill, Report::Signal { process: 0 }),
    ];
    #[cfg(target_arch = "x86_64")]
    {
        let on = |act, path| Report::File { act, folder: None, path };
        calls.extend([
            (libc::SYS_open, Report::Open { folder: None, path: 0, flags: Some(1) }),
            (libc::SYS_creat, Report::Open { folder: None, path: 0, flags: None }),
            (libc::SYS_unlink, on(Remove, 0)),
            (libc::SYS_rmdir, on(Remove, 0)),
            (libc::SYS_rename, on(Rename, 0)),
            (libc::SYS_mkdir, on(CreateFolder, 0)),
            (libc::SYS_link, on(Link, 1)),
            (libc::SYS_symlink, on(Link, 1)),
            (libc::SYS_mknod, on(CreateNode, 0)),
            (libc::SYS_chmod, Report::Attributes(Mode { folder: None, path: 0, mode: 1 })),
            (libc::SYS_chown, Report::Attributes(Owner { folder: None, path: 0 })),
            (libc::SYS_lchown, Report::Attributes(Owner { folder: None, path: 0 })),
            (libc::SYS_utimes, Report::Attributes(Attributes::OldTimes { path: 0, times: 1 })),
            (libc::SYS_fork, Report::Fork),
            (libc::SYS_vfork, Report::Fork),
        ]);
    }
    calls
}

/// Calls that fail as if the kernel did not know them, so that libraries fall back to older calls. Their
/// parameters are in memory, which a filter cannot inspect.
pub const UNKNOWN: &[c_long] =
    &[libc::SYS_clone3, libc::SYS_openat2, SYS_FCHMODAT2, libc::SYS_io_uring_setup, libc::SYS_memfd_create];

/// `fchmodat2`, which has the same number on all architectures.
const SYS_FCHMODAT2: c_long = 452;

/// Calls that every JVM may make: they affect only the process itself or files that are already open.
pub fn harmless() -> Vec<c_long> {
    #[allow(unused_mut)]
    let mut calls = vec![
        // Reading and writing open files.
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_pread64,
        libc::SYS_pwrite64,
        libc::SYS_preadv,
        libc::SYS_pwritev,
        libc::SYS_preadv2,
        libc::SYS_pwritev2,
        libc::SYS_lseek,
        libc::SYS_close,
        libc::SYS_close_range,
        libc::SYS_dup,
        libc::SYS_dup3,
        libc::SYS_fcntl,
        libc::SYS_flock,
        libc::SYS_fsync,
        libc::SYS_fdatasync,
        libc::SYS_ftruncate,
        libc::SYS_fallocate,
        libc::SYS_fadvise64,
        libc::SYS_sendfile,
        libc::SYS_copy_file_range,
        libc::SYS_splice,
        libc::SYS_getdents64,
        libc::SYS_pipe2,
        // Querying files.
        libc::SYS_fstat,
        libc::SYS_newfstatat,
        libc::SYS_statx,
        libc::SYS_statfs,
        libc::SYS_fstatfs,
        libc::SYS_faccessat,
        libc::SYS_faccessat2,
        libc::SYS_readlinkat,
        libc::SYS_getcwd,
        libc::SYS_getxattr,
        libc::SYS_lgetxattr,
        libc::SYS_fgetxattr,
        libc::SYS_listxattr,
        libc::SYS_llistxattr,
        libc::SYS_flistxattr,
        libc::SYS_umask,
        // Memory.
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_msync,
        libc::SYS_mincore,
        libc::SYS_brk,
        libc::SYS_get_mempolicy,
        // Threads and time.
        libc::SYS_futex,
        libc::SYS_futex_waitv,
        libc::SYS_set_tid_address,
        libc::SYS_set_robust_list,
        libc::SYS_get_robust_list,
        libc::SYS_rseq,
        libc::SYS_membarrier,
        libc::SYS_getcpu,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_getparam,
        libc::SYS_sched_getscheduler,
        libc::SYS_sched_get_priority_max,
        libc::SYS_sched_get_priority_min,
        libc::SYS_getpriority,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_gettimeofday,
        libc::SYS_times,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
        // Signals within the process.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_rt_sigsuspend,
        libc::SYS_rt_sigtimedwait,
        libc::SYS_rt_sigpending,
        libc::SYS_sigaltstack,
        // Waiting.
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        libc::SYS_epoll_create1,
        libc::SYS_epoll_ctl,
        libc::SYS_epoll_pwait,
        libc::SYS_epoll_pwait2,
        libc::SYS_eventfd2,
        libc::SYS_timerfd_create,
        libc::SYS_timerfd_settime,
        libc::SYS_timerfd_gettime,
        libc::SYS_wait4,
        libc::SYS_waitid,
        // Querying the process and the system.
        libc::SYS_getpid,
        libc::SYS_getppid,
        libc::SYS_gettid,
        libc::SYS_getuid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getegid,
        libc::SYS_getgroups,
        libc::SYS_getresuid,
        libc::SYS_getresgid,
        libc::SYS_getpgid,
        libc::SYS_getsid,
        libc::SYS_getrusage,
        libc::SYS_getrlimit,
        libc::SYS_uname,
        libc::SYS_sysinfo,
        libc::SYS_getrandom,
        // The JDK uses a socket pair to close files. A pair is connected to itself and cannot be given an
        // address.
        libc::SYS_socketpair,
        libc::SYS_shutdown,
        libc::SYS_getsockname,
        libc::SYS_getsockopt,
        libc::SYS_prctl,
    ];
    #[cfg(target_arch = "x86_64")]
    calls.extend([
        libc::SYS_stat,
        libc::SYS_lstat,
        libc::SYS_access,
        libc::SYS_readlink,
        libc::SYS_dup2,
        libc::SYS_pipe,
        libc::SYS_getdents,
        libc::SYS_poll,
        libc::SYS_select,
        libc::SYS_pause,
        libc::SYS_time,
        libc::SYS_epoll_create,
        libc::SYS_epoll_wait,
        libc::SYS_eventfd,
        libc::SYS_getpgrp,
        libc::SYS_arch_prctl,
    ]);
    calls
}

/// Allowed `ioctl` requests: available bytes, blocking mode, close-on-exec, terminal test.
pub const REQUESTS: &[u64] = &[libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX, libc::TCGETS];
