//! `sun.awt.image.ImagingLib`: affine transforms and convolutions of whole images.
//!
//! Channels are transformed as they are stored, whether or not they are multiplied by alpha. What is answered by 0 is
//! done by the JDK's own Java code.

use super::format::Format;
use super::surface::Surface;
use crate::classes::Kind;
use crate::exit::Step;
use crate::heap::layout::ARRAY_BASE;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::support::{ONE, ZERO, int};
use crate::natives::{Args, Native, NativeOutcome, bytes, row};

const LIBRARY: &str = "sun/awt/image/ImagingLib";

pub(super) const NATIVES: &[Native] = &[
    row(LIBRARY, "init", "()Z", ONE),
    row(
        LIBRARY,
        "transformBI",
        "(Ljava/awt/image/BufferedImage;Ljava/awt/image/BufferedImage;[DI)I",
        |m, a| match same_type(m, a)? {
            Some((from, to)) => affine(m, a, &from, &to),
            None => through_argb(m, a, affine),
        },
    ),
    row(LIBRARY, "transformRaster", "(Ljava/awt/image/Raster;Ljava/awt/image/Raster;[DI)I", |m, a| {
        match rasters(m, a)? {
            Some((from, to)) => affine(m, a, &from, &to),
            None => int(0),
        }
    }),
    row(
        LIBRARY,
        "convolveBI",
        "(Ljava/awt/image/BufferedImage;Ljava/awt/image/BufferedImage;Ljava/awt/image/Kernel;I)I",
        |m, a| match same_type(m, a)? {
            Some((from, to)) => convolve(m, a, &from, &to),
            None => through_argb(m, a, convolve),
        },
    ),
    row(
        LIBRARY,
        "convolveRaster",
        "(Ljava/awt/image/Raster;Ljava/awt/image/Raster;Ljava/awt/image/Kernel;I)I",
        |m, a| match rasters(m, a)? {
            Some((from, to)) => convolve(m, a, &from, &to),
            None => int(0),
        },
    ),
    row(
        LIBRARY,
        "lookupByteBI",
        "(Ljava/awt/image/BufferedImage;Ljava/awt/image/BufferedImage;[[B)I",
        look_up,
    ),
    row(LIBRARY, "lookupByteRaster", "(Ljava/awt/image/Raster;Ljava/awt/image/Raster;[[B)I", ZERO),
];

/// A pair of source and destination.
type Pair = (Channels, Channels);

/// Two rasters that are alike.
fn rasters(m: &mut Machine, a: &Args) -> Step<Option<Pair>> {
    let (from, to) = (a.non_null(m, 0)?, a.non_null(m, 1)?);
    let (Some(from), Some(to)) = (Channels::of(m, from)?, Channels::of(m, to)?) else { return Ok(None) };
    Ok((from.first.len() == to.first.len() && from.size == to.size).then_some((from, to)))
}

/// Two images of one type that store channels.
fn same_type(m: &mut Machine, a: &Args) -> Step<Option<Pair>> {
    let (from, to) = (a.non_null(m, 0)?, a.non_null(m, 1)?);
    let kind = |m: &Machine, image| m.named(image, "imageType") as u32;
    // Short pixels with several channels, and indexes, are not channels.
    if kind(m, from) != kind(m, to) || matches!(kind(m, from), 8 | 9 | 12 | 13) {
        return Ok(None);
    }
    let (from, to) = (m.named(from, "raster") as Addr, m.named(to, "raster") as Addr);
    let (Some(from), Some(to)) = (Channels::of(m, from)?, Channels::of(m, to)?) else { return Ok(None) };
    Ok((from.first.len() == to.first.len() && from.size == to.size).then_some((from, to)))
}

/// An operation on channels.
type Operation = fn(&mut Machine, &Args, &Channels, &Channels) -> Step<NativeOutcome>;

