//! The forkable Java virtual machine.
//!
//! A [`Machine`] interprets class files against the class library of a JDK. Its whole state can be frozen
//! ([`Machine::snapshot`]) and resumed ([`Machine::restore`]) in microseconds. Values may carry a *shadow*, the
//! term whose value they are. If a shadow decides how the run continues, [`Machine::run`] returns the
//! [`Decision`], and the explorer chooses.

mod choices;
mod classes;
mod code;
mod compile;
mod dynamic;
mod exit;
mod gc;
mod heap;
mod interpret;
mod machine;
pub mod memory;
pub mod natives;
mod recording;
mod run;
mod state;
mod symbols;
mod threads;
mod verify;
mod watching;
mod world;

pub use choices::{ChoiceSet, Comparison, HOLE, MARKS};
pub use classes::{
    CallReports, Class, ClassId, ClassKind, Field, Kind, MethodId, SignatureId, SpaceId, parse_kinds,
    primitive_name,
};
pub use code::decode::{DecodeError, Marks, decode};
pub use code::{CallSite, Code, CodeSlot, Handler, Insn, Op, Site, Switch};
pub use compile::Compile;
pub use dynamic::{MAX_RECORDED_CALLS, StubCall, StubResult};
pub use exit::{Decision, DecisionKind, Exit, Halt, OTHER_VALUES, Step, Trap};
pub use gc::CollectionPolicy;
pub use heap::layout::{ARRAY_BASE, ARRAY_HEADER, InitState, OBJECT_HEADER, element_byte};
pub use interpret::WORDS_OF_FUEL;
pub use machine::{Machine, Method, MethodBody, Observer, RunLimits, Schedule};
pub use memory::Addr;
pub use recording::data_flow::{ContentsAccess, ContentsOwner, DefUse, Definition, ELEMENT, FieldKeys};
pub use run::BootError;
pub use run::launch::ProgramEnd;
pub use symbols::arrays::MAX_TABLE;

pub use classes::modules;
pub use run::exceptions::TraceRow;
pub use run::npe_messages::ReferenceOrigin;
pub use state::{Frame, HeapShadow, Purpose, Registers, Shadow, Snapshot, Value};
pub use symbols::{shadow_of, sort_of, term_of};
pub use threads::{Reach, StopReason, StoppedThread};
pub use verify::Verification;
pub use watching::{CallEnd, WatchScope, WatchedCall};
pub use world::{Console, ExportedFile, TEST_FOLDER, WorldOptions};
