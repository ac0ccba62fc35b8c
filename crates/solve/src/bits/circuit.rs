//! Gates over literals with structural hashing and constant folding.

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, clause, lbool};
use rustc_hash::FxHashMap;

/// A literal: a SAT variable (0 is constant true) with the sign in the lowest bit, 1 if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bit(u32);

impl Bit {
    pub(super) const TRUE: Bit = Bit(0);
    pub(super) const FALSE: Bit = Bit(1);

    pub(super) const fn constant(value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }

    const fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// Ends a search after a number of learned clauses, one per conflict.
struct Budget {
    learnt: u64,
    most: u64,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[Lit], source: clause::Kind) {
        if source == clause::Kind::Learnt {
            self.learnt += 1;
        }
    }

    fn stop(&self) -> bool {
        self.learnt >= self.most
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Bit, Bit),
    Xor(Bit, Bit),
    Mux(Bit, Bit, Bit),
    Majority(Bit, Bit, Bit),
}

/// A SAT solver with the gates that its clauses define.
pub(super) struct Circuit {
    solver: Solver<Budget>,
    variables: Vec<Var>,
    gates: FxHashMap<Gate, Bit>,
    clause: Vec<Lit>,
}

/// The result of a search.
pub(super) enum CircuitEnd {
    Sat,
    /// Indices of contradictory assumptions.
    Unsat(Vec<usize>),
    Budget,
}

impl Circuit {
    pub(super) fn new() -> Circuit {
        let mut solver = Solver::new(SolverOpts::default(), Budget { learnt: 0, most: u64::MAX });
        let truth = solver.new_var_default();
        let mut circuit =
            Circuit { solver, variables: vec![truth], gates: FxHashMap::default(), clause: Vec::new() };
        circuit.add(&[Bit::TRUE]);
        circuit
    }

    /// Number of gates.
    pub(super) fn size(&self) -> usize {
        self.gates.len()
    }

    /// A free input; the search tries this value first.
    pub(super) fn input(&mut self, first: bool) -> Bit {
        self.variable(lbool::new(first))
    }

    fn variable(&mut self, first: lbool) -> Bit {
        let variable = self.solver.new_var(first, true);
        self.variables.push(variable);
        Bit((self.variables.len() as u32 - 1) << 1)
    }

    fn literal(&self, bit: Bit) -> Lit {
        Lit::new(self.variables[(bit.0 >> 1) as usize], bit.0 & 1 == 0)
    }

    fn add(&mut self, bits: &[Bit]) {
        let mut clause = std::mem::take(&mut self.clause);
        clause.clear();
        clause.extend(bits.iter().map(|bit| self.literal(*bit)));
        self.solver.add_clause_reuse(&mut clause);
        self.clause = clause;
    }

    fn gate(&mut self, gate: Gate, clauses: impl FnOnce(&mut Circuit, Bit)) -> Bit {
        if let Some(&known) = self.gates.get(&gate) {
            return known;
        }
        let out = self.variable(lbool::UNDEF);
        clauses(self, out);
        self.gates.insert(gate, out);
        out
    }

