//! `Blit` and `ScaledBlit`: images converted to another format, with XOR, and scaled.

use super::clip::{Area, parts};
use super::format::{Format, gray};
use super::loops::{SRC_OVER_NO_EA, XOR};
use super::mask::composite_type;
use super::surface::Surface;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};

const BLIT: &str =
    "(Lsun/java2d/SurfaceData;Lsun/java2d/SurfaceData;Ljava/awt/Composite;Lsun/java2d/pipe/Region;IIIIII)V";
const SCALE: &str =
    "(Lsun/java2d/SurfaceData;Lsun/java2d/SurfaceData;Ljava/awt/Composite;Lsun/java2d/pipe/Region;IIIIDDDD)V";

pub(super) const NATIVES: &[Native] = &[
    row("sun/java2d/loops/Blit", "Blit", BLIT, blit),
    row("sun/java2d/loops/ScaledBlit", "Scale", SCALE, scale),
];

/// How one pixel is copied.
enum Copy {
    /// All pixels, converted.
    All,
    /// Those that are not transparent.
    Opaque,
    /// Those that are not transparent: the bits in which they differ from the XOR colour are inverted.
    Xor { pixel: u32, kept: u32 },
}

impl Copy {
    fn of(m: &Machine, this: Addr, composite: Addr) -> Copy {
        match composite_type(m, this).as_str() {
            XOR => Copy::Xor {
                pixel: m.named(composite, "xorPixel") as u32,
                kept: m.named(composite, "alphaMask") as u32,
            },
            SRC_OVER_NO_EA => Copy::Opaque,
            _ => Copy::All,
        }
    }

    fn run(&self, m: &mut Machine, (from, sx, sy): (&Surface, i32, i32), (to, x, y): (&Surface, i32, i32)) {
        if from.format == to.format && !to.format.has_palette() && matches!(self, Copy::All) {
            let raw = from.raw(m, sx, sy);
            return to.set_raw(m, x, y, raw);
        }
        let argb = from.argb(m, sx, sy);
        match self {
            Copy::All => {
                let raw = match to.format {
                    Format::ByteIndexed => to.dithered(argb, x, y),
                    _ => converted(m, from, (sx, sy), to, argb),
                };
                to.set_raw(m, x, y, raw);
            }
            Copy::Opaque if argb >> 24 != 0 => {
                let raw =
                    if to.format == Format::ByteIndexed { to.dithered(argb, x, y) } else { to.raw_of(argb) };
                to.set_raw(m, x, y, raw);
            }
            Copy::Xor { pixel, kept } if argb >> 31 != 0 => {
                let raw = to.raw(m, x, y) ^ ((to.raw_of(argb) ^ pixel) & !kept);
                to.set_raw(m, x, y, raw);
            }
            _ => {}
        }
    }
}

/// The pixel of `to` for one of `from`; between grays no colour is computed.
fn converted(m: &Machine, from: &Surface, (x, y): (i32, i32), to: &Surface, argb: u32) -> u32 {
    match (from.format, to.format) {
        (Format::ByteGray, Format::UshortGray) => from.raw(m, x, y) * 257,
        (Format::UshortGray, Format::ByteGray) => from.raw(m, x, y) >> 8,
        (_, Format::ByteGray) => gray(argb >> 16 & 0xFF, argb >> 8 & 0xFF, argb & 0xFF),
        _ => to.raw_of(argb),
    }
}

fn blit(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let (from, to) = (Surface::open(m, a.non_null(m, 1)?)?, Surface::open(m, a.non_null(m, 2)?)?);
    let copy = Copy::of(m, a.reference(m, 0), a.reference(m, 3));
    let (sx, sy, x, y) = (a.int(m, 5), a.int(m, 6), a.int(m, 7), a.int(m, 8));
    let (dx, dy) = (sx.wrapping_sub(x), sy.wrapping_sub(y));
    let area = Area::sized(x, y, a.int(m, 9), a.int(m, 10));
    let area = area.intersect(Area::of(&to)).intersect(Area::of(&from).moved(-dx, -dy));
    for part in parts(m, a.reference(m, 4), area) {
        for row in part.y1..part.y2 {
            for column in part.x1..part.x2 {
                copy.run(m, (&from, column + dx, row + dy), (&to, column, row));
            }
        }
    }
    Ok(VOID)
}

/// Places in the source, in fixed point: with as many bits of fraction as an int leaves for the source's size. Where a
/// centre falls between two pixels, the last bit decides.
struct Steps {
    low: i32,
    high: i32,
    first: i32,
    start: i64,
    step: i64,
    bits: u32,
}

impl Steps {
    fn new(low: i32, high: i32, from: f64, to: f64) -> Steps {
        let size = i64::from((high - low).max(1));
        let bits = size.leading_zeros() - 33;
        let step = ((size << bits) as f64 / (to - from)).floor() as i64;
        let first = (from - 0.5).ceil() as i32;
        let start = ((f64::from(first) + 0.5 - from) * step as f64 + 0.5).floor() as i64;
        Steps { low, high, first, start, step, bits }
    }

    fn at(&self, place: i32) -> i32 {
        let along = (self.start + i64::from(place - self.first) * self.step) >> self.bits;
        (self.low + along as i32).clamp(self.low, self.high - 1)
    }
}

/// Copies the nearest pixel to the centre of each one of the destination.
fn scale(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let (from, to) = (Surface::open(m, a.non_null(m, 1)?)?, Surface::open(m, a.non_null(m, 2)?)?);
    let copy = Copy::of(m, a.reference(m, 0), a.reference(m, 3));
    let source = Area { x1: a.int(m, 5), y1: a.int(m, 6), x2: a.int(m, 7), y2: a.int(m, 8) };
    let [x1, y1, x2, y2] = [9, 11, 13, 15].map(|slot| a.double(m, slot));
    let edge = |at: f64| (at - 0.5).ceil() as i32;
    let area = Area { x1: edge(x1), y1: edge(y1), x2: edge(x2), y2: edge(y2) }.intersect(Area::of(&to));
    let columns = Steps::new(source.x1, source.x2, x1, x2);
    let rows = Steps::new(source.y1, source.y2, y1, y2);
    for part in parts(m, a.reference(m, 4), area) {
        for row in part.y1..part.y2 {
            let sy = rows.at(row);
            for column in part.x1..part.x2 {
                let sx = columns.at(column);
                if from.contains(sx, sy) {
                    copy.run(m, (&from, sx, sy), (&to, column, row));
                }
            }
        }
    }
    Ok(VOID)
}
