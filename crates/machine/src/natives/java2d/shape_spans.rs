//! `ShapeSpanIterator`: the pixels within a shape, row by row, without antialiasing.
//!
//! A path is kept as straight lines in memory outside the heap, as the JDK keeps it; the spans are computed when the
//! first one is asked for. A pixel belongs to a shape if its centre does.

use super::clip::Area;
use crate::classes::Kind;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::jdk_internal_misc_unsafe::allocate_outside;
use crate::natives::support::{ZERO, boolean};
use crate::natives::{Args, Native, NativeOutcome, VOID, row, unsafe_memory};
use crate::state::Value;

const SPANS: &str = "sun/java2d/pipe/ShapeSpanIterator";

pub(super) const NATIVES: &[Native] = &[
    row(SPANS, "setNormalize", "(Z)V", |m, a| {
        let state = State::of(m, a)?;
        state.set(m, NORMALIZE, a.int(m, 1) as u64);
        Ok(VOID)
    }),
    row(SPANS, "setRule", "(I)V", |m, a| {
        let state = State::of(m, a)?;
        state.set(m, NON_ZERO, u64::from(a.int(m, 1) != 0));
        Ok(VOID)
    }),
    row(SPANS, "setOutputAreaXYXY", "(IIII)V", |m, a| {
        let state = State::of(m, a)?;
        state.set_area(m, Area { x1: a.int(m, 1), y1: a.int(m, 2), x2: a.int(m, 3), y2: a.int(m, 4) });
        Ok(VOID)
    }),
    row(SPANS, "intersectClipBox", "(IIII)V", |m, a| {
        let state = State::of(m, a)?;
        let area = Area { x1: a.int(m, 1), y1: a.int(m, 2), x2: a.int(m, 3), y2: a.int(m, 4) };
        let both = state.area(m).intersect(area);
        state.set_area(m, both);
        Ok(VOID)
    }),
    row(SPANS, "appendPoly", "([I[IIII)V", append_polygon),
    row(SPANS, "addSegment", "(I[F)V", |m, a| {
        let (kind, numbers) = (a.int(m, 1), a.non_null(m, 2)?);
        let read = |m: &Machine, index| f32::from_bits(m.element(numbers, index, Kind::Float) as u32);
        let count = m.array_length(numbers).min(6);
        let mut at = [0.0; 6];
        for index in 0..count {
            at[index as usize] = read(m, index);
        }
        add(m, a, kind, at)
    }),
    row(SPANS, "moveTo", "(FF)V", |m, a| add(m, a, 0, floats(m, a))),
    row(SPANS, "lineTo", "(FF)V", |m, a| add(m, a, 1, floats(m, a))),
    row(SPANS, "quadTo", "(FFFF)V", |m, a| add(m, a, 2, floats(m, a))),
    row(SPANS, "curveTo", "(FFFFFF)V", |m, a| add(m, a, 3, floats(m, a))),
    row(SPANS, "closePath", "()V", |m, a| add(m, a, 4, [0.0; 6])),
    row(SPANS, "pathDone", "()V", |m, a| add(m, a, 4, [0.0; 6])),
    row(SPANS, "getPathBox", "([I)V", |m, a| {
        let state = State::of(m, a)?;
        let lines = state.lines(m);
        let bounds = path_box(&lines);
        set_box(m, a.non_null(m, 1)?, bounds);
        Ok(VOID)
    }),
    row(SPANS, "nextSpan", "([I)Z", next_span),
    row(SPANS, "skipDownTo", "(I)V", |m, a| {
        let state = State::of(m, a)?;
        let spans = state.spans(m)?;
        let count = m.memory.read_bytes(spans, 8);
        let mut next = state.get(m, NEXT);
        while next < count && span_at(m, spans, next).y1 < a.int(m, 1) {
            next += 1;
        }
        state.set(m, NEXT, next);
        Ok(VOID)
    }),
    row(SPANS, "dispose", "()V", |m, a| {
        let this = a.non_null(m, 0)?;
        let at = m.named(this, "pData");
        if at != 0 {
            let state = State { at };
            for block in [LINES, FOUND] {
                unsafe_memory::take_back(m, state.get(m, block));
            }
            unsafe_memory::take_back(m, at);
            m.set_named(this, "pData", 0);
        }
        Ok(VOID)
    }),
    // The JDK asks for them to call native code directly; here all goes through Java.
    row(SPANS, "getNativeIterator", "()J", ZERO),
    row(SPANS, "getNativeConsumer", "()J", ZERO),
];

