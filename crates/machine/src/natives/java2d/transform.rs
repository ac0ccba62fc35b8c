//! `TransformHelper`: images under affine transforms, with the nearest pixel, bilinear or bicubic interpolation.

use super::blend::{Rule, Scale, Source, composite};
use super::clip::{Area, parts};
use super::loops::SRC_OVER;
use super::mask::composite_type;
use super::surface::Surface;
use crate::classes::Kind;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};
use crate::state::Value;

const TRANSFORM: &str = concat!(
    "(Lsun/java2d/loops/MaskBlit;Lsun/java2d/SurfaceData;Lsun/java2d/SurfaceData;Ljava/awt/Composite;",
    "Lsun/java2d/pipe/Region;Ljava/awt/geom/AffineTransform;IIIIIIIII[III)V"
);

pub(super) const NATIVES: &[Native] =
    &[row("sun/java2d/loops/TransformHelper", "Transform", TRANSFORM, transform)];

/// Places have 32 bits of fraction.
const ONE: i64 = 1 << 32;
const HALF: i64 = 1 << 31;

/// Numbers of `AffineTransformOp`.
const BILINEAR: i32 = 2;
const BICUBIC: i32 = 3;

fn fixed(value: f64) -> i64 {
    (value * ONE as f64).floor() as i64
}

/// The inverse transform, in fixed point: what a step to the right and a step down mean in the source.
struct Steps {
    across: (i64, i64),
    down: (i64, i64),
    /// The centre of the destination's first pixel.
    start: (i64, i64),
}

impl Steps {
    fn of(m: &Machine, inverse: Addr, x: i32, y: i32) -> Steps {
        let at = |name: &str| f64::from_bits(m.named(inverse, name));
        let (m00, m10, m01, m11) = (at("m00"), at("m10"), at("m01"), at("m11"));
        let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
        Steps {
            across: (fixed(m00), fixed(m10)),
            down: (fixed(m01), fixed(m11)),
            start: (fixed(m00 * x + m01 * y + at("m02")), fixed(m10 * x + m11 * y + at("m12"))),
        }
    }

    fn at(&self, right: i32, below: i32) -> (i64, i64) {
        let (right, below) = (i64::from(right), i64::from(below));
        let along = |start: i64, across: i64, down: i64| {
            start.wrapping_add(across.wrapping_mul(right)).wrapping_add(down.wrapping_mul(below))
        };
        (along(self.start.0, self.across.0, self.down.0), along(self.start.1, self.across.1, self.down.1))
    }
}

/// A part of an image to read from; pixels at its edges are repeated outside.
struct Sampler<'a> {
    from: &'a Surface,
    area: Area,
    how: i32,
}

impl Sampler<'_> {
    fn pixel(&self, m: &Machine, x: i64, y: i64) -> u32 {
        let x = x.clamp(0, i64::from(self.area.x2 - self.area.x1) - 1) as i32 + self.area.x1;
        let y = y.clamp(0, i64::from(self.area.y2 - self.area.y1) - 1) as i32 + self.area.y1;
        if self.from.contains(x, y) { self.from.premultiplied(m, x, y) } else { 0 }
    }

    /// The colour at a place, multiplied by alpha.
    fn sample(&self, m: &Machine, (x, y): (i64, i64)) -> u32 {
        match self.how {
            BILINEAR => self.bilinear(m, x - HALF, y - HALF),
            BICUBIC => self.bicubic(m, x - HALF, y - HALF),
            _ => self.pixel(m, x >> 32, y >> 32),
        }
    }

    fn bilinear(&self, m: &Machine, x: i64, y: i64) -> u32 {
        let (left, top) = (x >> 32, y >> 32);
        let (part_x, part_y) = ((x >> 24 & 0xFF) as i32, (y >> 24 & 0xFF) as i32);
        let pixels = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| self.pixel(m, left + dx, top + dy));
        let between = |a: i32, b: i32, part: i32| (a << 8) + (b - a) * part;
        let mut result = 0;
        for shift in [0, 8, 16, 24] {
            let [a, b, c, d] = pixels.map(|it| (it >> shift & 0xFF) as i32);
            let mixed = between(between(a, b, part_x), between(c, d, part_x), part_y);
            result |= (((mixed + (1 << 15)) >> 16) as u32) << shift;
        }
        result
    }

    fn bicubic(&self, m: &Machine, x: i64, y: i64) -> u32 {
        let (left, top) = ((x >> 32) - 1, (y >> 32) - 1);
        let (across, down) = (weights((x >> 24 & 0xFF) as i32), weights((y >> 24 & 0xFF) as i32));
        let mut sums = [1 << 15; 4];
        for (row, weight_y) in down.into_iter().enumerate() {
            for (column, weight_x) in across.into_iter().enumerate() {
                let pixel = self.pixel(m, left + column as i64, top + row as i64);
                for (channel, sum) in sums.iter_mut().enumerate() {
                    *sum += (pixel >> (8 * channel) & 0xFF) as i32 * weight_x * weight_y;
                }
            }
        }
        let alpha = (sums[3] >> 16).clamp(0, 255);
        let [b, g, r] = [0, 1, 2].map(|channel| (sums[channel] >> 16).clamp(0, alpha) as u32);
        (alpha as u32) << 24 | r << 16 | g << 8 | b
    }
}