/// Images of other types are converted to colours and alpha before, and back afterwards.
fn through_argb(m: &mut Machine, a: &Args, operation: Operation) -> Step<NativeOutcome> {
    let (from, to) = (a.non_null(m, 0)?, a.non_null(m, 1)?);
    let (Some(source), Some(target)) = (Surface::of_image(m, from)?, Surface::of_image(m, to)?) else {
        return int(0);
    };
    let before = Channels::new_argb(m, source.width, source.height)?;
    let after = Channels::new_argb(m, target.width, target.height)?;
    let is_gray = matches!(source.format, Format::ByteGray | Format::UshortGray);
    for y in 0..source.height {
        for x in 0..source.width {
            let mut argb = source.argb(m, x, y);
            if is_gray {
                argb = 0xFF00_0000 | (encoded(argb & 0xFF) * 0x1_0101);
            }
            for channel in 0..4 {
                before.set(m, channel, x, y, i64::from(argb >> (8 * channel) & 0xFF));
            }
        }
    }
    operation(m, a, &before, &after)?;
    for y in 0..target.height {
        for x in 0..target.width {
            let argb =
                (0..4).fold(0, |argb, channel| argb | (after.get(m, channel, x, y) as u32) << (8 * channel));
            let raw = target.raw_of(argb);
            target.set_raw(m, x, y, raw);
        }
    }
    int(1)
}

/// Grays are linear, colours are encoded as sRGB.
fn encoded(gray: u32) -> u32 {
    let linear = f64::from(gray) / 255.0;
    let value = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0).round() as u32
}

/// A raster as channels of 8 or 16 bits.
struct Channels {
    width: i32,
    height: i32,
    /// Where the first pixel's channels are, in bytes.
    first: Vec<u64>,
    pixel: u64,
    row: u64,
    size: u32,
    start: u64,
    length: u64,
}

impl Channels {
    /// Those of a raster that stores channels as elements, or four of them in an int.
    fn of(m: &mut Machine, raster: Addr) -> Step<Option<Channels>> {
        let (array, offsets) = (m.named(raster, "data") as Addr, m.named(raster, "dataOffsets") as Addr);
        let bits = m.named(raster, "pixelBitStride");
        if array == 0 || offsets == 0 || bits != 0 {
            return Ok(None);
        }
        let kind = m.element_kind(m.class_of(array));
        let element = u64::from(kind.array_bytes());
        let at = |m: &Machine, index: u32| u64::from(m.element(offsets, index, Kind::Int) as u32) * element;
        let bands = m.named(raster, "numBands") as u32;
        let elements = m.named(raster, "numDataElements") as u32;
        let first = match kind {
            Kind::Int if elements == 1 => (0..4).map(|byte| at(m, 0) + byte).collect(),
            Kind::Byte | Kind::Short | Kind::Char if elements == bands => {
                (0..bands).map(|it| at(m, it)).collect()
            }
            _ => return Ok(None),
        };
        let channels = Channels {
            width: m.named(raster, "width") as i32,
            height: m.named(raster, "height") as i32,
            first,
            pixel: m.named(raster, "pixelStride") as u32 as u64 * element,
            row: m.named(raster, "scanlineStride") as u32 as u64 * element,
            size: if element == 2 { 2 } else { 1 },
            start: u64::from(array) * 8 + ARRAY_BASE,
            length: u64::from(m.array_length(array)) * element,
        };
        bytes::fix_bytes(m, channels.start, channels.length)?;
        bytes::clear_byte_shadows(m, channels.start, channels.length);
        Ok(Some(channels))
    }

    /// Four channels in an array of its own.
    fn new_argb(m: &mut Machine, width: i32, height: i32) -> Step<Channels> {
        let class = m.load("[I")?;
        let pixels = width.max(0) as u32 * height.max(0) as u32;
        let array = m.new_array(class, pixels)?;
        Ok(Channels {
            width,
            height,
            first: vec![0, 1, 2, 3],
            pixel: 4,
            row: width as u64 * 4,
            size: 1,
            start: u64::from(array) * 8 + ARRAY_BASE,
            length: u64::from(pixels) * 4,
        })
    }

    fn most(&self) -> i64 {
        if self.size == 2 { 0xFFFF } else { 0xFF }
    }

    /// How many channels are before this one in memory.
    fn rank(&self, channel: usize) -> usize {
        self.first.iter().filter(|at| **at < self.first[channel]).count()
    }

    /// The channel with this many before it.
    fn at_rank(&self, rank: usize) -> usize {
        (0..self.first.len()).find(|it| self.rank(*it) == rank).unwrap_or(rank)
    }

