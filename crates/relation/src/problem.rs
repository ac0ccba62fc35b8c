//! Finds instances of a model within a scope: runs bounds, symmetry breaking, translation, clauses and search in
//! this order.

use crate::boolean::circuit::{Bit, Circuit};
use crate::boolean::cnf::Cnf;
use crate::bounds::{Input, RelationBounds};
use crate::error::Result;
use crate::instance::{Instance, Structure};
use crate::logic::{FieldState, Formula};
use crate::model::Model;
use crate::resolve::Condition;
use crate::sat::{Lit, SatVerdict, SearchResult, Solver};
use crate::symmetry::lex_leader::{GateValues, Leader, LeaderPart};
use crate::symmetry::{reachability, traversal};
use crate::translate::{Leaves, Translator};
use crate::universe::{Scope, Universe};
use std::rc::Rc;

/// Whether unreachable atoms count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbage {
    /// They count, as in Alloy.
    Kept,
    /// They are excluded, as on a heap whose unreachable objects do not matter.
    None,
}

/// The binary logarithm of the number of cubes for each part of a search.
const MORE_CUBES: u32 = 3;

/// The search for all instances, one per isomorphism class.
pub struct Problem {
    universe: Rc<Universe>,
    inputs: Vec<Input>,
    leaves: Leaves,
    pub(crate) circuit: Circuit,
    pub(crate) solver: Solver,
    guards: Vec<(Bit, Lit)>,
    leader: Option<Leader>,
    signatures: usize,
    fields: Vec<usize>,
}

/// The size of a problem and the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProblemSize {
    /// Number of circuit inputs.
    pub inputs: usize,
    /// Number of gates of the circuit.
    pub gates: usize,
    /// Number of conflicts of the solver so far.
    pub conflicts: u64,
}

impl Problem {
    /// The search for instances of the model's facts and the given conditions within a scope.
    pub fn new(model: &Model, scope: &Scope, conditions: &[Condition], garbage: Garbage) -> Result<Problem> {
        let mut bounds = RelationBounds::new(model, scope)?;
        let formulas: Vec<&Formula> =
            model.facts.iter().map(|it| &it.formula).chain(conditions.iter().map(|it| &it.0)).collect();
        let mut known = reachability::stated(model, &formulas);
        if garbage == Garbage::None {
            known.extend(reachability::all(model));
        }
        let reached = traversal::number(model, &mut bounds, &known);
        if garbage == Garbage::None {
            reachability::demand(&mut bounds, &reached.whole);
        }
        let leader = Leader::new(&bounds, &reached);
        if let Some(leader) = &leader {
            leader.exchanges(&mut bounds);
        }
        let RelationBounds { universe, inputs, leaves, circuit, constraints, .. } = bounds;
        let mut translator = Translator::new(model, &universe, &leaves, circuit);
        let mut required = constraints;
        for formula in formulas {
            required.push(translator.formula(formula)?);
        }
        let circuit = translator.algebra.circuit;
        Ok(Problem::solved(model, universe, inputs, leaves, circuit, required, leader))
    }

    /// Loads the clauses of a circuit into a solver.
    pub(crate) fn solved(
        model: &Model,
        universe: Universe,
        inputs: Vec<Input>,
        leaves: Leaves,
        circuit: Circuit,
        required: Vec<Bit>,
        leader: Option<Leader>,
    ) -> Problem {
        let mut solver = Solver::new(inputs.len() as u32);
        let mut cnf = Cnf::new();
        for bit in required {
            cnf.require(&circuit, &mut solver, bit);
        }
        let mut guards = Vec::new();
        for bit in leader.iter().flat_map(Leader::guards) {
            cnf.literal(&circuit, &mut solver, !bit);
            guards.push((bit, cnf.literal(&circuit, &mut solver, bit)));
        }
        Problem {
            universe: Rc::new(universe),
            inputs,
            leaves,
            circuit,
            solver,
            guards,
            leader,
            signatures: model.sigs.len(),
            fields: model.fields.iter().map(|it| it.columns.arity).collect(),
        }
    }

