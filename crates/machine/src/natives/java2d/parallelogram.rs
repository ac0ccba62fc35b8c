//! Parallelograms: rectangles under a transform, filled or drawn, with hard edges or with coverage.

use super::clip::{Area, parts};
use super::lines::Pen;
use super::mask::Fill;
use super::surface::Surface;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};

const MASK_FILL: &str = "sun/java2d/loops/MaskFill";

pub(super) const NATIVES: &[Native] = &[
    row(
        "sun/java2d/loops/FillParallelogram",
        "FillParallelogram",
        "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;DDDDDD)V",
        |m, a| hard(m, a, Outline::read(m, a, 3, false)),
    ),
    row(
        "sun/java2d/loops/DrawParallelogram",
        "DrawParallelogram",
        "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;DDDDDDDD)V",
        |m, a| {
            let outline = Outline::read(m, a, 3, true);
            if outline.is_thin { thin(m, a, &outline) } else { hard(m, a, outline) }
        },
    ),
    row(
        MASK_FILL,
        "FillAAPgram",
        "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;Ljava/awt/Composite;DDDDDD)V",
        |m, a| smooth(m, a, Outline::read(m, a, 4, false)),
    ),
    row(
        MASK_FILL,
        "DrawAAPgram",
        "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;Ljava/awt/Composite;DDDDDDDD)V",
        |m, a| smooth(m, a, Outline::read(m, a, 4, true)),
    ),
];

type Point = (f64, f64);

/// The corners of a parallelogram, and of the hole in it.
struct Outline {
    outer: [Point; 4],
    hole: Option<[Point; 4]>,
    /// The corners without widths, and whether no line is wider than a pixel.
    middle: [Point; 4],
    is_thin: bool,
}

fn corners((x, y): Point, (dx1, dy1): Point, (dx2, dy2): Point) -> [Point; 4] {
    [(x, y), (x + dx1, y + dy1), (x + dx1 + dx2, y + dy1 + dy2), (x + dx2, y + dy2)]
}

impl Outline {
    /// A corner, two sides, and for a drawn one the widths of its lines in parts of the sides.
    fn read(m: &Machine, a: &Args, slot: u32, is_drawn: bool) -> Outline {
        let at = |index: u32| a.double(m, slot + 2 * index);
        let (x, y, dx1, dy1, dx2, dy2) = (at(0), at(1), at(2), at(3), at(4), at(5));
        let middle = corners((x, y), (dx1, dy1), (dx2, dy2));
        if !is_drawn {
            return Outline { outer: middle, hole: None, middle, is_thin: false };
        }
        let (wide1, wide2) = (at(6), at(7));
        let (half_x, half_y) = ((dx1 * wide1 + dx2 * wide2) / 2.0, (dy1 * wide1 + dy2 * wide2) / 2.0);
        let side = |sign: f64| {
            let (first, second) = (1.0 + sign * wide1, 1.0 + sign * wide2);
            corners(
                (x - sign * half_x, y - sign * half_y),
                (dx1 * first, dy1 * first),
                (dx2 * second, dy2 * second),
            )
        };
        let hole = (wide1 < 1.0 && wide2 < 1.0).then(|| side(-1.0));
        let is_thin = dx1.hypot(dy1) * wide1 <= 1.0001 && dx2.hypot(dy2) * wide2 <= 1.0001;
        Outline { outer: side(1.0), hole, middle, is_thin }
    }

    /// The pixels that it may touch.
    fn bounds(&self) -> Area {
        let least = |of: fn(&Point) -> f64| self.outer.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Point) -> f64| self.outer.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        Area {
            x1: least(|p| p.0).floor() as i32,
            y1: least(|p| p.1).floor() as i32,
            x2: most(|p| p.0).ceil() as i32,
            y2: most(|p| p.1).ceil() as i32,
        }
    }
}