/// The weights of four pixels in a row, in parts of 256, for a place between the second and the third. They are
/// Keys's cubic with a slope of -0.5, truncated; that of the farthest pixel makes their sum 256.
fn weights(part: i32) -> [i32; 4] {
    let near = |x: f64| (1.5 * x - 2.5) * x * x + 1.0;
    let far = |x: f64| ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0;
    let whole = |value: f64| (value * 256.0) as i32;
    let x = f64::from(part) / 256.0;
    let (second, third) = (whole(near(x)), whole(near(1.0 - x)));
    if part <= 128 {
        let first = whole(far(1.0 + x));
        [first, second, third, 256 - first - second - third]
    } else {
        let last = whole(far(2.0 - x));
        [256 - second - third - last, second, third, last]
    }
}

fn transform(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let (from, to) = (Surface::open(m, a.non_null(m, 2)?)?, Surface::open(m, a.non_null(m, 3)?)?);
    let short = composite_type(m, a.non_null(m, 1)?) == SRC_OVER;
    let rule = Rule::of(m, a.reference(m, 4), short);
    let area = |first: u32| Area {
        x1: a.int(m, first),
        y1: a.int(m, first + 1),
        x2: a.int(m, first + 2),
        y2: a.int(m, first + 3),
    };
    let (source, target) = (area(8), area(12));
    let edges = a.reference(m, 16);
    let steps = Steps::of(m, a.non_null(m, 6)?, target.x1 + a.int(m, 17), target.y1 + a.int(m, 18));
    let sampler = Sampler { from: &from, area: source, how: a.int(m, 7) };
    let (wide, high) = (i64::from(source.x2 - source.x1), i64::from(source.y2 - source.y1));
    let is_inside = |(x, y): (i64, i64)| (0..wide).contains(&(x >> 32)) && (0..high).contains(&(y >> 32));
    let scale = Scale::of(to.format);
    let extra = scale.rounded(rule.extra);
    let visible = target.intersect(Area::of(&to));
    for part in parts(m, a.reference(m, 5), visible) {
        for y in part.y1..part.y2 {
            for x in part.x1..part.x2 {
                let place = steps.at(x - target.x1, y - target.y1);
                if is_inside(place) {
                    let pixel = scale.pixel(sampler.sample(m, place));
                    composite(m, &to, (x, y), rule, Source { pixel, premultiplied: true }, None, extra);
                }
            }
        }
    }
    if edges != 0 {
        let mut set = |index: i32, value: i32| {
            m.set_element_value(edges, index as u32, Kind::Int, Value::int(value));
        };
        set(0, target.y1);
        set(1, target.y2);
        for y in target.y1..target.y2 {
            let row = y - target.y1;
            let mut inside = (target.x1..target.x2).filter(|x| is_inside(steps.at(x - target.x1, row)));
            let first = inside.next().unwrap_or(target.x1);
            let end = inside.next_back().map_or(first, |x| x + 1).max(first);
            let end = if is_inside(steps.at(first - target.x1, row)) { end.max(first + 1) } else { end };
            set(2 + 2 * row, first);
            set(3 + 2 * row, end);
        }
    }
    Ok(VOID)
}