/// Words of the state.
const NORMALIZE: u64 = 0;
const NON_ZERO: u64 = 1;
const LOW: u64 = 2;
const HIGH: u64 = 3;
/// The block of lines, the number of lines, and how many fit.
const LINES: u64 = 4;
const COUNT: u64 = 5;
const ROOM: u64 = 6;
/// The block of spans: their number, then their bounds; and the next to return.
const FOUND: u64 = 7;
const NEXT: u64 = 8;
/// The current point, the start of the subpath, and by how much normalization moved each.
const POINT: u64 = 9;
const START: u64 = 10;
const MOVED: u64 = 11;
const START_MOVED: u64 = 12;
const WORDS: u64 = 13;

type Point = (f32, f32);
type Line = (Point, Point);

fn pack((x, y): Point) -> u64 {
    u64::from(x.to_bits()) | u64::from(y.to_bits()) << 32
}

fn unpack(word: u64) -> Point {
    (f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32))
}

/// The block that `pData` denotes.
#[derive(Clone, Copy)]
struct State {
    at: u64,
}

impl State {
    /// That of the receiver; made if there is none.
    fn of(m: &mut Machine, a: &Args) -> Step<State> {
        let this = a.non_null(m, 0)?;
        let at = m.named(this, "pData");
        if at != 0 {
            unsafe_memory::check_outside(m, at, WORDS * 8)?;
            return Ok(State { at });
        }
        let at = allocate_outside(m, (WORDS * 8) as i64)? as u64;
        m.set_named(this, "pData", at);
        Ok(State { at })
    }

    fn get(self, m: &Machine, word: u64) -> u64 {
        m.memory.read_bytes(self.at + 8 * word, 8)
    }

    fn set(self, m: &mut Machine, word: u64, value: u64) {
        m.memory.write_bytes(self.at + 8 * word, 8, value);
    }

    fn area(self, m: &Machine) -> Area {
        let (low, high) = (self.get(m, LOW), self.get(m, HIGH));
        Area { x1: low as i32, y1: (low >> 32) as i32, x2: high as i32, y2: (high >> 32) as i32 }
    }

    fn set_area(self, m: &mut Machine, area: Area) {
        let both = |x: i32, y: i32| u64::from(x as u32) | u64::from(y as u32) << 32;
        self.set(m, LOW, both(area.x1, area.y1));
        self.set(m, HIGH, both(area.x2, area.y2));
    }

    fn lines(self, m: &Machine) -> Vec<Line> {
        let at = self.get(m, LINES);
        let word = |index: u64| unpack(m.memory.read_bytes(at + 8 * index, 8));
        (0..self.get(m, COUNT)).map(|index| (word(2 * index), word(2 * index + 1))).collect()
    }

    fn push(self, m: &mut Machine, (from, to): Line) -> Step<()> {
        let (count, room) = (self.get(m, COUNT), self.get(m, ROOM));
        if count == room {
            let (old, wider) = (self.get(m, LINES), (room * 2).max(32));
            let new = allocate_outside(m, (wider * 16) as i64)? as u64;
            for word in 0..2 * count {
                let value = m.memory.read_bytes(old + 8 * word, 8);
                m.memory.write_bytes(new + 8 * word, 8, value);
            }
            unsafe_memory::take_back(m, old);
            self.set(m, LINES, new);
            self.set(m, ROOM, wider);
        }
        let at = self.get(m, LINES) + 16 * count;
        m.memory.write_bytes(at, 8, pack(from));
        m.memory.write_bytes(at + 8, 8, pack(to));
        self.set(m, COUNT, count + 1);
        Ok(())
    }

    /// The block of spans; computed if there is none.
    fn spans(self, m: &mut Machine) -> Step<u64> {
        let found = self.get(m, FOUND);
        if found != 0 {
            return Ok(found);
        }
        let spans = scan(&self.lines(m), self.area(m), self.get(m, NON_ZERO) != 0);
        let at = allocate_outside(m, 8 + 16 * spans.len() as i64)? as u64;
        m.memory.write_bytes(at, 8, spans.len() as u64);
        for (index, span) in spans.into_iter().enumerate() {
            for (part, bound) in [span.x1, span.y1, span.x2, span.y2].into_iter().enumerate() {
                let place = at + 8 + 16 * index as u64 + 4 * part as u64;
                m.memory.write_bytes(place, 4, u64::from(bound as u32));
            }
        }
        self.set(m, FOUND, at);
        Ok(at)
    }
}