    fn place(&self, channel: usize, x: i32, y: i32) -> u64 {
        self.first[channel] + x as u64 * self.pixel + y as u64 * self.row
    }

    /// A channel; outside, that of the nearest pixel at the edge.
    fn get(&self, m: &Machine, channel: usize, x: i32, y: i32) -> i64 {
        let at = self.place(channel, x.clamp(0, self.width - 1), y.clamp(0, self.height - 1));
        if at + u64::from(self.size) > self.length {
            return 0;
        }
        m.memory.read_bytes(self.start + at, self.size) as i64
    }

    fn set(&self, m: &mut Machine, channel: usize, x: i32, y: i32, value: i64) {
        let at = self.place(channel, x, y);
        if at + u64::from(self.size) <= self.length {
            m.memory.write_bytes(self.start + at, self.size, value.clamp(0, self.most()) as u64);
        }
    }
}

/// Places have 16 bits of fraction.
const ONE_PIXEL: f64 = 65536.0;

fn affine(m: &mut Machine, a: &Args, from: &Channels, to: &Channels) -> Step<NativeOutcome> {
    let matrix = a.non_null(m, 2)?;
    let how = a.int(m, 3);
    let at = |m: &Machine, index: u32| f64::from_bits(m.element(matrix, index, Kind::Double));
    let [m00, m10, m01, m11, m02, m12] = [0, 1, 2, 3, 4, 5].map(|index| at(m, index));
    let determinant = m00 * m11 - m01 * m10;
    if determinant == 0.0 {
        return int(0);
    }
    let fixed = |value: f64| (value * ONE_PIXEL).floor() as i64;
    let (across_x, across_y) = (m11 / determinant, -m10 / determinant);
    let (down_x, down_y) = (-m01 / determinant, m00 / determinant);
    let channels = from.first.len().min(to.first.len());
    for y in 0..to.height {
        for x in 0..to.width {
            let (dx, dy) = (f64::from(x) + 0.5 - m02, f64::from(y) + 0.5 - m12);
            let (sx, sy) = (fixed(across_x * dx + down_x * dy), fixed(across_y * dx + down_y * dy));
            let inside =
                (0..from.width as i64).contains(&(sx >> 16)) && (0..from.height as i64).contains(&(sy >> 16));
            for channel in 0..channels {
                let value = match how {
                    _ if !inside => 0,
                    2 => bilinear(m, from, channel, sx - 0x8000, sy - 0x8000),
                    3 => bicubic(m, from, channel, sx - 0x8000, sy - 0x8000),
                    _ => from.get(m, channel, (sx >> 16) as i32, (sy >> 16) as i32),
                };
                to.set(m, channel, x, y, value);
            }
        }
    }
    int(1)
}

fn bilinear(m: &Machine, from: &Channels, channel: usize, x: i64, y: i64) -> i64 {
    let (left, top) = ((x >> 16) as i32, (y >> 16) as i32);
    let (right_part, lower_part) = (x & 0xFFFF, y & 0xFFFF);
    let get = |dx, dy| from.get(m, channel, left + dx, top + dy);
    let between = |a: i64, b: i64, part: i64| a + (((b - a) * part + 0x8000) >> 16);
    if left < 0 || top < 0 || left + 1 >= from.width || top + 1 >= from.height {
        // At the edge there is no rounding.
        let part = |it: i64| it as f64 / ONE_PIXEL;
        let exact = |a: i64, b: i64| a as f64 + (b - a) as f64 * part(right_part);
        let (above, below) = (exact(get(0, 0), get(1, 0)), exact(get(0, 1), get(1, 1)));
        return (above + (below - above) * part(lower_part)) as i64;
    }
    let (first, second) =
        (between(get(0, 0), get(0, 1), lower_part), between(get(1, 0), get(1, 1), lower_part));
    between(first, second, right_part)
}

fn bicubic(m: &Machine, from: &Channels, channel: usize, x: i64, y: i64) -> i64 {
    let (left, top) = ((x >> 16) as i32 - 1, (y >> 16) as i32 - 1);
    let weights = |part: i64| {
        let x = (part >> 8) as f64 / 256.0;
        let near = |x: f64| (1.5 * x - 2.5) * x * x + 1.0;
        let far = |x: f64| ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0;
        [far(1.0 + x), near(x), near(1.0 - x), far(2.0 - x)]
    };
    let (across, down) = (weights(x & 0xFFFF), weights(y & 0xFFFF));
    let mut sum = 0.0;
    for (row, weight_y) in down.into_iter().enumerate() {
        for (column, weight_x) in across.into_iter().enumerate() {
            sum += from.get(m, channel, left + column as i32, top + row as i32) as f64 * weight_x * weight_y;
        }
    }
    (sum + 0.5).floor() as i64
}

