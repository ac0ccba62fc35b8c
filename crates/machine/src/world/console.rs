//! The standard streams of the outermost run: the destination of output as it is written, and the source of
//! input.
//!
//! Input that has been read stays here, and the position in it is a part of the state: all forks read the same
//! bytes.

use std::fmt::{self, Debug, Formatter};
use std::io::Read;

/// Takes the bytes written to a descriptor, 1 or 2.
type Sink = Box<dyn FnMut(u8, &[u8])>;

/// Bytes that are asked of the source at once.
const PIECE: usize = 8192;

/// The standard streams.
#[derive(Default)]
pub struct Console {
    sink: Option<Sink>,
    source: Option<Box<dyn Read>>,
    read: Vec<u8>,
    muted: bool,
}

impl Console {
    /// Mutes output or restores it; returns whether it was muted.
    pub(crate) fn mute(&mut self, muted: bool) -> bool {
        std::mem::replace(&mut self.muted, muted)
    }

    /// Sends output to this function as it is written, instead of keeping it in the registers.
    pub fn set_sink(&mut self, sink: impl FnMut(u8, &[u8]) + 'static) {
        self.sink = Some(Box::new(sink));
    }

    /// Sets the source of standard input; without it, input is empty.
    pub fn set_source(&mut self, source: impl Read + 'static) {
        self.source = Some(Box::new(source));
    }

    /// Hands output to the sink; false if there is none.
    pub(crate) fn write(&mut self, descriptor: u8, bytes: &[u8]) -> bool {
        match &mut self.sink {
            _ if self.muted => true,
            None => false,
            Some(sink) => {
                sink(descriptor, bytes);
                true
            }
        }
    }

    /// Input from this position on, as much as one read of the source returns; empty at its end.
    pub(crate) fn input(&mut self, from: usize) -> &[u8] {
        if from >= self.read.len()
            && let Some(source) = &mut self.source
        {
            let mut piece = [0; PIECE];
            // An error of the host's is the end of the input.
            let length = source.read(&mut piece).unwrap_or(0);
            if length == 0 {
                self.source = None;
            }
            self.read.extend_from_slice(&piece[..length]);
        }
        self.read.get(from..).unwrap_or_default()
    }

    /// Input from this position on that is available without waiting.
    pub(crate) fn available(&self, from: usize) -> usize {
        self.read.len().saturating_sub(from)
    }
}

impl Debug for Console {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Console { sink, source, read, muted } = self;
        f.debug_struct("Console")
            .field("sink", &sink.is_some())
            .field("source", &source.is_some())
            .field("read", &read.len())
            .field("muted", muted)
            .finish()
    }
}
