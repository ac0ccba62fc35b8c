//! Frozen states of the whole machine.

use super::frame::Frame;
use super::registers::Registers;
use super::value::Shadow;
use crate::memory::Version;

/// A frozen state of the whole machine.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) version: Version,
    pub(crate) stack: Box<[u64]>,
    pub(crate) shadows: Box<[Shadow]>,
    /// All but the frames.
    pub(crate) registers: Registers,
    /// Apart, so that going back needs no memory.
    pub(crate) frames: Box<[Frame]>,
    /// The moment of [`crate::choices::slots::Choices`].
    pub(crate) choices: usize,
}
