//! Threads that are not running: what they wait for, and their saved frames and stack slots.

use crate::classes::ClassId;
use crate::memory::Addr;
use crate::state::{Frame, Shadow};

/// States of threads as JVMTI numbers them.
pub(super) mod status {
    pub(in crate::threads) const TERMINATED: u64 = 0x2;
    pub(in crate::threads) const RUNNABLE: u64 = 0x5;
    pub(in crate::threads) const BLOCKED: u64 = 0x401;
    pub(in crate::threads) const WAITING: u64 = 0x191;
    pub(in crate::threads) const WAITING_TIMED: u64 = 0x1A1;
    pub(in crate::threads) const PARKED: u64 = 0x291;
    pub(in crate::threads) const PARKED_TIMED: u64 = 0x2A1;
    pub(in crate::threads) const SLEEPING: u64 = 0xE1;
}

/// What a stopped thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing: it can continue.
    Ready,
    /// For no other thread to keep the program alive.
    Idle,
    /// The monitor of this object.
    Entering(Addr),
    /// `Object.wait`: for a notification or the deadline, and then for the monitor, to be entered this often.
    Waiting {
        /// The object.
        object: Addr,
        /// How often it held the monitor.
        count: u32,
        /// Nanoseconds on the virtual clock.
        deadline: Option<u64>,
        /// Whether it has been notified and only waits for the monitor.
        notified: bool,
    },
    /// `LockSupport.park`, perhaps with a deadline.
    Parked(Option<u64>),
    /// `Thread.sleep`.
    Sleeping(u64),
    /// For input on a socket, or the deadline.
    Receiving {
        /// The descriptor of the socket.
        descriptor: i32,
        /// Nanoseconds on the virtual clock.
        deadline: Option<u64>,
    },
    /// For another thread to initialise this class.
    Initializing(ClassId),
    /// For cleared references: the JDK's reference handler.
    References,
}

/// A thread that is not running.
#[derive(Clone, Debug)]
pub struct StoppedThread {
    /// The `Thread` object.
    pub thread: Addr,
    /// The number that identifies it in monitors.
    pub number: u32,
    /// What it waits for.
    pub why: StopReason,
    /// Whether it is one of the JDK's own threads, which do nothing for a program by themselves.
    pub system: bool,
    pub(crate) frames: Vec<Frame>,
    pub(crate) stack: Box<[u64]>,
    pub(crate) shadows: Box<[Shadow]>,
    /// Whether it gets an `InterruptedException` when it continues.
    pub(super) interrupted: bool,
}

impl StopReason {
    /// The state of a thread that waits so.
    pub(super) fn status(&self) -> u64 {
        match self {
            StopReason::Ready
            | StopReason::Idle
            | StopReason::Initializing(_)
            | StopReason::References
            | StopReason::Receiving { .. } => status::RUNNABLE,
            StopReason::Entering(_) | StopReason::Waiting { notified: true, .. } => status::BLOCKED,
            StopReason::Waiting { deadline: None, .. } => status::WAITING,
            StopReason::Waiting { deadline: Some(_), .. } => status::WAITING_TIMED,
            StopReason::Parked(None) => status::PARKED,
            StopReason::Parked(Some(_)) => status::PARKED_TIMED,
            StopReason::Sleeping(_) => status::SLEEPING,
        }
    }

    /// The virtual time at which it continues in any case.
    pub(super) fn deadline(&self) -> Option<u64> {
        match self {
            StopReason::Waiting { deadline, .. }
            | StopReason::Parked(deadline)
            | StopReason::Receiving { deadline, .. } => *deadline,
            StopReason::Sleeping(deadline) => Some(*deadline),
            _ => None,
        }
    }
}