    pub(super) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Bit::TRUE, x) => x,
            (Bit::FALSE, _) => Bit::FALSE,
            _ if a == b => a,
            _ if a == !b => Bit::FALSE,
            _ => self.gate(Gate::And(a, b), |c, o| {
                c.add(&[!o, a]);
                c.add(&[!o, b]);
                c.add(&[o, !a, !b]);
            }),
        }
    }

    pub(super) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        // Signs are pulled out, so that all four sign combinations share a gate.
        let negated = (a.0 ^ b.0) & 1 == 1;
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let plain = if a == b {
            Bit::FALSE
        } else if a == Bit::TRUE {
            !b
        } else {
            self.gate(Gate::Xor(a, b), |c, o| {
                c.add(&[!o, a, b]);
                c.add(&[!o, !a, !b]);
                c.add(&[o, !a, b]);
                c.add(&[o, a, !b]);
            })
        };
        if negated { !plain } else { plain }
    }

    pub(super) fn same(&mut self, a: Bit, b: Bit) -> Bit {
        !self.xor(a, b)
    }

    /// `condition ? a : b`.
    pub(super) fn mux(&mut self, condition: Bit, a: Bit, b: Bit) -> Bit {
        match condition {
            Bit::TRUE => return a,
            Bit::FALSE => return b,
            _ => {}
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.same(condition, a);
        }
        if a.is_constant() || a == condition || a == !condition {
            let a = a == Bit::TRUE || a == condition;
            return if a { self.or(condition, b) } else { self.and(!condition, b) };
        }
        if b.is_constant() || b == condition || b == !condition {
            let b = b == Bit::TRUE || b == !condition;
            return if b { self.or(!condition, a) } else { self.and(condition, a) };
        }
        if condition.0 & 1 == 1 {
            return self.mux(!condition, b, a);
        }
        self.gate(Gate::Mux(condition, a, b), |c, o| {
            c.add(&[!condition, !a, o]);
            c.add(&[!condition, a, !o]);
            c.add(&[condition, !b, o]);
            c.add(&[condition, b, !o]);
            c.add(&[!a, !b, o]);
            c.add(&[a, b, !o]);
        })
    }

    /// Whether at least two of three inputs are true: the carry of an adder.
    pub(super) fn majority(&mut self, a: Bit, b: Bit, d: Bit) -> Bit {
        let mut inputs = [a, b, d];
        inputs.sort_unstable();
        let [a, b, d] = inputs;
        match a {
            Bit::TRUE => return self.or(b, d),
            Bit::FALSE => return self.and(b, d),
            _ => {}
        }
        if a == b || b == d {
            return b;
        }
        // The inputs are sorted, so complements are adjacent.
        if a == !b {
            return d;
        }
        if b == !d {
            return a;
        }
        self.gate(Gate::Majority(a, b, d), |c, o| {
            c.add(&[!a, !b, o]);
            c.add(&[!a, !d, o]);
            c.add(&[!b, !d, o]);
            c.add(&[a, b, !o]);
            c.add(&[a, d, !o]);
            c.add(&[b, d, !o]);
        })
    }

    /// Searches for a model of the assumptions.
    pub(super) fn solve(&mut self, assumptions: &[Bit]) -> CircuitEnd {
        // Each assumption gets a selector literal, so that the core can name it.
        let selectors: Vec<Bit> = assumptions.iter().map(|_| self.variable(lbool::UNDEF)).collect();
        for (selector, assumption) in selectors.iter().zip(assumptions) {
            self.add(&[!*selector, *assumption]);
        }
        let literals: Vec<Lit> = selectors.iter().map(|selector| self.literal(*selector)).collect();
        let found = self.solver.solve_limited(&literals);
        if found == lbool::TRUE {
            CircuitEnd::Sat
        } else if found == lbool::FALSE {
            let named = literals.iter().enumerate();
            CircuitEnd::Unsat(
                named
                    .filter(|(_, l)| self.solver.unsat_core_contains_var(l.var()))
                    .map(|(at, _)| at)
                    .collect(),
            )
        } else {
            CircuitEnd::Budget
        }
    }

    /// Limits the conflicts of the search.
    pub(super) fn limit(&mut self, conflicts: u64) {
        self.solver.cb_mut().most = conflicts;
    }

    /// What the gates and the search cost, in microseconds of a reference machine.
    pub(super) fn work(&self) -> u64 {
        self.size() as u64 / 2 + self.solver.num_propagations() / 7
    }

    /// The value of a bit after `Sat`.
    pub(super) fn value(&self, bit: Bit) -> bool {
        self.solver.value_lit(self.literal(bit)) == lbool::TRUE
    }
}
