//! Compositing of one pixel, by the rules of Porter and Duff in fractions of 255, or of 65535 for wide gray.

use super::format::{Format, gray, over, times, wide_gray};
use super::surface::Surface;
use crate::machine::Machine;
use crate::memory::Addr;

/// A factor of a rule: a constant, or the other side's alpha.
#[derive(Clone, Copy)]
enum Factor {
    Zero,
    One,
    Alpha,
    Rest,
}

use Factor::{Alpha, One, Rest, Zero};

/// The factors of source and destination, by `AlphaComposite`'s numbers of the rules.
const RULES: [(Factor, Factor); 13] = [
    (Zero, One),
    (Zero, Zero),
    (One, Zero),
    (One, Rest),
    (Rest, One),
    (Alpha, Zero),
    (Zero, Alpha),
    (Rest, Zero),
    (Zero, Rest),
    (Zero, One),
    (Alpha, Rest),
    (Rest, Alpha),
    (Rest, Rest),
];

/// The number of the rule *source over destination*.
pub(super) const SRC_OVER: usize = 3;

/// The arithmetic of a destination: how many channels of which range.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Three channels of 8 bits.
    Colors,
    /// One channel of 8 bits.
    Gray,
    /// One channel of 16 bits.
    WideGray,
}

impl Scale {
    pub(super) fn of(format: Format) -> Scale {
        match format {
            Format::ByteGray => Scale::Gray,
            Format::UshortGray => Scale::WideGray,
            _ => Scale::Colors,
        }
    }

    fn most(self) -> u32 {
        if self == Scale::WideGray { 65535 } else { 255 }
    }

    fn times(self, a: u32, b: u32) -> u32 {
        if self == Scale::WideGray { (u64::from(a) * u64::from(b) / 65535) as u32 } else { times(a, b) }
    }

    fn over(self, a: u32, b: u32) -> u32 {
        if self == Scale::WideGray { (u64::from(a) * 65535 / u64::from(b)) as u32 } else { over(a, b) }
    }

    /// A fraction of 255 on this scale.
    pub(super) fn fraction(self, of_255: u32) -> u32 {
        if self == Scale::WideGray { of_255 * 257 } else { of_255 }
    }

    /// A fraction of one on this scale.
    pub(super) fn rounded(self, part: f32) -> u32 {
        (part * self.most() as f32 + 0.5) as u32
    }

    fn factor(self, factor: Factor, alpha: u32) -> u32 {
        match factor {
            Zero => 0,
            One => self.most(),
            Alpha => alpha,
            Rest => self.most() - alpha,
        }
    }

    /// A pixel of this scale from a colour.
    pub(super) fn pixel(self, argb: u32) -> Pixel {
        let (a, r, g, b) = (argb >> 24, argb >> 16 & 0xFF, argb >> 8 & 0xFF, argb & 0xFF);
        match self {
            Scale::Colors => Pixel { alpha: a, channels: [r, g, b] },
            Scale::Gray => Pixel { alpha: a, channels: [gray(r, g, b), 0, 0] },
            Scale::WideGray => Pixel { alpha: a * 257, channels: [wide_gray(r, g, b), 0, 0] },
        }
    }

    /// The sum of two products. Wide gray is rounded once.
    fn mixed(self, above: ([u32; 3], u32), below: ([u32; 3], u32)) -> [u32; 3] {
        let mut result = self.scaled(above.0, above.1);
        for (index, sum) in result.iter_mut().enumerate() {
            *sum = if self == Scale::WideGray {
                let product =
                    |(channels, factor): ([u32; 3], u32)| u64::from(channels[index]) * u64::from(factor);
                ((product(above) + product(below)) / 65535) as u32
            } else {
                *sum + self.scaled(below.0, below.1)[index]
            };
        }
        result
    }

    fn scaled(self, channels: [u32; 3], factor: u32) -> [u32; 3] {
        if factor == self.most() { channels } else { channels.map(|it| self.times(it, factor)) }
    }
}

/// Alpha and channels on some scale.
#[derive(Clone, Copy)]
pub(super) struct Pixel {
    pub(super) alpha: u32,
    pub(super) channels: [u32; 3],
}

impl Pixel {
    pub(super) fn premultiplied(self, scale: Scale) -> Pixel {
        Pixel { alpha: self.alpha, channels: scale.scaled(self.channels, self.alpha) }
    }
}

/// How a source is combined with a destination.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// The factors, or *source over* with its shorter arithmetic.
    factors: Option<(Factor, Factor)>,
    /// The alpha of the composite as a whole.
    pub(super) extra: f32,
}

impl Rule {
    /// That of an `AlphaComposite`; `short` chooses the arithmetic of loops for *source over* alone.
    pub(super) fn of(m: &Machine, composite: Addr, short: bool) -> Rule {
        let (mut rule, mut extra) = (2, 1.0);
        if composite != 0 && m.class_name_of(composite) == "java/awt/AlphaComposite" {
            rule = m.named(composite, "rule") as usize;
            extra = f32::from_bits(m.named(composite, "extraAlpha") as u32);
        }
        let factors = (!(short && rule == SRC_OVER)).then(|| RULES[rule.min(12)]);
        Rule { factors, extra }
    }
}

