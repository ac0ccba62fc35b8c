//! Streams of zlib, which implement `Deflater` and `Inflater` both on the JDK and here.
//!
//! The JDK links zlib, and a program may print what it compressed: only zlib itself produces the same bytes.
//! `miniz_oxide` and `zlib-rs` are safe Rust but produce different ones. All `unsafe` needed for zlib is in
//! this file.

use libz_sys as z;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::rc::Rc;

/// The window of JDK's streams, in bits: negative for raw data, without zlib's header.
const WINDOW: i32 = 15;
/// zlib's default, which the JDK names too.
const MEMORY_LEVEL: i32 = 8;

/// The direction of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Deflate,
    Inflate,
}

/// The result of a call: zlib's status, and how much of input and output it used.
pub(super) struct Progress {
    pub(super) status: i32,
    pub(super) consumed: usize,
    pub(super) produced: usize,
}

/// A compressor or decompressor in use.
pub(super) struct Stream {
    direction: Direction,
    /// zlib has initialised the stream in place: its state points back here, so it must not move, and the box
    /// never gives it away.
    raw: Box<MaybeUninit<z::z_stream>>,
}

impl Stream {
    /// A compressor of this level and strategy, as `Deflater` numbers them.
    pub(super) fn deflate(level: i32, strategy: i32, raw_data: bool) -> Option<Stream> {
        let window = if raw_data { -WINDOW } else { WINDOW };
        Stream::new(Direction::Deflate, |stream| {
            // SAFETY: `stream` points to zeroes, which zlib takes for its own allocator and no input; version and size
            // are those of the bindings.
            unsafe {
                z::deflateInit2_(
                    stream,
                    level,
                    z::Z_DEFLATED,
                    window,
                    MEMORY_LEVEL,
                    strategy,
                    z::zlibVersion(),
                    size_of::<z::z_stream>() as i32,
                )
            }
        })
    }

    /// A decompressor.
    pub(super) fn inflate(raw_data: bool) -> Option<Stream> {
        let window = if raw_data { -WINDOW } else { WINDOW };
        Stream::new(Direction::Inflate, |stream| {
            // SAFETY: as for `deflate`.
            unsafe { z::inflateInit2_(stream, window, z::zlibVersion(), size_of::<z::z_stream>() as i32) }
        })
    }

    fn new(direction: Direction, initialize: impl FnOnce(z::z_streamp) -> i32) -> Option<Stream> {
        let mut raw = Box::new(MaybeUninit::zeroed());
        if initialize(raw.as_mut_ptr()) != z::Z_OK {
            // Nothing was allocated, so nothing is freed.
            return None;
        }
        Some(Stream { direction, raw })
    }

    /// A separate stream in the same state; `None` if memory is short.
    pub(super) fn fork(&self) -> Option<Stream> {
        let from = self.raw.as_ptr().cast_mut();
        let copy = match self.direction {
            Direction::Deflate => z::deflateCopy,
            Direction::Inflate => z::inflateCopy,
        };
        // SAFETY: `from` is initialised, and copying only reads it; the other is of the right size and written whole.
        Stream::new(self.direction, |to| unsafe { copy(to, from) })
    }

