//! `DrawLine` and `DrawPolygons`: lines of one pixel by Bresenham's rule; halves go away from the first point.

use super::clip::{Area, parts};
use super::loops::XOR;
use super::mask::composite_type;
use super::surface::Surface;
use crate::classes::Kind;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};

pub(super) const NATIVES: &[Native] = &[
    row(
        "sun/java2d/loops/DrawLine",
        "DrawLine",
        "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;IIII)V",
        |m, a| {
            let pen = Pen::of(m, a)?;
            pen.line(m, (a.int(m, 3), a.int(m, 4)), (a.int(m, 5), a.int(m, 6)));
            Ok(VOID)
        },
    ),
    row(
        "sun/java2d/loops/DrawPolygons",
        "DrawPolygons",
        "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;[I[I[IIIIZ)V",
        polygons,
    ),
];

/// A surface, what is visible of it, and the colour.
pub(super) struct Pen {
    to: Surface,
    clip: Vec<Area>,
    pixel: u32,
    /// Bits to invert instead.
    inverted: Option<u32>,
}

impl Pen {
    pub(super) fn of(m: &mut Machine, a: &Args) -> Step<Pen> {
        let graphics = a.non_null(m, 1)?;
        let to = Surface::open(m, a.non_null(m, 2)?)?;
        let pixel = m.named(graphics, "pixel") as u32;
        let clip = parts(m, m.named(graphics, "clipRegion") as Addr, Area::of(&to));
        let is_xor = composite_type(m, a.reference(m, 0)) == XOR;
        let inverted = is_xor.then(|| {
            let composite = m.named(graphics, "composite") as Addr;
            let int = |name| m.named(composite, name) as u32;
            (pixel ^ int("xorPixel")) & !int("alphaMask")
        });
        Ok(Pen { to, clip, pixel, inverted })
    }

    fn point(&self, m: &mut Machine, x: i32, y: i32) {
        let raw = match self.inverted {
            Some(bits) => self.to.raw(m, x, y) ^ bits,
            None => self.pixel,
        };
        self.to.set_raw(m, x, y, raw);
    }

    pub(super) fn line(&self, m: &mut Machine, from: (i32, i32), to: (i32, i32)) {
        let (x1, y1, x2, y2) = (i64::from(from.0), i64::from(from.1), i64::from(to.0), i64::from(to.1));
        let (dx, dy) = (x2 - x1, y2 - y1);
        let steep = dy.abs() > dx.abs();
        let (long, short) = if steep { (dy, dx) } else { (dx, dy) };
        let (start, other) = if steep { (y1, x1) } else { (x1, y1) };
        // On packed pixels the JDK steps from byte to byte along flat sloping lines.
        let stride = match self.to.format.bits_of_index() {
            Some(bits) if !steep && short != 0 => i64::from(8 / bits),
            _ => 1,
        };
        for part in &self.clip {
            let (low, high) = if steep { (part.y1, part.y2) } else { (part.x1, part.x2) };
            // The steps at which the longer coordinate is visible.
            let (first, last) = if long >= 0 {
                (i64::from(low) - start, i64::from(high) - 1 - start)
            } else {
                (start - i64::from(high) + 1, start - i64::from(low))
            };
            for step in (first.max(0)..=last.min(long.abs())).filter(|step| step % stride == 0) {
                let across =
                    if long == 0 { 0 } else { (2 * step * short.abs() + long.abs()) / (2 * long.abs()) };
                let (u, v) = (start + step * long.signum(), other + across * short.signum());
                let (x, y) = if steep { (v, u) } else { (u, v) };
                let columns = i64::from(part.x1)..i64::from(part.x2);
                if columns.contains(&x) && (i64::from(part.y1)..i64::from(part.y2)).contains(&y) {
                    self.point(m, x as i32, y as i32);
                }
            }
        }
    }
}

fn polygons(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let (xs, ys, counts) = (a.non_null(m, 3)?, a.non_null(m, 4)?, a.non_null(m, 5)?);
    let (right, down, is_closed) = (a.int(m, 7), a.int(m, 8), a.int(m, 9) != 0);
    let pen = Pen::of(m, a)?;
    let points = m.array_length(xs).min(m.array_length(ys));
    let mut first = 0;
    for polygon in 0..(a.int(m, 6).max(0) as u32).min(m.array_length(counts)) {
        let count = (m.element(counts, polygon, Kind::Int) as u32).min(points - first);
        let point = |m: &Machine, index: u32| {
            let at = |array, by: i32| (m.element(array, first + index, Kind::Int) as i32).wrapping_add(by);
            (at(xs, right), at(ys, down))
        };
        for index in 1..count {
            let (from, to) = (point(m, index - 1), point(m, index));
            pen.line(m, from, to);
        }
        if is_closed && count > 1 {
            let (from, to) = (point(m, count - 1), point(m, 0));
            pen.line(m, from, to);
        }
        first += count;
    }
    Ok(VOID)
}
