//! Random values for requirements with bounds (paper §2, §3), and simpler values for shrinking failures.

use crate::conditions::{CaseClass, Truth};
use cupping_contract::{BoundMethods, Order};
use cupping_machine::{CallEnd, Kind, Machine, Value};

/// Number of draws before giving up on a predicate.
const MOST_DRAWS: usize = 2000;
/// Fuel for one evaluation of a predicate.
const FUEL: u64 = 1_000_000;

/// The SplitMix64 generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u128) -> u128 {
        ((self.next() as u128) << 64 | self.next() as u128) % bound.max(1)
    }
}

/// Bounds whose ends have been evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Space {
    pub(crate) kind: Option<Kind>,
    low: Option<Value>,
    high: Option<Value>,
    pub(crate) excluded: Vec<Value>,
    pub(crate) among: Option<Vec<Value>>,
    predicates: Vec<String>,
}

/// The integer that a value of this kind denotes.
pub(crate) fn integer(kind: Kind, value: Value) -> i128 {
    match kind {
        Kind::Long => value.bits as i64 as i128,
        Kind::Char => value.bits as u16 as i128,
        Kind::Boolean => (value.bits & 1) as i128,
        _ => value.bits as u32 as i32 as i128,
    }
}

fn of_integer(kind: Kind, integer: i128) -> Value {
    match kind {
        Kind::Long => Value::long(integer as i64),
        _ => Value::concrete(integer as i32 as u32 as u64),
    }
}

fn limits(kind: Kind) -> (i128, i128) {
    match kind {
        Kind::Boolean => (0, 1),
        Kind::Byte => (i8::MIN as i128, i8::MAX as i128),
        Kind::Short => (i16::MIN as i128, i16::MAX as i128),
        Kind::Char => (0, u16::MAX as i128),
        Kind::Long => (i64::MIN as i128, i64::MAX as i128),
        _ => (i32::MIN as i128, i32::MAX as i128),
    }
}

fn is_floating(kind: Kind) -> bool {
    matches!(kind, Kind::Float | Kind::Double)
}

pub(crate) fn real(kind: Kind, value: Value) -> f64 {
    crate::shape::number(kind, value.bits).unwrap_or(0.0)
}

impl Space {
    /// Evaluates the ends of bounds.
    pub(crate) fn of(
        machine: &mut Machine,
        class: &CaseClass,
        kind: Kind,
        bounds: &[BoundMethods],
    ) -> Result<Space, String> {
        let mut space = Space { kind: Some(kind), ..Space::default() };
        let end = |machine: &mut Machine, name: &str| match class.ask(machine, name, &[]) {
            Ok(CallEnd::Returned(value)) => Ok(value),
            Ok(CallEnd::Threw(thrown)) => Err(machine.describe_throwable(thrown)),
            Err(halt) => Err(format!("{halt:?}")),
        };
        for bound in bounds {
            match bound {
                BoundMethods::Compare(order, name) => {
                    let value = end(machine, name)?;
                    space.compare(kind, *order, value);
                }
                BoundMethods::Range(low, high) => {
                    let (low, high) = (end(machine, low)?, end(machine, high)?);
                    space.compare(kind, Order::AtLeast, low);
                    space.compare(kind, Order::AtMost, high);
                }
                BoundMethods::OneOf(names) => {
                    let values: Result<Vec<Value>, String> =
                        names.iter().map(|name| end(machine, name)).collect();
                    space.among = Some(values?);
                }
                BoundMethods::Where(name) => space.predicates.push(name.clone()),
            }
        }
        Ok(space)
    }

