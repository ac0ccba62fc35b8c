//! `java.util.zip.Inflater`, over `miniz_oxide`: pure Rust, and its state can be cloned, which a fork needs.

use super::support::{NOTHING, long};
use super::{Args, Native, Outcome, VOID, row};
use crate::class::Kind;
use crate::exit::{Step, Trap};
use crate::layout::element_byte;
use crate::machine::Machine;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use std::rc::Rc;

const CLASS: &str = "java/util/zip/Inflater";

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "initIDs", "()V", NOTHING),
    row(CLASS, "init", "(Z)J", |m, a| {
        let format = if a.int(m, 0) != 0 { DataFormat::Raw } else { DataFormat::Zlib };
        // An object of its own is the address: unique on this path, and the same in every run.
        let address = m.new_byte_array(&[0])? as u64;
        m.registers.inflaters.insert(address, Inflater::new(format));
        long(address as i64)
    }),
    row(CLASS, "inflateBytesBytes", "(J[BII[BII)J", inflate_bytes),
    row(CLASS, "reset", "(J)V", |m, a| {
        let address = a.long(m, 0) as u64;
        if let Some(inflater) = m.registers.inflaters.get_mut(&address) {
            *inflater = Inflater::new(inflater.format);
        }
        Ok(VOID)
    }),
    row(CLASS, "end", "(J)V", |m, a| {
        let address = a.long(m, 0) as u64;
        m.registers.inflaters.remove(&address);
        Ok(VOID)
    }),
];

/// A decompressor in use.
#[derive(Clone)]
pub struct Inflater {
    format: DataFormat,
    state: Rc<InflateState>,
}

impl Inflater {
    fn new(format: DataFormat) -> Inflater {
        Inflater { format, state: Rc::new(InflateState::new(format)) }
    }
}

/// Decompresses from one array into another. The result packs, from the low bits: input used (31 bits),
/// output made (31 bits), whether the stream has ended.
fn inflate_bytes(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let address = args.long(m, 1) as u64;
    let (input, offset, length) = (args.non_null(m, 3)?, args.int(m, 4) as usize, args.int(m, 5) as usize);
    let (output, at, space) = (args.non_null(m, 6)?, args.int(m, 7) as u32, args.int(m, 8) as usize);
    let bytes = m.byte_array(input);
    let closed = || Trap::Raise("java/lang/NullPointerException", Some("Inflater has been closed".into()));
    let part = bytes.get(offset..offset.saturating_add(length)).ok_or_else(closed)?;
    let mut made = vec![0; space];
    let inflater = m.registers.inflaters.get_mut(&address).ok_or_else(closed)?;
    let result = inflate(Rc::make_mut(&mut inflater.state), part, &mut made, MZFlush::None);
    let ended = match result.status {
        Ok(MZStatus::StreamEnd) => true,
        Ok(_) | Err(MZError::Buf) => false,
        Err(_) => {
            let message = Some("invalid compressed data".into());
            return Err(Trap::Raise("java/util/zip/DataFormatException", message));
        }
    };
    for (index, byte) in made[..result.bytes_written].iter().enumerate() {
        let to = element_byte(output, at + index as u32, Kind::Byte.array_bytes());
        m.memory.write_bytes(to, 1, *byte as u64);
        m.set_heap_shadow(to, 1, 0);
    }
    long(result.bytes_consumed as i64 | (result.bytes_written as i64) << 31 | (ended as i64) << 62)
}
