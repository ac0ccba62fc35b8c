//! `java.util.zip.Deflater` and `Inflater`.

use super::support::{NOTHING, int, long};
use super::zlib::{Direction, Progress, Stream};
use super::{Args, Native, NativeOutcome, VOID, row};
use crate::classes::Kind;
use crate::exit::{Step, Trap};
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::ZipStream;
use crate::natives::{bytes, jdk_internal_misc_unsafe, unsafe_memory};
use libz_sys as z;
use std::rc::Rc;

const DEFLATER: &str = "java/util/zip/Deflater";
const INFLATER: &str = "java/util/zip/Inflater";

pub(super) const NATIVES: &[Native] = &[
    row(DEFLATER, "init", "(IIZ)J", |m, a| {
        let stream = Stream::deflate(a.int(m, 0), a.int(m, 1), a.int(m, 2) != 0);
        open(m, stream)
    }),
    row(DEFLATER, "setDictionary", "(J[BII)V", |m, a| set_dictionary(m, a, Piece::of_array(m, a, 2)?)),
    row(DEFLATER, "setDictionaryBuffer", "(JJI)V", |m, a| set_dictionary(m, a, Piece::outside(m, a, 2))),
    row(DEFLATER, "deflateBytesBytes", "(J[BII[BIIII)J", |m, a| {
        deflate(m, a, Piece::of_array(m, a, 3)?, Piece::of_array(m, a, 6)?)
    }),
    row(DEFLATER, "deflateBytesBuffer", "(J[BIIJIII)J", |m, a| {
        deflate(m, a, Piece::of_array(m, a, 3)?, Piece::outside(m, a, 6))
    }),
    row(DEFLATER, "deflateBufferBytes", "(JJI[BIIII)J", |m, a| {
        deflate(m, a, Piece::outside(m, a, 3), Piece::of_array(m, a, 6)?)
    }),
    row(DEFLATER, "deflateBufferBuffer", "(JJIJIII)J", |m, a| {
        deflate(m, a, Piece::outside(m, a, 3), Piece::outside(m, a, 6))
    }),
    row(DEFLATER, "getAdler", "(J)I", adler),
    row(DEFLATER, "reset", "(J)V", reset),
    row(DEFLATER, "end", "(J)V", end),
    row(INFLATER, "initIDs", "()V", NOTHING),
    row(INFLATER, "init", "(Z)J", |m, a| {
        let stream = Stream::inflate(a.int(m, 0) != 0);
        open(m, stream)
    }),
    row(INFLATER, "setDictionary", "(J[BII)V", |m, a| set_dictionary(m, a, Piece::of_array(m, a, 2)?)),
    row(INFLATER, "setDictionaryBuffer", "(JJI)V", |m, a| set_dictionary(m, a, Piece::outside(m, a, 2))),
    row(INFLATER, "inflateBytesBytes", "(J[BII[BII)J", |m, a| {
        inflate(m, a, Piece::of_array(m, a, 3)?, Piece::of_array(m, a, 6)?)
    }),
    row(INFLATER, "inflateBytesBuffer", "(J[BIIJI)J", |m, a| {
        inflate(m, a, Piece::of_array(m, a, 3)?, Piece::outside(m, a, 6))
    }),
    row(INFLATER, "inflateBufferBytes", "(JJI[BII)J", |m, a| {
        inflate(m, a, Piece::outside(m, a, 3), Piece::of_array(m, a, 6)?)
    }),
    row(INFLATER, "inflateBufferBuffer", "(JJIJI)J", |m, a| {
        inflate(m, a, Piece::outside(m, a, 3), Piece::outside(m, a, 6))
    }),
    row(INFLATER, "getAdler", "(J)I", adler),
    row(INFLATER, "reset", "(J)V", reset),
    row(INFLATER, "end", "(J)V", end),
];

/// A run of bytes that Java named.
enum Piece {
    Array { array: Addr, offset: u32, length: u32 },
    Outside { address: u64, length: u32 },
}

impl Piece {
    /// Array, offset and length in the slots from `slot` on.
    fn of_array(m: &Machine, args: &Args, slot: u32) -> Step<Piece> {
        let (array, offset, length) = (args.non_null(m, slot)?, args.int(m, slot + 1), args.int(m, slot + 2));
        let end = offset as i64 + length as i64;
        if offset < 0 || length < 0 || end > m.array_length(array) as i64 {
            return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None));
        }
        Ok(Piece::Array { array, offset: offset as u32, length: length as u32 })
    }

    /// Address and length in the slots from `slot` on.
    fn outside(m: &Machine, args: &Args, slot: u32) -> Piece {
        Piece::Outside { address: args.long(m, slot) as u64, length: args.int(m, slot + 2).max(0) as u32 }
    }

    fn length(&self) -> usize {
        match self {
            Piece::Array { length, .. } | Piece::Outside { length, .. } => *length as usize,
        }
    }

    /// The bytes, fixed to their concrete values: zlib knows no terms.
    fn read(&self, m: &mut Machine) -> Step<Vec<u8>> {
        match *self {
            Piece::Array { array, offset, length } => {
                bytes::fix_bytes(m, element_byte(array, offset, 1), length.into())?;
                let mut bytes = m.byte_array(array);
                bytes.truncate((offset + length) as usize);
                Ok(bytes.split_off(offset as usize))
            }
            Piece::Outside { address, length } => {
                unsafe_memory::check_outside(m, address, length.into())?;
                bytes::fix_bytes(m, address, length.into())?;
                jdk_internal_misc_unsafe::read_outside(m, address, length.into())
            }
        }
    }

    fn write(&self, m: &mut Machine, bytes: &[u8]) -> Step<()> {
        match *self {
            Piece::Array { array, offset, .. } => {
                for (index, byte) in bytes.iter().enumerate() {
                    let to = element_byte(array, offset + index as u32, Kind::Byte.array_bytes());
                    m.memory.write_bytes(to, 1, *byte as u64);
                    m.set_heap_shadow(to, 1, 0);
                }
                Ok(())
            }
            Piece::Outside { address, .. } => jdk_internal_misc_unsafe::write_outside(m, address, bytes),
        }
    }
}