fn span_at(m: &Machine, spans: u64, index: u64) -> Area {
    let [x1, y1, x2, y2] =
        [0, 4, 8, 12].map(|part| m.memory.read_bytes(spans + 8 + 16 * index + part, 4) as i32);
    Area { x1, y1, x2, y2 }
}

fn set_box(m: &mut Machine, array: Addr, area: Area) {
    for (index, bound) in [area.x1, area.y1, area.x2, area.y2].into_iter().enumerate() {
        m.set_element_value(array, index as u32, Kind::Int, Value::int(bound));
    }
}

fn next_span(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let state = State::of(m, a)?;
    let target = a.non_null(m, 1)?;
    let spans = state.spans(m)?;
    let next = state.get(m, NEXT);
    if next >= m.memory.read_bytes(spans, 8) {
        return boolean(false);
    }
    set_box(m, target, span_at(m, spans, next));
    state.set(m, NEXT, next + 1);
    boolean(true)
}

fn floats(m: &Machine, a: &Args) -> [f32; 6] {
    let mut at = [0.0; 6];
    let slots = m.method(a.method).descriptor.matches('F').count() as u32;
    for slot in 0..slots {
        at[slot as usize] = a.float(m, 1 + slot);
    }
    at
}

fn append_polygon(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let (xs, ys) = (a.non_null(m, 1)?, a.non_null(m, 2)?);
    let count = (a.int(m, 3).max(0) as u32).min(m.array_length(xs)).min(m.array_length(ys));
    let state = State::of(m, a)?;
    let shift = if state.get(m, NORMALIZE) != 0 { 0.25 } else { 0.0 };
    let point = |m: &Machine, index: u32| {
        let at = |array, offset: i32| (m.element(array, index, Kind::Int) as i32 + offset) as f32 + shift;
        (at(xs, a.int(m, 4)), at(ys, a.int(m, 5)))
    };
    for index in 0..count {
        let line = (point(m, index), point(m, (index + 1) % count));
        state.push(m, line)?;
    }
    Ok(VOID)
}

/// Adds a segment of a path, with the numbers of `PathIterator`.
fn add(m: &mut Machine, a: &Args, kind: i32, at: [f32; 6]) -> Step<NativeOutcome> {
    let state = State::of(m, a)?;
    let (from, start) = (unpack(state.get(m, POINT)), unpack(state.get(m, START)));
    let before = unpack(state.get(m, MOVED));
    let points: Vec<Point> = at.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let normalize = state.get(m, NORMALIZE) != 0;
    // The end of a segment moves to the nearest place at a quarter of a pixel, and control points move with the ends.
    let near = |at: f32| (at + 0.25).floor() + 0.25 - at;
    let moved = |(x, y): Point| if normalize { (near(x), near(y)) } else { (0.0, 0.0) };
    let plus = |(x, y): Point, (dx, dy): Point| (x + dx, y + dy);
    let mut lines = Vec::new();
    let (end, by) = match kind {
        0 => {
            if from != start {
                state.push(m, (from, start))?;
            }
            let by = moved(points[0]);
            let end = plus(points[0], by);
            state.set(m, START, pack(end));
            state.set(m, START_MOVED, pack(by));
            (end, by)
        }
        1 => {
            let by = moved(points[0]);
            let end = plus(points[0], by);
            lines.push((from, end));
            (end, by)
        }
        2 => {
            let by = moved(points[1]);
            let end = plus(points[1], by);
            let middle = plus(points[0], ((before.0 + by.0) / 2.0, (before.1 + by.1) / 2.0));
            quadratic(&mut lines, [from, middle, end], 0);
            (end, by)
        }
        3 => {
            let by = moved(points[2]);
            let end = plus(points[2], by);
            cubic(&mut lines, [from, plus(points[0], before), plus(points[1], by), end], 0);
            (end, by)
        }
        _ => {
            if from != start {
                lines.push((from, start));
            }
            (start, unpack(state.get(m, START_MOVED)))
        }
    };
    for line in lines {
        state.push(m, line)?;
    }
    state.set(m, POINT, pack(end));
    state.set(m, MOVED, pack(by));
    Ok(VOID)
}

fn middle(a: Point, b: Point) -> Point {
    ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)
}

