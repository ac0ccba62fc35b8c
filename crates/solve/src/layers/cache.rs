//! Caches answers: recent models, which may satisfy other goals, and unsatisfiable cores.

use std::collections::VecDeque;

use cupping_term::{Model, TermId};
use rustc_hash::FxHashMap;

use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::Answer;

/// The cache of the later layers' answers.
#[derive(Default)]
pub struct Cache {
    /// Cores in ascending order, by their greatest term: a goal that contains a core is unsatisfiable.
    cores: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    /// Recent models, latest first.
    models: VecDeque<Model>,
}

/// Number of models kept.
const MODELS: usize = 32;

impl Layer for Cache {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, rest: &mut LowerLayers<'_>) -> LayerVerdict {
        if let Some(core) = self.known_core(goal) {
            return LayerVerdict::Own(Answer::Unsat { core });
        }
        for position in 0..self.models.len() {
            // The last assertion is usually the new one and the most likely to fail, so check it first.
            let model = &self.models[position];
            cx.evaluator.forget();
            let fits = goal.assertions.iter().rev().all(|&a| cx.evaluator.eval(cx.terms, model, a) != 0);
            if fits {
                let found = self.models.remove(position).unwrap_or_default();
                self.models.push_front(found.clone());
                return LayerVerdict::Own(Answer::Sat(found));
            }
        }
        let answer = rest.solve(cx, goal);
        match &answer {
            Answer::Sat(model) => {
                self.models.push_front(model.clone());
                self.models.truncate(MODELS);
            }
            Answer::Unsat { core } => self.remember(goal, core),
            Answer::Unknown(_) => {}
        }
        LayerVerdict::Passed(answer)
    }

    fn forget(&mut self) {
        self.cores.clear();
        self.models.clear();
    }
}

impl Cache {
    fn remember(&mut self, goal: &Goal, core: &[usize]) {
        let mut terms: Vec<TermId> = core.iter().map(|&position| goal.assertions[position]).collect();
        terms.sort_unstable();
        terms.dedup();
        if let Some(&greatest) = terms.last() {
            self.cores.entry(greatest).or_default().push(terms.into_boxed_slice());
        }
    }

    /// The indices of a known core within the goal.
    fn known_core(&self, goal: &Goal) -> Option<Vec<usize>> {
        let mut positions: Vec<(TermId, usize)> =
            goal.assertions.iter().enumerate().map(|(position, &term)| (term, position)).collect();
        positions.sort_unstable();
        let place =
            |term: &TermId| positions.binary_search_by_key(term, |(t, _)| *t).ok().map(|at| positions[at].1);
        for (greatest, _) in &positions {
            for core in self.cores.get(greatest).into_iter().flatten() {
                if let Some(mut found) = core.iter().map(place).collect::<Option<Vec<usize>>>() {
                    found.sort_unstable();
                    return Some(found);
                }
            }
        }
        None
    }
}
