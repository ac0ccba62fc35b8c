//! Which system calls a JVM may make, and of which the monitor is told.

use libc::c_long;

/// What the monitor does with a call that it is told of. Positions are those of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// A file is opened, for writing or creation if `flags` say so.
    Open { folder: Option<u8>, path: u8, flags: Option<u8> },
    /// Something is made or changed at a path.
    File { act: crate::Act, folder: Option<u8>, path: u8 },
    /// Attributes of a file change: the monitor does it.
    Attributes(Attributes),
    /// A thread or a process is made, as the flags say.
    Clone { flags: u8 },
    /// A program is run.
    Execute,
    /// A process is made.
    Fork,
    /// A socket is opened.
    Socket,
    /// A signal is sent to the process of an argument.
    Signal { process: u8 },
}

/// How attributes of a file are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// `chmod`.
    Mode { folder: Option<u8>, path: u8, mode: u8 },
    /// `fchmod`.
    OpenMode { file: u8, mode: u8 },
    /// `utimensat`; without a path the file of its first argument.
    Times { folder: u8, path: u8, times: u8, flags: u8 },
    /// `utimes`, with microseconds.
    OldTimes { path: u8, times: u8 },
    /// `chown` of any kind.
    Owner { folder: Option<u8>, path: u8 },
    /// `fchown`.
    OpenOwner { file: u8 },
}

/// Calls that the monitor is told of, if there is one; without it they are refused, but for those that Landlock judges.
pub fn reported() -> Vec<(c_long, Report)> {
    use crate::Act::{CreateFolder, CreateNode, Link, Remove, Rename, Write};
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

/// Calls that are answered as if the kernel did not know them, so that libraries go the old way, which is judged: what they
/// do is said in memory, where a filter cannot look.
pub const UNKNOWN: &[c_long] =
    &[libc::SYS_clone3, libc::SYS_openat2, SYS_FCHMODAT2, libc::SYS_io_uring_setup, libc::SYS_memfd_create];

/// `fchmodat2`, the same number on all architectures.
const SYS_FCHMODAT2: c_long = 452;

/// Calls that any JVM may make: they change nothing but the process itself, or files that it has opened already.
pub fn harmless() -> Vec<c_long> {
    #[allow(unused_mut)]
    let mut calls = vec![
        // Reading and writing what is open.
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
        // What is known about files.
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
        // What is known about the process and the system.
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
        // The JDK closes files with the help of a pair. A pair is connected to itself, and no address can be given to it.
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

/// Requests of `ioctl` that are allowed: how much can be read, whether reading waits, whether it is a terminal.
pub const REQUESTS: &[u64] = &[libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX, libc::TCGETS];
