//! The condition under which a difference shows: both versions run along the calls of the example on further paths,
//! and the fewest decisions are chosen that tell the paths on which they differ from those on which they agree.

use super::super::products::{Attempt, ProductLimits};
use super::super::{Search, is_application};
use super::opponent::Opponent;
use crate::candidate::Candidate;
use crate::source_conditions::SourceConditions;
use crate::versions::{Comparison, Extent, Image, Product};
use cupping_explore::{CompletedPath, InvocationEnd, PathDecision};
use cupping_solve::Answer;
use cupping_term::{Op, Term, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Paths along which a difference is generalised.
const MAX_PATHS: usize = 60;
/// Limit on the conditions that are shown for a difference.
const MAX_CONDITIONS: usize = 3;
/// Limit on the characters of a condition.
const MAX_TEXT: usize = 80;

/// What decides about paths, by its text.
#[derive(Default)]
struct Decisions {
    /// The text, with the constraint if that is what the text says, and whether it is of changed code.
    known: Vec<(String, Option<TermId>, bool)>,
    places: BTreeMap<String, usize>,
}

/// A path of both versions together.
struct Sample {
    /// The decisions, as places in [`Decisions::known`].
    decisions: BTreeSet<usize>,
    differs: bool,
}

impl Search<'_> {
    /// The condition under which calls like those of a candidate show a difference, as Java; empty if they
    /// always do, or if no condition is known.
    pub(super) fn generalised(&mut self, opponent: &Opponent<'_>, candidate: &Candidate) -> Vec<String> {
        let attempt = Attempt::of(candidate);
        self.name_apart(&attempt);
        let version = opponent.version.clone();
        let mut sources = SourceConditions::default();
        let mut decisions = Decisions::default();
        let mut samples: Vec<Sample> = Vec::new();
        let mut extent = None;
        self.explore_product(
            &opponent.bases,
            version,
            &attempt,
            ProductLimits::some(MAX_PATHS),
            |search, done| {
                if let Some(done) = done {
                    // What the example shows is what the other paths are asked for.
                    let extent = *extent.get_or_insert_with(|| search.differing_extent(&done));
                    search.take_sample(opponent, &done, extent, (&mut sources, &mut decisions), &mut samples);
                }
                !search.is_late()
            },
        );
        let Some(example) = samples.iter().position(|it| it.differs) else { return Vec::new() };
        let order = decisions.order();
        let Some(chosen) = separating(&samples, example, &order) else { return Vec::new() };
        decisions.texts(self.machine.terms_mut(), &chosen)
    }

    /// Gives inputs of one name different names: those of later calls are numbered.
    fn name_apart(&mut self, attempt: &Attempt) {
        let mut counts: BTreeMap<Rc<str>, usize> = BTreeMap::new();
        for (variable, slot) in attempt.plan.variables.iter().zip(&*attempt.slots) {
            let symbols = &slot.symbols;
            if symbols.values.is_empty() && symbols.length.is_none() {
                continue;
            }
            let count = counts.entry(variable.name.clone()).or_default();
            *count += 1;
            let number = if *count == 1 { String::new() } else { count.to_string() };
            for symbol in symbols.values.iter().chain(&symbols.length) {
                let terms = self.machine.terms_mut();
                let known = &terms.variable(*symbol).name;
                let rest = known.find(['.', '[']).map_or("", |at| &known[at..]);
                let name = format!("{}{number}{rest}", variable.name);
                terms.rename_variable(*symbol, name);
            }
        }
    }

    /// Whether a path shows its difference in its result, or in the state only.
    fn differing_extent(&self, done: &CompletedPath<Product>) -> Extent {
        let (original, other) = done.driver.images(self.machine, Extent::Result);
        let compared = Image::compare(self.machine, &done.model, original, other.as_ref());
        if compared == Comparison::Different { Extent::Result } else { Extent::State }
    }

    fn take_sample(
        &mut self,
        opponent: &Opponent<'_>,
        done: &CompletedPath<Product>,
        extent: Extent,
        (sources, decisions): (&mut SourceConditions, &mut Decisions),
        samples: &mut Vec<Sample>,
    ) {
        let is_end = |it: &InvocationEnd| matches!(it, InvocationEnd::Returned(_) | InvocationEnd::Threw(_));
        let Some((original, other)) = done.driver.ends() else { return };
        if !is_end(original) {
            return;
        }
        let mut taken = BTreeSet::new();
        let of_application = |it: &PathDecision| is_application(self.machine, it.site.method);
        let all: Vec<PathDecision> = done.path.decisions().into_iter().filter(of_application).collect();
        for decision in all {
            let is_changed = opponent.is_changed(decision.site.method);
            let text = sources.text(self.machine, &decision, MAX_TEXT);
            let is_term = text == self.machine.terms().display(decision.constraint, MAX_TEXT);
            taken.insert(decisions.place(text, is_term.then_some(decision.constraint), is_changed));
        }
        if !is_end(other) {
            samples.push(Sample { decisions: taken, differs: true });
            return;
        }
        let (original, other) = done.driver.images(self.machine, extent);
        let compared = Image::compare(self.machine, &done.model, original, other.as_ref());
        let differing = match &compared {
            Comparison::Different => Image::pairs(self.machine, original, other.as_ref()),
            Comparison::Alike { pairs, .. } => Some(pairs.clone()),
            Comparison::Same => Some(Vec::new()),
            Comparison::Unknown => return,
        };
        // Without pairs, the ends have different shapes, whatever the inputs.
        let Some(pairs) = differing else {
            samples.push(Sample { decisions: taken, differs: true });
            return;
        };
        let differ = self.pairs_differ(&pairs);
        let is_different = compared == Comparison::Different;
        // Other inputs of the path may end otherwise.
        let opposite = if is_different { self.machine.terms_mut().not(differ) } else { differ };
        match self.on_path(done, opposite) {
            Answer::Sat(_) => {
                samples.push(Sample { decisions: taken.clone(), differs: false });
                let text = self.machine.terms().display(differ, MAX_TEXT);
                taken.insert(decisions.place(text, Some(differ), true));
                samples.push(Sample { decisions: taken, differs: true });
            }
            Answer::Unsat { .. } => samples.push(Sample { decisions: taken, differs: is_different }),
            Answer::Unknown(_) if is_different => samples.push(Sample { decisions: taken, differs: true }),
            Answer::Unknown(_) => {}
        }
    }
}