fn open(m: &mut Machine, stream: Option<Stream>) -> Step<NativeOutcome> {
    let Some(stream) = stream else {
        return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
    };
    // The address of a new object: unique on this path, and the same in every run.
    let address = m.new_byte_array(&[0])? as u64;
    m.registers.cold.zip_streams.insert(address, ZipStream(Rc::new(stream)));
    long(address as i64)
}

/// The stream at an address, owned by this version of the state.
fn stream(m: &mut Machine, address: u64) -> Step<&mut Stream> {
    let closed = || Trap::Raise("java/lang/NullPointerException", Some("stream has been closed".into()));
    let no_memory = || Trap::Raise("java/lang/OutOfMemoryError", None);
    let entry = m.registers.cold.zip_streams.get_mut(&address).ok_or_else(closed)?;
    if Rc::get_mut(&mut entry.0).is_none() {
        let own = entry.0.fork().ok_or_else(no_memory)?;
        entry.0 = Rc::new(own);
    }
    Rc::get_mut(&mut entry.0).ok_or_else(no_memory)
}

/// The packed result of the natives: input used (31 bits), output produced (31 bits), and two flags.
fn packed(consumed: usize, produced: usize, finished: bool, flag: bool) -> Step<NativeOutcome> {
    long(consumed as i64 | (produced as i64) << 31 | (finished as i64) << 62 | (flag as i64) << 63)
}

fn deflate(m: &mut Machine, args: &Args, from: Piece, to: Piece) -> Step<NativeOutcome> {
    let (address, flush, parameters) = (args.long(m, 1) as u64, args.int(m, 9), args.int(m, 10));
    let (input, mut output) = (from.read(m)?, vec![0; to.length()]);
    let compressor = stream(m, address)?;
    let sets = parameters & 1 != 0;
    let Progress { status, consumed, produced } = if sets {
        compressor.set_parameters(&input, &mut output, parameters >> 3, parameters >> 1 & 3)
    } else {
        compressor.work(&input, &mut output, flush)
    };
    let (finished, still_to_set) = match status {
        z::Z_OK => (false, false),
        z::Z_STREAM_END => (!sets, sets),
        z::Z_BUF_ERROR => (false, sets),
        _ => {
            let message = compressor.message();
            return Err(Trap::Raise("java/lang/InternalError", message));
        }
    };
    to.write(m, &output[..produced])?;
    packed(consumed, produced, finished, still_to_set)
}

fn inflate(m: &mut Machine, args: &Args, from: Piece, to: Piece) -> Step<NativeOutcome> {
    let (inflater, address) = (args.non_null(m, 0)?, args.long(m, 1) as u64);
    let (input, mut output) = (from.read(m)?, vec![0; to.length()]);
    let decompressor = stream(m, address)?;
    let Progress { status, consumed, produced } = decompressor.work(&input, &mut output, z::Z_SYNC_FLUSH);
    let message = decompressor.message();
    to.write(m, &output[..produced])?;
    match status {
        z::Z_OK | z::Z_BUF_ERROR => packed(consumed, produced, false, false),
        z::Z_STREAM_END => packed(consumed, produced, true, false),
        z::Z_NEED_DICT => packed(consumed, produced, false, true),
        z::Z_DATA_ERROR => {
            m.set_named(inflater, "inputConsumed", consumed as u64);
            m.set_named(inflater, "outputConsumed", produced as u64);
            Err(Trap::Raise("java/util/zip/DataFormatException", message))
        }
        z::Z_MEM_ERROR => Err(Trap::Raise("java/lang/OutOfMemoryError", None)),
        _ => Err(Trap::Raise("java/lang/InternalError", message)),
    }
}

fn set_dictionary(m: &mut Machine, args: &Args, dictionary: Piece) -> Step<NativeOutcome> {
    let address = args.long(m, 0) as u64;
    let bytes = dictionary.read(m)?;
    let stream = stream(m, address)?;
    let refused = match stream.direction() {
        Direction::Deflate => [z::Z_STREAM_ERROR, z::Z_STREAM_ERROR],
        Direction::Inflate => [z::Z_STREAM_ERROR, z::Z_DATA_ERROR],
    };
    match stream.set_dictionary(&bytes) {
        z::Z_OK => Ok(VOID),
        status if refused.contains(&status) => {
            let message = stream.message();
            Err(Trap::Raise("java/lang/IllegalArgumentException", message))
        }
        _ => {
            let message = stream.message();
            Err(Trap::Raise("java/lang/InternalError", message))
        }
    }
}

fn adler(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let address = args.long(m, 0) as u64;
    int(stream(m, address)?.adler() as i32)
}

fn reset(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let address = args.long(m, 0) as u64;
    stream(m, address)?.reset();
    Ok(VOID)
}

fn end(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let address = args.long(m, 0) as u64;
    m.registers.cold.zip_streams.remove(&address);
    Ok(VOID)
}
