//! Confirms deduced sequences on the machine: a pair only counts if its definition actually reached its use.

use crate::deduce::{Sequence, SequenceOutcome};
use crate::exercised_pairs::ExercisedPairs;
use cupping_generate::{Candidate, Hint, Interest, Invokable, PlannedCall, Workbench};
use cupping_machine::{DefUse, Kind, Machine};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A run that exercises pairs: its calls, the candidate, and the pairs.
pub type ConfirmedRun = (Vec<String>, Candidate, BTreeSet<usize>);

/// Calls by summary, with hints for their arguments.
type Key = Vec<(usize, Vec<Hint>)>;

/// Runs sequences, each at most once.
#[derive(Default)]
pub struct Confirmer {
    /// Sequences that missed their pair. The other pairs that they exercise are recorded already.
    failed: FxHashSet<Key>,
}

impl Confirmer {
    /// Whether a sequence exercises a pair. Runs that exercise other pairs for which `is_open` holds (at most
    /// once per pair) are added to `found`. Other references are tried only while the
    /// bench has done less work than `limit`.
    #[expect(clippy::too_many_arguments, reason = "borrows the parts of a run from different owners")]
    pub fn confirm(
        &mut self,
        bench: &mut Workbench<'_>,
        sequence: &Sequence,
        invokables: &[Rc<Invokable>],
        exercised: &ExercisedPairs,
        number: usize,
        limit: u64,
        is_open: &mut dyn FnMut(usize) -> bool,
        found: &mut Vec<ConfirmedRun>,
    ) -> SequenceOutcome {
        // No sequence calls what others may call between its calls.
        if sequence.calls.iter().any(|call| call.summary >= invokables.len()) {
            return SequenceOutcome::Known;
        }
        let mut calls = hinted(sequence, invokables);
        let summaries = sequence.calls.iter().map(|call| call.summary);
        let key: Key = summaries.zip(calls.iter().map(|call| call.arguments.clone())).collect();
        if self.failed.contains(&key) {
            return SequenceOutcome::Known;
        }
        for alternative in 0..ALTERNATIVES {
            if alternative > 0 && bench.work() > limit {
                break;
            }
            let mut is_confirmed = false;
            let mut all = Vec::new();
            let mut wanted = |machine: &Machine, recorded: &BTreeSet<DefUse>| {
                let pairs = exercised.pairs(machine, recorded);
                let is_own = pairs.contains(&number);
                let is_new = pairs.iter().filter(|pair| is_open(**pair)).count() > 0;
                if !is_own && !is_new {
                    return Interest::No;
                }
                all.push(pairs);
                is_confirmed = is_own;
                if is_own { Interest::This } else { Interest::Also }
            };
            let candidates = bench.attempt(&calls, &mut wanted);
            found.extend(candidates.into_iter().zip(all).map(|(c, pairs)| (c.calls(), c, pairs)));
            if is_confirmed {
                return SequenceOutcome::Exercised;
            }
            // A reference argument may need another class.
            let Some(last) = calls.last_mut() else { break };
            if !last.invokable.parameters.iter().any(|p| p.kind == Kind::Reference) {
                break;
            }
            last.alternative = alternative + 1;
        }
        self.failed.insert(key);
        if bench.work() > limit { SequenceOutcome::MissedLast } else { SequenceOutcome::Missed }
    }
}

/// Limit on the choices of references for the last call.
const ALTERNATIVES: usize = 4;

/// The calls of a sequence with hints for their arguments.
fn hinted(sequence: &Sequence, invokables: &[Rc<Invokable>]) -> Vec<PlannedCall> {
    let calls = sequence.calls.iter().map(|call| {
        let invokable = invokables[call.summary].clone();
        let arguments = invokable.parameters.iter().zip(&call.parameters).map(|(parameter, variables)| {
            let is_reference = parameter.kind == Kind::Reference;
            match variables {
                (_, Some(length)) => Hint::Length(sequence.model.get(*length) as u32),
                (Some(variable), None) if is_reference => match sequence.model.get(*variable) {
                    0 => Hint::Null,
                    _ => Hint::NotNull,
                },
                (Some(variable), None) => Hint::Bits(sequence.model.get(*variable)),
                (None, None) => Hint::Any,
            }
        });
        let arguments = arguments.collect();
        PlannedCall { invokable, arguments, alternative: 0 }
    });
    calls.collect()
}