impl Decisions {
    fn place(&mut self, text: String, term: Option<TermId>, is_changed: bool) -> usize {
        let known = &mut self.known;
        *self.places.entry(text).or_insert_with_key(|text| {
            known.push((text.clone(), term, is_changed));
            known.len() - 1
        })
    }

    /// The places of what can be shown, those that read best first: short ones of changed code.
    fn order(&self) -> Vec<usize> {
        let is_whole = |at: &usize| !self.known[*at].0.ends_with('…');
        let mut order: Vec<usize> = (0..self.known.len()).filter(is_whole).collect();
        order.sort_by_key(|at| (!self.known[*at].2, self.known[*at].0.len(), *at));
        order
    }

    /// The conjunction of decisions, as Java. `a <= 3` and `a >= 3` become `a == 3`.
    fn texts(&self, terms: &mut Terms, chosen: &[usize]) -> Vec<String> {
        let mut texts = Vec::new();
        let mut rest: Vec<usize> = chosen.to_vec();
        while !rest.is_empty() {
            let first = rest.remove(0);
            let bound = |at: usize| self.known[at].1.and_then(|term| at_most(terms, term));
            let partner = bound(first).and_then(|(a, b)| {
                rest.iter().position(|other| bound(*other) == Some((b, a))).zip(Some((a, b)))
            });
            match partner {
                Some((at, (a, b))) => {
                    rest.remove(at);
                    let equal = terms.eq(a, b);
                    texts.push(terms.display(equal, MAX_TEXT));
                }
                None => texts.push(self.known[first].0.clone()),
            }
        }
        texts
    }
}

/// The sides of `a <= b` among integers, also if it is written `!(b < a)`.
fn at_most(terms: &Terms, term: TermId) -> Option<(TermId, TermId)> {
    match *terms.get(term) {
        Term::Apply { op: Op::Sle, args: [a, b, _], .. } => Some((a, b)),
        Term::Apply { op: Op::Not, args: [inner, ..], .. } => match *terms.get(inner) {
            Term::Apply { op: Op::Slt, args: [b, a, _], .. } => Some((a, b)),
            _ => None,
        },
        _ => None,
    }
}

/// The fewest decisions that hold on differing paths and on no other: on all of the differing paths if possible,
/// else on the example. `order` says which are preferred. `None` if no few decisions tell them apart.
fn separating(samples: &[Sample], example: usize, order: &[usize]) -> Option<Vec<usize>> {
    let of_example = &samples[example].decisions;
    let differing = samples.iter().filter(|it| it.differs);
    let common = differing.fold(of_example.clone(), |common, it| &common & &it.decisions);
    let agreeing: Vec<&BTreeSet<usize>> =
        samples.iter().filter(|it| !it.differs).map(|it| &it.decisions).collect();
    fewest(&common, &agreeing, order).or_else(|| fewest(of_example, &agreeing, order))
}

/// Few of these decisions, so that none of the paths to be excluded takes all of them.
fn fewest(allowed: &BTreeSet<usize>, excluded: &[&BTreeSet<usize>], order: &[usize]) -> Option<Vec<usize>> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut left: Vec<&BTreeSet<usize>> = excluded.to_vec();
    while !left.is_empty() {
        let passed = |at: usize| left.iter().filter(|it| it.contains(&at)).count();
        let candidates = order.iter().copied().filter(|at| allowed.contains(at));
        let best = candidates.min_by_key(|at| passed(*at))?;
        if passed(best) == left.len() || chosen.len() == MAX_CONDITIONS {
            return None;
        }
        left.retain(|it| it.contains(&best));
        chosen.push(best);
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(differs: bool, decisions: &[usize]) -> Sample {
        Sample { decisions: decisions.iter().copied().collect(), differs }
    }

    #[test]
    fn a_decision_of_all_differing_paths_and_of_no_other_is_the_condition() {
        let samples = [sample(false, &[0, 2]), sample(true, &[1, 2]), sample(true, &[1, 3])];
        assert_eq!(separating(&samples, 1, &[0, 1, 2, 3]), Some(vec![1]));
    }

    #[test]
    fn two_decisions_are_needed_where_neither_suffices() {
        let samples = [sample(false, &[0, 2]), sample(false, &[1, 3]), sample(true, &[1, 2])];
        assert_eq!(separating(&samples, 2, &[2, 1, 0, 3]), Some(vec![2, 1]));
    }

    #[test]
    fn if_differing_paths_have_nothing_in_common_the_example_alone_is_described() {
        let samples = [sample(false, &[0, 2]), sample(true, &[1]), sample(true, &[3])];
        assert_eq!(separating(&samples, 1, &[0, 1, 2, 3]), Some(vec![1]));
    }

    #[test]
    fn a_difference_on_all_paths_has_no_condition() {
        assert_eq!(separating(&[sample(true, &[0]), sample(true, &[1])], 0, &[0, 1]), Some(Vec::new()));
    }

    #[test]
    fn equal_decisions_tell_nothing_apart() {
        assert_eq!(separating(&[sample(true, &[0]), sample(false, &[0])], 0, &[0]), None);
    }
}