/// Whether the control points of a curve are within a pixel of its chord: it is drawn as a line then.
fn is_flat(points: &[Point], depth: u32) -> bool {
    let (first, last) = (points[0], points[points.len() - 1]);
    let (dx, dy) = (last.0 - first.0, last.1 - first.1);
    let length = dx * dx + dy * dy;
    let distance = |point: &Point| {
        let (x, y) = (point.0 - first.0, point.1 - first.1);
        let along = if length == 0.0 { 0.0 } else { ((x * dx + y * dy) / length).clamp(0.0, 1.0) };
        let (x, y) = (x - along * dx, y - along * dy);
        x * x + y * y
    };
    depth >= 10 || points.iter().all(|point| distance(point) <= 1.0)
}

fn quadratic(lines: &mut Vec<Line>, [a, b, c]: [Point; 3], depth: u32) {
    if is_flat(&[a, b, c], depth) {
        return lines.push((a, c));
    }
    let (ab, bc) = (middle(a, b), middle(b, c));
    let half = middle(ab, bc);
    quadratic(lines, [a, ab, half], depth + 1);
    quadratic(lines, [half, bc, c], depth + 1);
}

fn cubic(lines: &mut Vec<Line>, [a, b, c, d]: [Point; 4], depth: u32) {
    if is_flat(&[a, b, c, d], depth) {
        return lines.push((a, d));
    }
    let (ab, bc, cd) = (middle(a, b), middle(b, c), middle(c, d));
    let (abc, bcd) = (middle(ab, bc), middle(bc, cd));
    let half = middle(abc, bcd);
    cubic(lines, [a, ab, abc, half], depth + 1);
    cubic(lines, [half, bcd, cd, d], depth + 1);
}

/// The pixels whose centres a path may contain.
fn path_box(lines: &[Line]) -> Area {
    let points = || lines.iter().flat_map(|(from, to)| [*from, *to]);
    if lines.is_empty() {
        return Area { x1: 0, y1: 0, x2: 0, y2: 0 };
    }
    let edge = |at: f32| (at - 0.5).ceil() as i32;
    Area {
        x1: edge(points().map(|p| p.0).fold(f32::INFINITY, f32::min)),
        y1: edge(points().map(|p| p.1).fold(f32::INFINITY, f32::min)),
        x2: edge(points().map(|p| p.0).fold(f32::NEG_INFINITY, f32::max)),
        y2: edge(points().map(|p| p.1).fold(f32::NEG_INFINITY, f32::max)),
    }
}

/// The spans of one row each within an area.
fn scan(lines: &[Line], area: Area, non_zero: bool) -> Vec<Area> {
    if area.is_empty() {
        return Vec::new();
    }
    // Each crossing of a row's middle with a line: row, first pixel to its right, direction.
    let mut crossings = Vec::new();
    for (from, to) in lines {
        let (top, bottom, turn) = if from.1 <= to.1 { (from, to, 1) } else { (to, from, -1) };
        let row = |y: f32| (f64::from(y) - 0.5).ceil();
        let first = row(top.1).max(f64::from(area.y1)) as i32;
        let end = row(bottom.1).min(f64::from(area.y2)) as i32;
        // Single precision decides where a line passes through the middle of a pixel.
        let slope = (bottom.0 - top.0) / (bottom.1 - top.1);
        let start = top.0 + (first as f32 + 0.5 - top.1) * slope;
        for y in first..end {
            let x = f64::from(start) + f64::from(y - first) * f64::from(slope);
            crossings.push((y, (x - 0.5).ceil() as i32, turn));
        }
    }
    crossings.sort_unstable();
    let mut spans: Vec<Area> = Vec::new();
    let (mut row, mut winding) = (i32::MIN, 0);
    for pair in crossings.windows(2) {
        let ((y, x, turn), (next_y, next_x, _)) = (pair[0], pair[1]);
        if y != row {
            (row, winding) = (y, 0);
        }
        winding += turn;
        let is_inside = if non_zero { winding != 0 } else { winding & 1 != 0 };
        let (x1, x2) = (x.max(area.x1), next_x.min(area.x2));
        if !is_inside || next_y != y || x1 >= x2 {
            continue;
        }
        match spans.last_mut() {
            Some(last) if last.y1 == y && last.x2 >= x1 => last.x2 = last.x2.max(x2),
            _ => spans.push(Area { x1, y1: y, x2, y2: y + 1 }),
        }
    }
    spans
}
