//! Converts circuits to clauses (Plaisted & Greenbaum): a gate only gets the clauses of the polarities in
//! which it is used.
//!
//! Once all inputs are assigned without falsifying a clause, the circuit is true: a false one would have
//! propagated to its root. So only inputs need to be decided.

use super::circuit::{Bit, Circuit, Gate};
use crate::sat::{Lit, Solver};

/// The clauses written for a gate, and its variable.
#[derive(Clone, Copy, Default)]
struct GateClauses {
    variable: Option<u32>,
    sides: [bool; 2],
}

/// The converter.
pub(crate) struct Cnf {
    written: Vec<GateClauses>,
}

impl Cnf {
    /// The circuit's inputs become the first variables of the solver.
    pub(crate) fn new() -> Cnf {
        Cnf { written: Vec::new() }
    }

    /// Asserts that `bit` is true.
    pub(crate) fn require(&mut self, circuit: &Circuit, solver: &mut Solver, bit: Bit) {
        self.written.resize(circuit.len(), GateClauses::default());
        let mut roots = vec![bit];
        while let Some(root) = roots.pop() {
            match (circuit.gate(root.gate()), root.is_negated()) {
                (Gate::True, false) => {}
                (Gate::True, true) => solver.add_clause(&[]),
                (Gate::And(parts), false) => roots.extend(parts),
                (Gate::And(parts), true) => {
                    let clause =
                        parts.iter().map(|it| self.literal(circuit, solver, !*it)).collect::<Vec<_>>();
                    solver.add_clause(&clause);
                }
                (Gate::Input(_), _) => {
                    let literal = self.literal(circuit, solver, root);
                    solver.add_clause(&[literal]);
                }
            }
        }
    }

    /// A literal that implies `bit`, which must not be constant.
    pub(crate) fn literal(&mut self, circuit: &Circuit, solver: &mut Solver, bit: Bit) -> Lit {
        self.written.resize(circuit.len(), GateClauses::default());
        let mut pending = vec![bit];
        while let Some(bit) = pending.pop() {
            let side = usize::from(bit.is_negated());
            if self.written[bit.gate()].sides[side] {
                continue;
            }
            self.written[bit.gate()].sides[side] = true;
            let literal = self.plain(circuit, solver, bit);
            if let Gate::And(parts) = circuit.gate(bit.gate()) {
                if bit.is_negated() {
                    let mut clause = vec![!literal];
                    clause.extend(parts.iter().map(|it| self.plain(circuit, solver, !*it)));
                    solver.add_clause(&clause);
                    pending.extend(parts.iter().map(|it| !*it));
                } else {
                    for part in parts {
                        let part_literal = self.plain(circuit, solver, *part);
                        solver.add_clause(&[!literal, part_literal]);
                    }
                    pending.extend(parts.iter().copied());
                }
            }
        }
        self.plain(circuit, solver, bit)
    }

    fn plain(&mut self, circuit: &Circuit, solver: &mut Solver, bit: Bit) -> Lit {
        let variable = match circuit.gate(bit.gate()) {
            Gate::Input(at) => *at,
            _ => {
                let written = &mut self.written[bit.gate()].variable;
                *written.get_or_insert_with(|| solver.new_variable())
            }
        };
        // For a negated gate, the clauses of that polarity make the literal imply `¬g`.
        Lit::new(variable, bit.is_negated())
    }
}
