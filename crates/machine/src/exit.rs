//! How a run of the machine ends or pauses, and how an instruction can fail to complete.

use crate::classes::ClassId;
use crate::code::Site;
use crate::memory::Addr;
use crate::state::Value;
use cupping_term::TermId;

/// Why [`Machine::run`](crate::Machine::run) returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Exit {
    /// The entry method returned.
    Returned(Value),
    /// An exception left the entry method.
    Threw(Addr),
    /// A symbolic value decides how the run continues. Running again continues on the side of the concrete
    /// values.
    Decision(Decision),
    /// The run was ended from within or by a limit.
    Halted(Halt),
}

/// Why a run was stopped short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// `System.exit` or `Runtime.halt` with this status.
    Exit(i32),
    /// No fuel is left: most likely an endless loop.
    OutOfFuel,
    /// Every thread waits for another one; the text lists what each waits for, with the stacks.
    Deadlock(String),
    /// Something that the machine does not support; the text names it.
    Unsupported(String),
    /// The run has reached the place with this number, at which it was asked to pause
    /// ([`Machine::pause_at`](crate::Machine::pause_at)); it can continue.
    Arrived(u32),
}

/// What a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DecisionKind {
    /// `if` and its like.
    Branch,
    /// `tableswitch` and `lookupswitch`.
    Switch,
    /// Divisor is zero.
    DivisionCheck,
    /// Index is within bounds.
    BoundsCheck,
    /// Array size is negative.
    SizeCheck,
    /// A symbolic value fixed to its concrete one: an array index under heap simulation, an argument of a
    /// native method, an array size.
    Concretization,
    /// Operands at the edge of a comparison are requested (see `requirements`).
    Boundary,
    /// Operands whose result overflows are requested.
    Overflow,
}

impl DecisionKind {
    /// Whether the side taken adds no constraint: the path continues unchanged, and the only other side is the
    /// requested one.
    pub fn is_required(self) -> bool {
        matches!(self, DecisionKind::Boundary | DecisionKind::Overflow)
    }
}

/// A point where a symbolic value decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Where.
    pub site: Site,
    /// About what.
    pub kind: DecisionKind,
    /// The constraint that the concrete values satisfy.
    pub taken: TermId,
    /// Constraints of the other sides. Together with `taken` they cover all values, and no two hold at once.
    pub others: Vec<TermId>,
    /// The side that `taken` is:
    /// - for a branch or check, 0 for "falls through" or "check fails", 1 for "jumps" or "check holds";
    /// - for a switch, the index of the case, or the number of cases for the default;
    /// - for a concretization, the value if it has 32 bits (except -1), else a hash of it;
    /// - for a requirement, the number of its probe, which also denotes the other side.
    pub side: u32,
}

/// The side of a concretization that represents all other values.
pub const OTHER_VALUES: u32 = u32::MAX;

impl Decision {
    /// The sides of [`Decision::others`], in their order.
    pub fn other_sides(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        let (side, kind) = (self.side, self.kind);
        (0..self.others.len() as u32).map(move |at| match kind {
            DecisionKind::Concretization => OTHER_VALUES,
            kind if kind.is_required() => side,
            _ => at + (at >= side) as u32,
        })
    }
}

/// Why an instruction did not complete.
#[derive(Debug)]
pub enum Trap {
    /// It throws this exception.
    Throw(Addr),
    /// It throws a new exception of this class with this message.
    Raise(&'static str, Option<String>),
    /// This number of words of memory is not available: the instruction runs again after a collection, or
    /// throws `OutOfMemoryError`.
    NoMemory(u64),
    /// A frame was pushed (a static initialiser); the instruction runs again afterwards.
    Restart,
    /// The run pauses or ends; when it continues, the instruction runs again.
    Exit(Exit),
    /// A class failed to load; becomes a `NoClassDefFoundError`.
    Missing(String),
    /// Initialisation of this class failed earlier.
    Erroneous(ClassId),
    /// The thread has to stop, once compiled code has been left.
    Block(crate::threads::StopReason),
    /// The call has to be made once compiled code has been left.
    Unwind,
}

impl Trap {
    /// The trap for what the machine does not support.
    pub fn unsupported(what: impl Into<String>) -> Trap {
        Trap::Exit(Exit::Halted(Halt::Unsupported(what.into())))
    }
}

/// The result of a part of an instruction.
pub type Step<T> = Result<T, Trap>;