    /// Restricts the search, before it begins, to one of `of` parts, numbered from 0: each instance is in one of them.
    /// Parts are cubes over inputs that are spread over the whole, dealt out in turn; there are more cubes than parts,
    /// because cubes differ in size.
    pub fn restrict(&mut self, part: u32, of: u32) {
        let free: Vec<u32> = (0..self.inputs.len() as u32).filter(|it| self.solver.is_free(*it)).collect();
        let wanted = if of <= 1 { 0 } else { of.next_power_of_two().ilog2() + MORE_CUBES };
        let chosen: Vec<u32> = match free.len() {
            count if count <= wanted as usize => free,
            count => (0..wanted as usize).map(|at| free[at * count / wanted as usize]).collect(),
        };
        for cube in 0..1u64 << chosen.len() {
            if cube % u64::from(of.max(1)) == u64::from(part) {
                continue;
            }
            let excluded = chosen.iter().enumerate().map(|(at, input)| Lit::new(*input, cube >> at & 1 == 1));
            self.solver.add_clause(&excluded.collect::<Vec<Lit>>());
        }
    }

    /// The parts of the problem, for further queries.
    pub(crate) fn into_parts(self) -> (Universe, Vec<Input>, Leaves, Circuit) {
        (Rc::unwrap_or_clone(self.universe), self.inputs, self.leaves, self.circuit)
    }

    /// The atoms of its instances.
    pub fn universe(&self) -> Rc<Universe> {
        self.universe.clone()
    }

    /// Advances to the next instance; false if there is none.
    pub fn advance(&mut self) -> bool {
        self.next_within(u64::MAX) == SearchResult::Model
    }

    /// Advances with a limit on the solver's conflicts; `None` if the limit is reached.
    pub fn advance_within(&mut self, conflicts: u64) -> Option<bool> {
        match self.next_within(conflicts) {
            SearchResult::Model => Some(true),
            SearchResult::Exhausted => Some(false),
            SearchResult::Budget => None,
        }
    }

    fn next_within(&mut self, conflicts: u64) -> SearchResult {
        let Problem { solver, leader, circuit, guards, .. } = self;
        solver.next_model(conflicts, |solver| {
            let Some(leader) = leader else { return SatVerdict::Accept };
            match leader.judge(&mut GateValues::new(circuit), &|at| solver.input(at)) {
                None => SatVerdict::Accept,
                Some(parts) => SatVerdict::Reject(parts.into_iter().map(|it| literal(guards, it)).collect()),
            }
        })
    }

    /// The instance found by [`Problem::advance`].
    pub fn instance(&self) -> Instance {
        let mut structure = Structure {
            sigs: vec![Vec::new(); self.signatures],
            fields: vec![Vec::new(); self.fields.len()],
        };
        for (at, input) in self.inputs.iter().enumerate() {
            if !self.solver.input(at as u32) {
                continue;
            }
            match *input {
                Input::Member(sig, atom) => structure.sigs[sig.0 as usize].push(atom),
                Input::Tuple(field, tuple) => {
                    let base = self.universe.atoms.len() as u64;
                    let mut rest = tuple;
                    let mut atoms = vec![0; self.fields[field.0 as usize]];
                    for place in atoms.iter_mut().rev() {
                        *place = (rest % base) as u32;
                        rest /= base;
                    }
                    structure.fields[field.0 as usize].push(atoms);
                }
            }
        }
        for ((sig, when), matrix) in &self.leaves.sigs {
            if *when == FieldState::Now {
                let certain = matrix.cells.iter().filter(|it| it.1 == Bit::TRUE).map(|it| it.0 as u32);
                let atoms = &mut structure.sigs[sig.0 as usize];
                atoms.extend(certain);
                atoms.sort_unstable();
            }
        }
        structure.fields.iter_mut().for_each(|it| it.sort_unstable());
        Instance { universe: self.universe.clone(), structure }
    }

    /// Counts the remaining instances.
    pub fn count_left(&mut self) -> u64 {
        let mut count = 0;
        while self.advance() {
            count += 1;
        }
        count
    }

    /// Its size, and the work done so far.
    pub fn effort(&self) -> ProblemSize {
        ProblemSize {
            inputs: self.inputs.len(),
            gates: self.circuit.len(),
            conflicts: self.solver.conflicts(),
        }
    }
}

impl Iterator for Problem {
    type Item = Instance;

    fn next(&mut self) -> Option<Instance> {
        self.advance().then(|| self.instance())
    }
}

fn literal(guards: &[(Bit, Lit)], part: LeaderPart) -> Lit {
    match part {
        LeaderPart::Input(at, value) => Lit::new(at, value),
        LeaderPart::Bit(bit) => guards.iter().find(|it| it.0 == bit).map_or(Lit::new(0, false), |it| it.1),
    }
}