    fn compare(&mut self, kind: Kind, order: Order, value: Value) {
        if order == Order::Not {
            self.excluded.push(value);
            return;
        }
        let mut next = |by: i128| {
            if is_floating(kind) {
                let real = real(kind, value);
                let real = if by > 0 { real.next_up() } else { real.next_down() };
                match kind {
                    Kind::Float => {
                        let single = f32::from_bits(value.bits as u32);
                        Value::float(if by > 0 { single.next_up() } else { single.next_down() })
                    }
                    _ => Value::double(real),
                }
            } else {
                let (low, high) = limits(kind);
                let moved = integer(kind, value) + by;
                if moved < low || moved > high {
                    // No value lies beyond the greatest one: the space is empty.
                    self.among = Some(Vec::new());
                }
                of_integer(kind, moved.clamp(low, high))
            }
        };
        let value = match order {
            Order::Less => next(-1),
            Order::Greater => next(1),
            _ => value,
        };
        match order {
            Order::Less | Order::AtMost => self.lower(kind, value),
            _ => self.raise(kind, value),
        }
    }

    fn less(kind: Kind, a: Value, b: Value) -> bool {
        if is_floating(kind) { real(kind, a) < real(kind, b) } else { integer(kind, a) < integer(kind, b) }
    }

    fn lower(&mut self, kind: Kind, to: Value) {
        if self.high.is_none_or(|high| Space::less(kind, to, high)) {
            self.high = Some(to);
        }
    }

    fn raise(&mut self, kind: Kind, to: Value) {
        if self.low.is_none_or(|low| Space::less(kind, low, to)) {
            self.low = Some(to);
        }
    }

    /// Whether a value is within the bounds, predicates aside.
    pub(crate) fn contains(&self, value: Value) -> bool {
        let Some(kind) = self.kind else { return true };
        if kind == Kind::Reference {
            return true;
        }
        let same = |other: &Value| {
            if is_floating(kind) {
                real(kind, *other) == real(kind, value)
            } else {
                integer(kind, *other) == integer(kind, value)
            }
        };
        let is_nan = is_floating(kind) && real(kind, value).is_nan();
        !self.low.is_some_and(|low| is_nan || Space::less(kind, value, low))
            && !self.high.is_some_and(|high| is_nan || Space::less(kind, high, value))
            && !self.excluded.iter().any(same)
            && self.among.as_ref().is_none_or(|among| among.iter().any(same))
    }

    /// The least and greatest integer that may be within the bounds; `None` where only a predicate decides.
    pub(crate) fn range(&self) -> Option<(i128, i128)> {
        let kind = self.kind.filter(|kind| !is_floating(*kind) && *kind != Kind::Reference)?;
        let (least, most) = limits(kind);
        let end = |value: Option<Value>, end: i128| value.map_or(end, |it| integer(kind, it));
        Some((end(self.low, least), end(self.high, most)))
    }

    /// Whether the bounds include predicates, which run code.
    pub(crate) fn has_predicates(&self) -> bool {
        !self.predicates.is_empty()
    }

    /// Whether the predicates hold of the variables up to this one.
    pub(crate) fn admits(&self, machine: &mut Machine, class: &CaseClass, variables: &[Value]) -> Truth {
        for name in &self.predicates {
            let answer = machine.aside(FUEL, |machine| {
                let answer = class.ask(machine, name, variables);
                Truth::of(machine, answer)
            });
            if answer != Truth::Holds {
                return answer;
            }
        }
        Truth::Holds
    }

    /// Draws a value within the bounds. `variables` are the values of the variables before it.
    pub(crate) fn draw(
        &self,
        machine: &mut Machine,
        class: &CaseClass,
        variables: &[Value],
        random: &mut Random,
    ) -> Option<Value> {
        for draw in 0..MOST_DRAWS {
            let value = self.candidate(random, draw)?;
            let all: Vec<Value> = variables.iter().copied().chain([value]).collect();
            if self.contains(value) && self.admits(machine, class, &all) == Truth::Holds {
                return Some(value);
            }
        }
        None
    }