/// A source pixel: its channels are multiplied by alpha or not.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) pixel: Pixel,
    pub(super) premultiplied: bool,
}

/// Composites a source onto a pixel. `coverage` is a fraction of 255, and `None` is full. `extra` is the alpha of the
/// composite, on the destination's scale.
pub(super) fn composite(
    m: &mut Machine,
    to: &Surface,
    (x, y): (i32, i32),
    rule: Rule,
    source: Source,
    coverage: Option<u32>,
    extra: u32,
) {
    let scale = Scale::of(to.format);
    let cover = coverage.map(|it| scale.fraction(it));
    if cover == Some(0) {
        return;
    }
    let result = match rule.factors {
        None => source_over(m, to, (x, y), scale, source, cover, extra),
        Some(factors) => by_factors(m, to, (x, y), scale, factors, source, cover, extra),
    };
    if let Some(pixel) = result {
        store(m, to, (x, y), scale, pixel);
    }
}

fn source_over(
    m: &Machine,
    to: &Surface,
    (x, y): (i32, i32),
    scale: Scale,
    source: Source,
    cover: Option<u32>,
    extra: u32,
) -> Option<Pixel> {
    let factor = cover.map_or(extra, |it| scale.times(it, extra));
    let alpha = scale.times(factor, source.pixel.alpha);
    if alpha == 0 {
        return None;
    }
    let by = if source.premultiplied { factor } else { alpha };
    let mut result = Pixel { alpha, channels: scale.scaled(source.pixel.channels, by) };
    if alpha < scale.most() {
        let below = load(m, to, (x, y), scale);
        let rest = scale.most() - alpha;
        let share = scale.times(rest, below.alpha);
        result.alpha += share;
        let kept = if to.format.is_premultiplied() { rest } else { share };
        result.channels = scale.mixed((source.pixel.channels, by), (below.channels, kept));
    }
    Some(divided(result, to, scale))
}

#[expect(clippy::too_many_arguments, reason = "the parts of one equation")]
fn by_factors(
    m: &Machine,
    to: &Surface,
    (x, y): (i32, i32),
    scale: Scale,
    (of_source, of_below): (Factor, Factor),
    source: Source,
    cover: Option<u32>,
    extra: u32,
) -> Option<Pixel> {
    let below = load(m, to, (x, y), scale);
    let source_alpha = scale.times(extra, source.pixel.alpha);
    let mut above = scale.factor(of_source, below.alpha);
    let mut kept = scale.factor(of_below, source_alpha);
    if let Some(cover) = cover.filter(|it| *it != scale.most()) {
        above = scale.times(cover, above);
        kept = scale.most() - cover + scale.times(cover, kept);
    }
    if above == 0 && kept == scale.most() {
        return None;
    }
    let mut result = Pixel { alpha: scale.times(above, source_alpha), channels: [0; 3] };
    let by = if source.premultiplied { scale.times(above, extra) } else { result.alpha };
    let share = scale.times(kept, below.alpha);
    result.alpha += share;
    let kept = if to.format.is_premultiplied() { kept } else { share };
    result.channels = scale.mixed((source.pixel.channels, by), (below.channels, kept));
    Some(divided(result, to, scale))
}

/// As the destination stores colours.
fn divided(mut pixel: Pixel, to: &Surface, scale: Scale) -> Pixel {
    if !to.format.is_premultiplied() && pixel.alpha != 0 && pixel.alpha < scale.most() {
        let alpha = pixel.alpha;
        pixel.channels = pixel.channels.map(|it| scale.over(it, alpha));
    }
    pixel
}

fn load(m: &Machine, to: &Surface, (x, y): (i32, i32), scale: Scale) -> Pixel {
    match scale {
        Scale::Colors => scale.pixel(to.stored(m, x, y)),
        Scale::Gray => Pixel { alpha: 255, channels: [to.raw(m, x, y), 0, 0] },
        Scale::WideGray => Pixel { alpha: 65535, channels: [to.raw(m, x, y), 0, 0] },
    }
}

fn store(m: &mut Machine, to: &Surface, (x, y): (i32, i32), scale: Scale, pixel: Pixel) {
    let [r, g, b] = pixel.channels;
    let raw = match scale {
        Scale::Colors => {
            let [a, r, g, b] = [pixel.alpha, r, g, b].map(|it| it.min(255));
            to.dithered(a << 24 | r << 16 | g << 8 | b, x, y)
        }
        Scale::Gray | Scale::WideGray => r.min(scale.most()),
    };
    to.set_raw(m, x, y, raw);
}

/// Shares a colour with what is there: the arithmetic of loops for the rule *source* with a mask.
pub(super) fn replace(m: &mut Machine, to: &Surface, (x, y): (i32, i32), source: Pixel, cover: u32) {
    let scale = Scale::of(to.format);
    let cover = scale.fraction(cover);
    let below = load(m, to, (x, y), scale);
    let rest = scale.most() - cover;
    let share = scale.times(rest, below.alpha);
    let kept = if to.format.is_premultiplied() { rest } else { share };
    let result = Pixel {
        alpha: scale.times(cover, source.alpha) + share,
        channels: scale.mixed((source.premultiplied(scale).channels, cover), (below.channels, kept)),
    };
    let result = divided(result, to, scale);
    store(m, to, (x, y), scale, result);
}
