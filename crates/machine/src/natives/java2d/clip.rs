//! Regions as clips (`sun.java2d.pipe.Region`), and tiles of coverage cut to them.

use super::surface::Surface;
use crate::classes::Kind;
use crate::exit::Step;
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};
use crate::state::Value;

const CLIPPED: &str = "sun/java2d/pipe/SpanClipRenderer";
const TILE: &str = "(Lsun/java2d/pipe/RegionIterator;[BII[I)V";

pub(super) const NATIVES: &[Native] = &[
    row(CLIPPED, "fillTile", TILE, |m, a| cut_tile(m, a, true)),
    row(CLIPPED, "eraseTile", TILE, |m, a| cut_tile(m, a, false)),
];

/// A rectangle by its bounds; the upper ones are outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x1: i32,
    pub(super) y1: i32,
    pub(super) x2: i32,
    pub(super) y2: i32,
}

impl Area {
    pub(super) fn of(surface: &Surface) -> Area {
        Area { x1: 0, y1: 0, x2: surface.width, y2: surface.height }
    }

    /// A rectangle by its corner and size; sums saturate.
    pub(super) fn sized(x: i32, y: i32, width: i32, height: i32) -> Area {
        Area { x1: x, y1: y, x2: x.saturating_add(width), y2: y.saturating_add(height) }
    }

    pub(super) fn intersect(self, other: Area) -> Area {
        Area {
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
            x2: self.x2.min(other.x2),
            y2: self.y2.min(other.y2),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.x1 >= self.x2 || self.y1 >= self.y2
    }

    /// The rectangle moved.
    pub(super) fn moved(self, x: i32, y: i32) -> Area {
        Area {
            x1: self.x1.saturating_add(x),
            y1: self.y1.saturating_add(y),
            x2: self.x2.saturating_add(x),
            y2: self.y2.saturating_add(y),
        }
    }
}

/// The parts of an area within a `Region`; `null` is everywhere.
pub(super) fn parts(m: &Machine, region: Addr, area: Area) -> Vec<Area> {
    if area.is_empty() {
        return Vec::new();
    }
    if region == 0 {
        return vec![area];
    }
    let int = |name: &str| m.named(region, name) as i32;
    let area = area.intersect(Area { x1: int("lox"), y1: int("loy"), x2: int("hix"), y2: int("hiy") });
    let bands = m.named(region, "bands") as Addr;
    if area.is_empty() {
        return Vec::new();
    }
    if bands == 0 {
        return vec![area];
    }
    let end = (int("endIndex") as u32).min(m.array_length(bands));
    let at = |index: u32| m.element(bands, index, Kind::Int) as i32;
    let (mut found, mut index) = (Vec::new(), 0);
    // Each band: its first row, the row behind it, the number of spans, and their bounds.
    while index + 3 <= end {
        let (y1, y2, spans) = (at(index), at(index + 1), at(index + 2) as u32);
        index += 3;
        for span in 0..spans.min((end - index) / 2) {
            let part =
                area.intersect(Area { x1: at(index + 2 * span), y1, x2: at(index + 2 * span + 1), y2 });
            if !part.is_empty() {
                found.push(part);
            }
        }
        index += 2 * spans;
    }
    found
}

/// Cuts a tile of coverage to a region. `band` holds the tile's bounds and gets those of what is left.
fn cut_tile(m: &mut Machine, a: &Args, fill: bool) -> Step<NativeOutcome> {
    let (iterator, tile, band) = (a.non_null(m, 1)?, a.non_null(m, 2)?, a.non_null(m, 5)?);
    let (offset, scan) = (a.int(m, 3), a.int(m, 4));
    let region = m.named(iterator, "region") as Addr;
    let bound = |m: &Machine, index| m.element(band, index, Kind::Int) as i32;
    let area = Area { x1: bound(m, 0), y1: bound(m, 1), x2: bound(m, 2), y2: bound(m, 3) };
    let kept = parts(m, region, area);
    let inside = |x: i32, y: i32| kept.iter().any(|p| (p.x1..p.x2).contains(&x) && (p.y1..p.y2).contains(&y));
    for y in area.y1..area.y2 {
        for x in area.x1..area.x2 {
            let index = (offset + (y - area.y1) * scan + (x - area.x1)) as u32;
            if index >= m.array_length(tile) {
                continue;
            }
            match (inside(x, y), fill) {
                (false, _) => m.memory.write_bytes(element_byte(tile, index, 1), 1, 0),
                (true, true) => m.memory.write_bytes(element_byte(tile, index, 1), 1, 255),
                (true, false) => {}
            }
        }
    }
    let left = kept.iter().copied().reduce(|all, part| Area {
        x1: all.x1.min(part.x1),
        y1: all.y1.min(part.y1),
        x2: all.x2.max(part.x2),
        y2: all.y2.max(part.y2),
    });
    let left = left.unwrap_or(Area { x1: area.x1, y1: area.y1, x2: area.x1, y2: area.y1 });
    for (index, bound) in [left.x1, left.y1, left.x2, left.y2].into_iter().enumerate() {
        m.set_element_value(band, index as u32, Kind::Int, Value::int(bound));
    }
    Ok(VOID)
}