    fn candidate(&self, random: &mut Random, draw: usize) -> Option<Value> {
        let kind = self.kind?;
        if let Some(among) = &self.among {
            return (!among.is_empty()).then(|| among[random.below(among.len() as u128) as usize]);
        }
        if kind == Kind::Reference {
            return None;
        }
        if is_floating(kind) {
            let low = self.low.map_or(-1e6, |it| real(kind, it));
            let high = self.high.map_or(low.max(0.0) + 1e6, |it| real(kind, it));
            let low = if self.low.is_none() { low.min(high - 1e6) } else { low };
            let part = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
            let value = match random.below(8) {
                0 => low,
                1 => high,
                _ => low + (high - low) * part,
            };
            return Some(if kind == Kind::Float { Value::float(value as f32) } else { Value::double(value) });
        }
        let (least, most) = limits(kind);
        let low = self.low.map_or(least, |it| integer(kind, it));
        let high = self.high.map_or(most, |it| integer(kind, it));
        if low > high {
            return None;
        }
        // Ends first, then small numbers near zero, then any number.
        let near = 0i128.clamp(low, high);
        let value = match random.below(8) {
            0 => low,
            1 => high,
            2..=4 => near + random.below(64) as i128 - 32,
            5 => near + random.below(4096) as i128 - 2048,
            _ => low + random.below((high - low + 1) as u128) as i128,
        };
        Some(of_integer(
            kind,
            if draw < 64 {
                value.clamp(low, high)
            } else {
                low + random.below((high - low + 1) as u128) as i128
            },
        ))
    }

