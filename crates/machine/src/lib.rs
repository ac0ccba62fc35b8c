//! The forkable Java virtual machine.
//!
//! A [`Machine`] interprets class files against the class library of a JDK. Its whole state can be frozen
//! ([`Machine::snapshot`]) and taken up again ([`Machine::restore`]) in microseconds. Values may carry a
//! *shadow*, the term they are the value of; where a shadow decides what happens, [`Machine::run`] comes
//! back with the [`Decision`], and the explorer chooses.

mod access;
mod arrays;
mod beside;
mod boot;
mod choice_slots;
mod class;
mod code;
mod data_flow;
mod decode;
mod dynamic;
mod effects;
mod exit;
mod format;
mod fuse;
mod gc;
mod heap;
mod heights;
mod helpful;
mod hidden;
mod holes;
mod init;
mod interpret;
mod invoke;
mod launch;
mod layout;
mod link;
mod loaders;
mod machine;
pub mod memory;
pub mod modules;
mod monitors;
pub mod natives;
mod replace;
mod requirements;
mod resolve;
mod safepoint;
mod sandbox;
mod seldom;
mod slots;
mod state;
mod symbolic;
mod threads;
mod throw;
mod track;
mod verify;
mod watch;
mod written;

pub use arrays::MAX_TABLE;
pub use boot::BootError;
pub use class::{Body, Class, ClassId, ClassKind, Field, Kind, Method, MethodId, SignatureId, Telling};
pub use code::{CallSite, Code, Handler, Insn, Op, Place, Site, Switch};
pub use data_flow::{ContentsAccess, DefUse, Definition, ELEMENT, FieldKeys};
pub use decode::{DecodeError, Marks, decode};
pub use dynamic::StubResult;
pub use exit::{Decision, DecisionKind, Exit, Halt, OTHER_VALUES, Step, Trap};
pub use gc::Collect;
pub use holes::{ChoiceSet, Comparison, HOLE, MARKS};
pub use launch::Ending;
pub use layout::{ARRAY_BASE, ARRAY_HEADER, InitState, OBJECT_HEADER, element_byte};
pub use link::{parse_kinds, primitive_name};
pub use machine::{Limits, Machine};
pub use memory::Addr;

pub use sandbox::{Console, Exported, Settings, TEST_FOLDER};
pub use state::{Frame, HeapShadow, Purpose, Registers, Shadow, Snapshot, Value};
pub use symbolic::{shadow_of, sort_of, term_of};
pub use threads::{Stopped, Why};
pub use throw::TraceRow;
pub use verify::Verification;
pub use watch::{Call, Left, Observer, WatchScope};
