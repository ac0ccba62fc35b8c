//! And-inverter circuits with structural hashing and constant folding.

use rustc_hash::FxHashMap;

/// The output of a gate or its negation: the gate's number with the sign in the lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bit(u32);

impl Bit {
    pub(crate) const TRUE: Bit = Bit(0);
    pub(crate) const FALSE: Bit = Bit(1);

    pub(crate) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn constant(value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

#[derive(Debug)]
pub(crate) enum Gate {
    True,
    Input(u32),
    And(Box<[Bit]>),
}

/// The gates in topological order.
#[derive(Debug)]
pub(crate) struct Circuit {
    gates: Vec<Gate>,
    known: FxHashMap<Box<[Bit]>, u32>,
    inputs: Vec<Bit>,
}

impl Circuit {
    pub(crate) fn new() -> Circuit {
        Circuit { gates: vec![Gate::True], known: FxHashMap::default(), inputs: Vec::new() }
    }

    pub(crate) fn gate(&self, at: usize) -> &Gate {
        &self.gates[at]
    }

    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// A new input; inputs are numbered from 0.
    pub(crate) fn input(&mut self) -> Bit {
        self.gates.push(Gate::Input(self.inputs.len() as u32));
        let bit = Bit((self.gates.len() as u32 - 1) << 1);
        self.inputs.push(bit);
        bit
    }

    /// The input with this number.
    pub(crate) fn input_bit(&self, at: u32) -> Bit {
        self.inputs[at as usize]
    }

    pub(crate) fn and_all(&mut self, mut parts: Vec<Bit>) -> Bit {
        parts.retain(|it| *it != Bit::TRUE);
        if parts.contains(&Bit::FALSE) {
            return Bit::FALSE;
        }
        parts.sort_unstable();
        parts.dedup();
        // After sorting, a bit and its negation are neighbours, and false comes first.
        if parts.first() == Some(&Bit::FALSE) || parts.windows(2).any(|it| it[0] == !it[1]) {
            return Bit::FALSE;
        }
        match parts[..] {
            [] => Bit::TRUE,
            [only] => only,
            _ => {
                let parts: Box<[Bit]> = parts.into();
                if let Some(&at) = self.known.get(&parts) {
                    return Bit(at << 1);
                }
                let at = self.gates.len() as u32;
                self.gates.push(Gate::And(parts.clone()));
                self.known.insert(parts, at);
                Bit(at << 1)
            }
        }
    }

    pub(crate) fn or_all(&mut self, mut parts: Vec<Bit>) -> Bit {
        parts.iter_mut().for_each(|it| *it = !*it);
        !self.and_all(parts)
    }

    pub(crate) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        match (a, b) {
            (Bit::TRUE, other) | (other, Bit::TRUE) => other,
            (Bit::FALSE, _) | (_, Bit::FALSE) => Bit::FALSE,
            _ if a == b => a,
            _ => self.and_all(vec![a, b]),
        }
    }

    pub(crate) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub(crate) fn implies(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(a, !b)
    }

    pub(crate) fn iff(&mut self, a: Bit, b: Bit) -> Bit {
        let forth = self.implies(a, b);
        let back = self.implies(b, a);
        self.and(forth, back)
    }

    pub(crate) fn choose(&mut self, condition: Bit, then: Bit, other: Bit) -> Bit {
        if then == other {
            return then;
        }
        let a = self.implies(condition, then);
        let b = self.implies(!condition, other);
        self.and(a, b)
    }

    /// At most one of the bits is true.
    pub(crate) fn at_most_one(&mut self, bits: &[Bit]) -> Bit {
        let mut parts = Vec::new();
        for (at, a) in bits.iter().enumerate() {
            for b in &bits[at + 1..] {
                parts.push(!self.and(*a, *b));
            }
        }
        self.and_all(parts)
    }
}