    /// Simpler values than this one, the simplest first.
    pub(crate) fn simpler(&self, value: Value) -> Vec<Value> {
        let Some(kind) = self.kind else { return Vec::new() };
        if let Some(among) = &self.among {
            return among.iter().copied().take_while(|it| it.bits != value.bits).collect();
        }
        if kind == Kind::Reference || kind == Kind::Boolean {
            return Vec::new();
        }
        let mut simpler: Vec<Value> = if is_floating(kind) {
            let value = real(kind, value);
            let make =
                |real: f64| if kind == Kind::Float { Value::float(real as f32) } else { Value::double(real) };
            [0.0, 1.0, -1.0, value.trunc(), value / 2.0]
                .into_iter()
                .filter(|it| it.abs() < value.abs())
                .map(make)
                .collect()
        } else {
            let (low, high) = limits(kind);
            let low = self.low.map_or(low, |it| integer(kind, it));
            let high = self.high.map_or(high, |it| integer(kind, it));
            let near = 0i128.clamp(low, high.max(low));
            let value = integer(kind, value);
            let distance = value - near;
            let mut steps = Vec::new();
            let mut part = distance;
            while part != 0 {
                steps.push(value - part);
                part /= 2;
            }
            steps.into_iter().map(|it| of_integer(kind, it)).collect()
        };
        simpler.retain(|it| self.contains(*it) && it.bits != value.bits);
        simpler
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_bound() {
        let mut space = Space { kind: Some(Kind::Int), ..Space::default() };
        space.compare(Kind::Int, Order::Less, Value::int(10));
        space.compare(Kind::Int, Order::AtLeast, Value::int(-3));
        space.compare(Kind::Int, Order::Not, Value::int(0));
        let mut random = Random(7);
        for draw in 0..1000 {
            let value = space.candidate(&mut random, draw % 128).unwrap();
            assert!((-3..10).contains(&value.as_int()), "{value:?}");
        }
        assert!(
            !space.contains(Value::int(0))
                && !space.contains(Value::int(10))
                && space.contains(Value::int(-3))
        );
    }

    fn space(kind: Kind, bounds: &[(Order, Value)]) -> Space {
        let mut space = Space { kind: Some(kind), ..Space::default() };
        bounds.iter().for_each(|(order, value)| space.compare(kind, *order, *value));
        space
    }

    #[test]
    fn nothing_is_below_the_least_value_or_above_the_greatest() {
        for (kind, order, end) in [
            (Kind::Int, Order::Less, Value::int(i32::MIN)),
            (Kind::Long, Order::Greater, Value::long(i64::MAX)),
            (Kind::Char, Order::Less, Value::int(0)),
            (Kind::Byte, Order::Greater, Value::int(127)),
        ] {
            let empty = space(kind, &[(order, end)]);
            assert!(!empty.contains(end), "{kind:?}");
            assert_eq!(empty.candidate(&mut Random(1), 0), None, "{kind:?}");
        }
        let one = space(Kind::Long, &[(Order::Greater, Value::long(i64::MAX - 1))]);
        assert_eq!(one.candidate(&mut Random(1), 0), Some(Value::long(i64::MAX)));
        assert_eq!(one.range(), Some((i128::from(i64::MAX), i128::from(i64::MAX))));
        // Contradictory bounds leave nothing either.
        let none = space(Kind::Int, &[(Order::AtLeast, Value::int(3)), (Order::AtMost, Value::int(2))]);
        assert_eq!(none.candidate(&mut Random(1), 0), None);
    }

    #[test]
    fn the_narrowest_bounds_count() {
        let all = [
            (Order::AtLeast, 1),
            (Order::AtLeast, -5),
            (Order::AtMost, 9),
            (Order::Less, 8),
            (Order::AtMost, 20),
        ];
        let narrow = space(Kind::Int, &all.map(|(order, value)| (order, Value::int(value))));
        assert_eq!(narrow.range(), Some((1, 7)));
        assert_eq!(space(Kind::Short, &[]).range(), Some((-32_768, 32_767)));
        assert_eq!((space(Kind::Double, &[]).range(), space(Kind::Reference, &[]).range()), (None, None));
    }

    #[test]
    fn strict_bounds_of_floats_are_the_next_floats() {
        let above = space(Kind::Double, &[(Order::Greater, Value::double(1.0))]);
        assert!(!above.contains(Value::double(1.0)) && above.contains(Value::double(1.0_f64.next_up())));
        let below = space(Kind::Float, &[(Order::Less, Value::float(0.5))]);
        assert!(!below.contains(Value::float(0.5)) && below.contains(Value::float(0.5_f32.next_down())));
        // NaN is within no bound, and within any space without one.
        assert!(!above.contains(Value::double(f64::NAN)) && !below.contains(Value::float(f32::NAN)));
        assert!(space(Kind::Double, &[]).contains(Value::double(f64::NAN)));
        let mut random = Random(3);
        for draw in 0..200 {
            let value = above.candidate(&mut random, draw).unwrap();
            assert!(above.contains(value), "{value:?}");
        }
    }

    #[test]
    fn simpler_values_come_nearer_to_zero_or_the_nearest_end() {
        let ints = |space: &Space, value| {
            space.simpler(Value::int(value)).into_iter().map(Value::as_int).collect::<Vec<_>>()
        };
        // Half of the distance less each time: 100, 50, 25, 12, 6, 3, 1.
        assert_eq!(ints(&space(Kind::Int, &[]), -100), [0, -50, -75, -88, -94, -97, -99]);
        let negative = space(Kind::Int, &[(Order::AtMost, Value::int(-8)), (Order::Not, Value::int(-8))]);
        assert_eq!(ints(&negative, -10), [-9]);
        assert_eq!(ints(&negative, -8), [0; 0]);
        let mut listed = space(Kind::Int, &[]);
        listed.among = Some([5, 3, 9].map(Value::int).to_vec());
        assert_eq!(ints(&listed, 9), [5, 3], "those listed before it");
        let halves: Vec<f64> = space(Kind::Double, &[])
            .simpler(Value::double(-2.5))
            .into_iter()
            .map(|it| real(Kind::Double, it))
            .collect();
        assert_eq!(halves, [0.0, 1.0, -1.0, -2.0, -1.25]);
        assert!(space(Kind::Boolean, &[]).simpler(Value::int(1)).is_empty());
    }

    #[test]
    fn failing_values_shrink() {
        let mut space = Space { kind: Some(Kind::Int), ..Space::default() };
        space.compare(Kind::Int, Order::AtLeast, Value::int(5));
        let simpler: Vec<i32> = space.simpler(Value::int(100)).into_iter().map(Value::as_int).collect();
        assert_eq!(simpler, [5, 53, 77, 89, 95, 98, 99]);
    }
}
