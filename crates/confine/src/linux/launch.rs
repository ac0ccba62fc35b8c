//! Starts a process that is confined from its first instruction.

#![allow(unsafe_code)]

use super::filter::{Filters, filters};
use super::listener_socket::send;
use super::monitor::{Monitor, Watch};
use super::{landlock, syscalls};
use crate::{ConfineError, JvmLimits, MissingFeature, Policy, PrivateFolder, Support};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Hard limit on the processor time of a child, in seconds.
const LONGEST: u64 = 24 * 60 * 60;

/// The restrictions that the child installs between `fork` and `exec`.
struct Harness {
    rules: Option<OwnedFd>,
    filters: Option<Filters>,
    /// The socket to which the listener is sent.
    to_monitor: Option<OwnedFd>,
    limits: JvmLimits,
}

/// Starts a program under a policy, as far as the kernel can enforce it.
pub fn spawn(
    mut command: Command,
    policy: &Policy,
    folder: &PrivateFolder,
    support: &Support,
) -> Result<(Child, Option<Monitor>), ConfineError> {
    let has = |means| support.has(means);
    let watches = has(MissingFeature::Seccomp) && has(MissingFeature::Notifications);
    let (ours, theirs) = if watches {
        let pair = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None);
        let (ours, theirs) = pair.map_err(|error| ConfineError::Refused(error.to_string()))?;
        (Some(ours), Some(theirs))
    } else {
        (None, None)
    };
    let harness = Harness {
        rules: if has(MissingFeature::Landlock) { landlock::rules(policy, folder)? } else { None },
        filters: if has(MissingFeature::Seccomp) { Some(filters(watches)?) } else { None },
        to_monitor: theirs,
        limits: policy.limits,
    };
    let program = command.get_program().into();
    // A separate process group: Ctrl-C in a terminal is for the parent, which still has tests to certify.
    command.process_group(0);
    // SAFETY: the closure runs between `fork` and `exec` in a process that may have had other threads. It
    // only makes system calls on prepared data, and neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(move || harness.put_on());
    }
    // The monitor must listen before `exec`, which is reported to it.
    let monitor = ours.map(|ours| Monitor::start(ours, Watch::new(policy, folder, support)));
    let child = command.spawn().map_err(|source| ConfineError::Start { program, source });
    // Dropping the command closes the other end of the socket, which tells the monitor if the child never
    // started.
    drop(command);
    Ok((child?, monitor))
}

impl Harness {
    /// Installs the restrictions from weakest to strictest, since each forbids what the next would need.
    fn put_on(&self) -> io::Result<()> {
        self.limit()?;
        if let Some(rules) = &self.rules {
            syscalls::enforce(rules.as_fd())?;
        }
        let Some(filters) = &self.filters else { return Ok(()) };
        if let (Some(notify), Some(to_monitor)) = (&filters.notify, &self.to_monitor) {
            let listener = syscalls::listen(notify)?;
            send(to_monitor.as_fd(), listener.as_fd())?;
        }
        for filter in &filters.others {
            seccompiler::apply_filter(filter).map_err(|_| io::Error::last_os_error())?;
        }
        Ok(())
    }

    fn limit(&self) -> io::Result<()> {
        let JvmLimits { memory, processor_seconds, file_size, open_files, .. } = self.limits;
        let both = |value| Rlimit { current: Some(value), maximum: Some(value) };
        setrlimit(Resource::Core, both(0))?;
        setrlimit(Resource::Data, both(memory))?;
        setrlimit(Resource::Fsize, both(file_size))?;
        let most = rustix::process::getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, both(most.map_or(open_files, |most| most.min(open_files))))?;
        setrlimit(Resource::Cpu, processor_limit(processor_seconds))?;
        Ok(())
    }
}

/// A limit on processor time in seconds that the parent can raise later.
pub fn processor_limit(seconds: u64) -> Rlimit {
    let most = rustix::process::getrlimit(Resource::Cpu).maximum;
    let most = most.map_or(LONGEST, |most| most.min(LONGEST));
    Rlimit { current: Some(seconds.min(most)), maximum: Some(most) }
}
