//! `MaskFill` and `MaskBlit`: a colour, or an image, through a mask of coverage.

use super::blend::{Rule, Scale, Source, composite, replace};
use super::clip::{Area, parts};
use super::surface::Surface;
use crate::classes::Kind;
use crate::exit::Step;
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, bytes, row};

const FILL: &str = "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;Ljava/awt/Composite;IIII[BII)V";
const BLIT: &str = "(Lsun/java2d/SurfaceData;Lsun/java2d/SurfaceData;Ljava/awt/Composite;Lsun/java2d/pipe/Region;IIIIII[BII)V";

pub(super) const NATIVES: &[Native] = &[
    row("sun/java2d/loops/MaskFill", "MaskFill", FILL, fill),
    row("sun/java2d/loops/MaskBlit", "MaskBlit", BLIT, blit),
];

/// A rectangle of coverage.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    array: Addr,
    offset: i32,
    scan: i32,
}

impl Mask {
    fn of(m: &mut Machine, a: &Args, slot: u32) -> Step<Option<Mask>> {
        let array = a.reference(m, slot);
        if array == 0 {
            return Ok(None);
        }
        bytes::fix_bytes(m, element_byte(array, 0, 1), u64::from(m.array_length(array)))?;
        Ok(Some(Mask { array, offset: a.int(m, slot + 1), scan: a.int(m, slot + 2) }))
    }

    fn at(self, m: &Machine, x: i32, y: i32) -> u32 {
        let index = (self.offset + y * self.scan + x) as u32;
        if index < m.array_length(self.array) {
            m.element(self.array, index, Kind::Byte) as u32 & 0xFF
        } else {
            0
        }
    }
}

/// The composite type of a loop, by its description.
pub(super) fn composite_type(m: &Machine, this: Addr) -> String {
    let kind = m.named(this, "compositeType") as Addr;
    if kind == 0 { String::new() } else { m.text(m.named(kind, "desc") as Addr) }
}

/// A colour to fill with, and how.
pub(super) struct Fill {
    rule: Rule,
    replaces: bool,
    source: Source,
    argb: u32,
}

impl Fill {
    /// That of a `MaskFill` loop for a `SunGraphics2D`.
    pub(super) fn of(m: &Machine, this: Addr, graphics: Addr, how: Addr, to: &Surface) -> Fill {
        // It includes the alpha of the composite.
        let argb = m.named(graphics, "eargb") as u32;
        let kind = composite_type(m, this);
        let scale = Scale::of(to.format);
        Fill {
            rule: Rule::of(m, how, kind == super::loops::SRC_OVER),
            replaces: kind == super::loops::SRC,
            source: match scale {
                Scale::WideGray => Source { pixel: scale.pixel(argb), premultiplied: false },
                _ => Source { pixel: scale.pixel(argb).premultiplied(scale), premultiplied: true },
            },
            argb,
        }
    }

    /// Fills one pixel.
    pub(super) fn draw(&self, m: &mut Machine, to: &Surface, (x, y): (i32, i32), cover: Option<u32>) {
        if !self.replaces {
            let most = Scale::of(to.format).fraction(255);
            return composite(m, to, (x, y), self.rule, self.source, cover, most);
        }
        match cover {
            Some(0) => {}
            None | Some(255) => {
                let raw = to.raw_of(self.argb);
                to.set_raw(m, x, y, raw);
            }
            Some(part) => replace(m, to, (x, y), Scale::of(to.format).pixel(self.argb), part),
        }
    }
}

fn fill(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let to = Surface::open(m, a.non_null(m, 2)?)?;
    let mask = Mask::of(m, a, 8)?;
    let (x, y) = (a.int(m, 4), a.int(m, 5));
    let fill = Fill::of(m, a.reference(m, 0), a.non_null(m, 1)?, a.reference(m, 3), &to);
    let area = Area::sized(x, y, a.int(m, 6), a.int(m, 7)).intersect(Area::of(&to));
    let clip = m.named(a.reference(m, 1), "clipRegion") as Addr;
    for part in parts(m, clip, area) {
        for row in part.y1..part.y2 {
            for column in part.x1..part.x2 {
                let cover = mask.map(|it| it.at(m, column - x, row - y));
                fill.draw(m, &to, (column, row), cover);
            }
        }
    }
    Ok(VOID)
}

fn blit(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let (from, to) = (Surface::open(m, a.non_null(m, 1)?)?, Surface::open(m, a.non_null(m, 2)?)?);
    let mask = Mask::of(m, a, 11)?;
    let short = composite_type(m, a.reference(m, 0)) == super::loops::SRC_OVER;
    let rule = Rule::of(m, a.reference(m, 3), short);
    let (sx, sy, x, y) = (a.int(m, 5), a.int(m, 6), a.int(m, 7), a.int(m, 8));
    let (dx, dy) = (sx.wrapping_sub(x), sy.wrapping_sub(y));
    let area = Area::sized(x, y, a.int(m, 9), a.int(m, 10));
    let area = area.intersect(Area::of(&to)).intersect(Area::of(&from).moved(-dx, -dy));
    let scale = Scale::of(to.format);
    let extra = scale.rounded(rule.extra);
    let premultiplied = from.format.is_premultiplied();
    for part in parts(m, a.reference(m, 4), area) {
        for row in part.y1..part.y2 {
            for column in part.x1..part.x2 {
                let pixel = scale.pixel(from.stored(m, column + dx, row + dy));
                let cover = mask.map(|it| it.at(m, column - x, row - y));
                composite(m, &to, (column, row), rule, Source { pixel, premultiplied }, cover, extra);
            }
        }
    }
    Ok(VOID)
}