/// The columns whose centres lie within a convex shape, in this row.
fn columns(shape: &[Point; 4], row: i32) -> Option<(i32, i32)> {
    let middle = f64::from(row) + 0.5;
    let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
    for index in 0..4 {
        let (mut from, mut to) = (shape[index], shape[(index + 1) % 4]);
        if from.1 > to.1 {
            std::mem::swap(&mut from, &mut to);
        }
        if from.1 <= middle && middle < to.1 {
            let x = from.0 + (middle - from.1) * (to.0 - from.0) / (to.1 - from.1);
            left = left.min(x);
            right = right.max(x);
        }
    }
    (left <= right).then(|| ((left - 0.5).ceil() as i32, (right - 0.5).ceil() as i32))
}

fn hard(m: &mut Machine, a: &Args, outline: Outline) -> Step<NativeOutcome> {
    let graphics = a.non_null(m, 1)?;
    let to = Surface::open(m, a.non_null(m, 2)?)?;
    let pixel = m.named(graphics, "pixel") as u32;
    let clip = m.named(graphics, "clipRegion") as Addr;
    for part in parts(m, clip, outline.bounds().intersect(Area::of(&to))) {
        for y in part.y1..part.y2 {
            let Some((first, end)) = columns(&outline.outer, y) else { continue };
            let hole = outline.hole.as_ref().and_then(|it| columns(it, y)).unwrap_or((0, 0));
            for x in first.max(part.x1)..end.min(part.x2) {
                if !(hole.0..hole.1).contains(&x) {
                    to.set_raw(m, x, y, pixel);
                }
            }
        }
    }
    Ok(VOID)
}

/// Lines of one pixel between the corners.
fn thin(m: &mut Machine, a: &Args, outline: &Outline) -> Step<NativeOutcome> {
    let pen = Pen::of(m, a)?;
    let pixels = outline.middle.map(|(x, y)| (x.floor() as i32, y.floor() as i32));
    // Where a line passes between two pixels, its direction decides.
    for (from, to) in [(0, 1), (2, 1), (3, 2), (0, 3)] {
        pen.line(m, pixels[from], pixels[to]);
    }
    Ok(VOID)
}

/// The part of a convex shape on one side of an axis-parallel line.
fn cut(shape: &[Point], value: impl Fn(&Point) -> f64) -> Vec<Point> {
    let mut kept = Vec::with_capacity(shape.len() + 1);
    for (index, point) in shape.iter().enumerate() {
        let next = &shape[(index + 1) % shape.len()];
        let (here, there) = (value(point), value(next));
        if here >= 0.0 {
            kept.push(*point);
        }
        if (here >= 0.0) != (there >= 0.0) {
            let part = here / (here - there);
            kept.push((point.0 + (next.0 - point.0) * part, point.1 + (next.1 - point.1) * part));
        }
    }
    kept
}

/// The area of a shape within a pixel.
fn coverage(shape: &[Point; 4], x: i32, y: i32) -> f64 {
    let (x, y) = (f64::from(x), f64::from(y));
    let mut left = cut(shape, |p| p.0 - x);
    left = cut(&left, |p| x + 1.0 - p.0);
    left = cut(&left, |p| p.1 - y);
    left = cut(&left, |p| y + 1.0 - p.1);
    let twice: f64 = (0..left.len())
        .map(|index| {
            let ((ax, ay), (bx, by)) = (left[index], left[(index + 1) % left.len()]);
            (ax - x) * (by - y) - (bx - x) * (ay - y)
        })
        .sum();
    twice.abs() / 2.0
}

fn smooth(m: &mut Machine, a: &Args, outline: Outline) -> Step<NativeOutcome> {
    let graphics = a.non_null(m, 1)?;
    let to = Surface::open(m, a.non_null(m, 2)?)?;
    let fill = Fill::of(m, a.reference(m, 0), graphics, a.reference(m, 3), &to);
    let clip = m.named(graphics, "clipRegion") as Addr;
    for part in parts(m, clip, outline.bounds().intersect(Area::of(&to))) {
        for y in part.y1..part.y2 {
            for x in part.x1..part.x2 {
                let hole = outline.hole.as_ref().map_or(0.0, |it| coverage(it, x, y));
                let cover = ((coverage(&outline.outer, x, y) - hole) * 255.9999) as u32;
                if cover > 0 {
                    fill.draw(m, &to, (x, y), if cover >= 255 { None } else { Some(cover) });
                }
            }
        }
    }
    Ok(VOID)
}
