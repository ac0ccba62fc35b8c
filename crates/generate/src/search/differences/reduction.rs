//! Makes calls that show a difference smaller.

use super::super::Search;
use super::super::products::{Attempt, Part, halved};
use super::Opponent;
use crate::candidate::Candidate;
use crate::input::Input;
use crate::mutation::Vocabulary;
use crate::plan::{Plan, PlanStep};
use crate::versions::Extent;
use cupping_machine::Kind;
use std::rc::Rc;

/// Runs by which calls are made smaller, at most.
const MAX_REDUCTIONS: usize = 60;
/// Length up to which single characters of a text are dropped.
const SHORT: usize = 8;

impl Search<'_> {
    /// The smallest form found that still differs in this: without calls that are not needed, with shorter texts and
    /// arrays and smaller numbers; `None` if there is none smaller.
    pub(super) fn smaller(
        &mut self,
        opponent: &Opponent<'_>,
        candidate: &Candidate,
        extent: Extent,
        vocabulary: &Vocabulary,
    ) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        let mut tries = 0;
        let mut take_if_differing = |search: &mut Self, best: &mut Option<Candidate>, plan: Plan| {
            let of = best.as_ref().unwrap_or(candidate);
            tries += 1;
            if tries > MAX_REDUCTIONS || !search.ends_under_test(&plan) || search.is_late() {
                return false;
            }
            let slots = Rc::new(of.driver.slots.clone());
            let attempt = Attempt { plan: Rc::new(plan), slots, model: of.model.clone() };
            let Some(smaller) = search.follow_to_end(&opponent.bases.original, &attempt) else {
                return false;
            };
            let is_differing = search.differing_extent(opponent, &smaller) == Some(extent);
            if is_differing {
                *best = Some(smaller);
            }
            is_differing
        };
        let plan_of = |best: &Option<Candidate>| best.as_ref().unwrap_or(candidate).plan.clone();
        for at in (candidate.plan.setup..candidate.plan.steps.len()).rev() {
            let plan = plan_of(&best);
            let is_call = plan.steps.get(at).is_some_and(PlanStep::is_effect);
            if let Some(plan) = is_call.then(|| plan.without(at)).flatten() {
                take_if_differing(self, &mut best, plan);
            }
        }
        for at in candidate.plan.setup..plan_of(&best).steps.len() {
            for part in [Part::First, Part::Second, Part::First, Part::Second] {
                if let Some(plan) = halved(&plan_of(&best), at, part, vocabulary) {
                    take_if_differing(self, &mut best, plan);
                }
            }
            for plan in simpler(&plan_of(&best), at) {
                if take_if_differing(self, &mut best, plan) {
                    break;
                }
            }
        }
        best
    }
}

/// A plan with simpler values in this step, the simplest first.
fn simpler(plan: &Plan, at: usize) -> Vec<Plan> {
    let Some(PlanStep::Input { input, .. }) = plan.steps.get(at) else { return Vec::new() };
    let inputs: Vec<Input> = match input {
        Input::Fixed(kind, bits) => {
            simpler_scalars(*kind, *bits).map(|bits| Input::Fixed(*kind, bits)).collect()
        }
        Input::FixedBox(kind, bits) => {
            simpler_scalars(*kind, *bits).map(|bits| Input::FixedBox(*kind, bits)).collect()
        }
        Input::Text(text) if !text.is_empty() => {
            let mut texts = vec![Vec::new()];
            for dropped in (0..text.len()).filter(|_| text.len() <= SHORT) {
                texts.push([&text[..dropped], &text[dropped + 1..]].concat());
            }
            texts.into_iter().map(Input::Text).collect()
        }
        _ => Vec::new(),
    };
    let with = |input: Input| {
        let mut plan = plan.clone();
        if let Some(PlanStep::Input { input: known, .. }) = plan.steps.get_mut(at) {
            *known = input;
        }
        plan
    };
    inputs.into_iter().map(with).collect()
}

fn simpler_scalars(kind: Kind, bits: u64) -> impl Iterator<Item = u64> {
    let simple: &[u64] = match kind {
        Kind::Boolean => &[0],
        Kind::Char => &[b'a' as u64],
        Kind::Float => &[0, 0x3f80_0000],
        Kind::Double => &[0, 0x3ff0_0000_0000_0000],
        _ => &[0, 1, 2],
    };
    simple.iter().copied().take_while(move |it| *it != bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simpler_numbers_end_at_the_number_itself() {
        let simpler = |kind, bits| simpler_scalars(kind, bits).collect::<Vec<u64>>();
        assert_eq!(simpler(Kind::Int, 7), [0, 1, 2]);
        assert_eq!(simpler(Kind::Int, 1), [0]);
        assert_eq!(simpler(Kind::Double, 0), [0u64; 0]);
    }

    #[test]
    fn a_short_text_loses_each_of_its_characters() {
        let mut plan = Plan::default();
        let text = "ab".encode_utf16().collect();
        plan.input(Input::Text(text), cupping_case::JavaType::class("java/lang/String"), "text");
        let texts: Vec<Input> = simpler(&plan, 0)
            .into_iter()
            .filter_map(|it| match it.steps.into_iter().next() {
                Some(PlanStep::Input { input, .. }) => Some(input),
                _ => None,
            })
            .collect();
        let text = |it: &str| Input::Text(it.encode_utf16().collect());
        assert_eq!(texts, [text(""), text("b"), text("a")]);
        assert!(simpler(&plan, 1).is_empty());
    }
}