/// The number of `ConvolveOp` for edges that keep their pixels.
const EDGE_NO_OP: i32 = 1;

fn convolve(m: &mut Machine, a: &Args, from: &Channels, to: &Channels) -> Step<NativeOutcome> {
    let (kernel, edge) = (a.non_null(m, 2)?, a.int(m, 3));
    let number = |name: &str| m.named(kernel, name) as i32;
    let (width, height, right, down) =
        (number("width"), number("height"), number("xOrigin"), number("yOrigin"));
    let data = m.named(kernel, "data") as Addr;
    let factor = |index| f64::from(f32::from_bits(m.element(data, index, Kind::Float) as u32));
    let factors: Vec<i64> =
        (0..(width * height) as u32).map(|it| (factor(it) * 65536.0).floor() as i64).collect();
    let channels = from.first.len().min(to.first.len());
    for y in 0..to.height.min(from.height) {
        for x in 0..to.width.min(from.width) {
            // The kernel is turned by half a circle.
            let (left, top) = (x + right - width + 1, y + down - height + 1);
            // A kernel of an even size counts as one larger.
            let reach = |size: i32| size / 2;
            let whole = x >= reach(width)
                && y >= reach(height)
                && x + reach(width) < from.width
                && y + reach(height) < from.height;
            for channel in 0..channels {
                let value = if whole {
                    let mut sum = 0;
                    for row in 0..height {
                        for column in 0..width {
                            let factor = factors[((height - 1 - row) * width + width - 1 - column) as usize];
                            sum += factor * from.get(m, channel, left + column, top + row);
                        }
                    }
                    sum >> 16
                } else if edge == EDGE_NO_OP {
                    from.get(m, channel, x, y)
                } else {
                    0
                };
                to.set(m, channel, x, y, value);
            }
        }
    }
    int(1)
}

/// Replaces channels by what tables say: one table is for all colours, several are by bands.
fn look_up(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let tables = a.non_null(m, 2)?;
    let (image, target) = (a.non_null(m, 0)?, a.non_null(m, 1)?);
    if matches!(m.named(image, "imageType") as u32, 0 | 8 | 9 | 12 | 13) {
        return int(0);
    }
    let (from, to) = (m.named(image, "raster") as Addr, m.named(target, "raster") as Addr);
    let (Some(from), Some(to)) = (Channels::of(m, from)?, Channels::of(m, to)?) else { return int(0) };
    if from.size != 1 || to.size != 1 || from.first.len() != to.first.len() {
        return int(0);
    }
    let is_int = from.first.len() == 4 && m.element_kind(m.class_of(raster_array(m, image))) == Kind::Int;
    let is_rgb = m.named(image, "imageType") as u32 != 4;
    let count = m.array_length(tables);
    let channels = from.first.len();
    for channel in 0..channels {
        // An int has blue in its lowest byte, unless it is BGR.
        let band = if is_int && is_rgb && channel < 3 { 2 - channel as u32 } else { channel as u32 };
        // Channels go to the same place in memory, whichever they are there.
        let target = to.at_rank(from.rank(channel));
        let table = match count {
            1 if band < 3 => m.element_ref(tables, 0),
            count if count > 1 && band < count => m.element_ref(tables, band),
            _ => 0,
        };
        for y in 0..to.height.min(from.height) {
            for x in 0..to.width.min(from.width) {
                let value = from.get(m, channel, x, y);
                let found = match table {
                    0 => value,
                    table if value < i64::from(m.array_length(table)) => {
                        m.element(table, value as u32, Kind::Byte) as i64 & 0xFF
                    }
                    _ => value,
                };
                to.set(m, target, x, y, found);
            }
        }
    }
    int(1)
}

fn raster_array(m: &Machine, image: Addr) -> Addr {
    m.named(m.named(image, "raster") as Addr, "data") as Addr
}