    /// Which way it works.
    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    /// Compresses or decompresses from `input` to `output`, with zlib's kind of flush.
    pub(super) fn work(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Progress {
        let work = match self.direction {
            Direction::Deflate => z::deflate,
            Direction::Inflate => z::inflate,
        };
        // SAFETY: `with` has set valid input and output, and `raw` is initialised.
        self.with(input, output, |stream| unsafe { work(stream, flush) })
    }

    /// Sets level and strategy of a compressor; it may first compress pending input with the old ones.
    pub(super) fn set_parameters(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        level: i32,
        strategy: i32,
    ) -> Progress {
        if self.direction != Direction::Deflate {
            return Progress { status: z::Z_STREAM_ERROR, consumed: 0, produced: 0 };
        }
        // SAFETY: as in `work`, for a compressor.
        self.with(input, output, |stream| unsafe { z::deflateParams(stream, level, strategy) })
    }

    fn with(&mut self, input: &[u8], output: &mut [u8], call: impl FnOnce(z::z_streamp) -> i32) -> Progress {
        let (length, space) = (clamped(input.len()), clamped(output.len()));
        let stream = self.raw.as_mut_ptr();
        // SAFETY: `stream` was initialised by `new`. zlib reads at most `avail_in` bytes of `input` and writes at most
        // `avail_out` to `output`, during the call only: afterwards both are taken away again.
        unsafe {
            (*stream).next_in = input.as_ptr().cast_mut();
            (*stream).avail_in = length;
            (*stream).next_out = output.as_mut_ptr();
            (*stream).avail_out = space;
            let status = call(stream);
            let consumed = (length - (*stream).avail_in) as usize;
            let produced = (space - (*stream).avail_out) as usize;
            (*stream).next_in = std::ptr::null_mut();
            (*stream).avail_in = 0;
            (*stream).next_out = std::ptr::null_mut();
            (*stream).avail_out = 0;
            Progress { status, consumed, produced }
        }
    }

    /// Sets the dictionary; zlib's status.
    pub(super) fn set_dictionary(&mut self, dictionary: &[u8]) -> i32 {
        let set = match self.direction {
            Direction::Deflate => z::deflateSetDictionary,
            Direction::Inflate => z::inflateSetDictionary,
        };
        // SAFETY: zlib copies that many bytes of the dictionary during the call.
        unsafe { set(self.raw.as_mut_ptr(), dictionary.as_ptr(), clamped(dictionary.len())) }
    }

    /// Starts over with the same parameters.
    pub(super) fn reset(&mut self) {
        let reset = match self.direction {
            Direction::Deflate => z::deflateReset,
            Direction::Inflate => z::inflateReset,
        };
        // SAFETY: the stream is initialised, for which resetting cannot fail.
        unsafe { reset(self.raw.as_mut_ptr()) };
    }

    /// The Adler-32 checksum of the uncompressed data, or the value that zlib has in its place.
    pub(super) fn adler(&self) -> u32 {
        // SAFETY: initialised by `new`.
        unsafe { (*self.raw.as_ptr()).adler as u32 }
    }

    /// zlib's message about the last failure.
    pub(super) fn message(&self) -> Option<String> {
        // SAFETY: initialised by `new`; zlib's messages are static strings that end in zero.
        unsafe {
            let message = (*self.raw.as_ptr()).msg;
            (!message.is_null()).then(|| CStr::from_ptr(message).to_string_lossy().into_owned())
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let end = match self.direction {
            Direction::Deflate => z::deflateEnd,
            Direction::Inflate => z::inflateEnd,
        };
        // SAFETY: initialised by `new`, and ended nowhere else.
        unsafe { end(self.raw.as_mut_ptr()) };
    }
}

/// A length as zlib accepts it; the rest waits for the next call.
fn clamped(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_goes_on_by_itself() {
        let text: Vec<u8> = (0..5000u32).map(|i| (i * i % 251) as u8).collect();
        let mut first = Stream::deflate(6, 0, false).unwrap();
        let mut out = vec![0; 9000];
        let begun = first.work(&text[..2000], &mut out, z::Z_NO_FLUSH);
        let mut second = first.fork().unwrap();
        let mut ends = Vec::new();
        for (stream, rest) in [(&mut first, &text[2000..]), (&mut second, &text[..100])] {
            let mut bytes = out[..begun.produced].to_vec();
            let mut end = vec![0; 9000];
            let done = stream.work(rest, &mut end, z::Z_FINISH);
            assert_eq!(done.status, z::Z_STREAM_END);
            bytes.extend(&end[..done.produced]);
            ends.push(bytes);
        }
        for (bytes, whole) in ends.iter().zip([text.clone(), [&text[..2000], &text[..100]].concat()]) {
            let mut back = vec![0; 9000];
            let done = Stream::inflate(false).unwrap().work(bytes, &mut back, z::Z_SYNC_FLUSH);
            assert_eq!((done.status, &back[..done.produced]), (z::Z_STREAM_END, &whole[..]));
        }
    }
}

/// A stream that versions of the state share until one of them continues with it.
#[derive(Clone)]
pub struct ZipStream(pub(super) Rc<Stream>);
