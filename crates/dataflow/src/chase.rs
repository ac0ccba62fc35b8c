//! The chase of open pairs: a forward search over states of the machine, which reaches what neither deduction nor
//! combination reach, such as pairs of linked structures, and pairs that need a protocol of many calls.
//!
//! Each state is left by a sequence with concrete arguments, and extended by each call along each of its paths.
//! States that no call distinguishes are one, unless they have different live definitions of open pairs. States with
//! something new come first: a live definition, a pair of accesses, a value of a field. All others wait, those of
//! short sequences first, so that sequences grow as long as work is left. A sequence may also turn to another object:
//! of the class, or a view of it, such as an iterator.
//!
//! If a pair needs it, a sequence continues after a call that throws.

use crate::analysis::{PairVerdict, Reason, SequenceSource};
use crate::deduce::CallableKind;
use crate::exercised_pairs::CodeOffset;
use crate::frontier::{ChaseNode, Frontier};
use crate::run::AnalysisRun;
use cupping_generate::{Continuation, Invokable, Parameter, Progress};
use cupping_machine::{ClassId, Kind as Type};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Choices of references for a call.
const ALTERNATIVES: usize = 3;
/// Choices of texts and constants of enums, which select what a call does (`command("close")`).
const SELECTORS: usize = 9;

/// Number of states after which a chase no longer begins anew to have more classes initialised from the start.
const EARLY: usize = 24;

/// The position of a call in a sequence.
enum CallPosition {
    /// Before there is an object.
    First,
    /// On an object of this class: the class, a builder, or the type of a view.
    On(ClassId),
    /// Anywhere.
    Any,
}

impl AnalysisRun<'_, '_> {
    /// Searches for open pairs with this much work, and for pairs that only an exception reaches. Returns whether
    /// no state is left.
    pub(crate) fn chase(&mut self, work: u64, progress: &mut dyn FnMut(Progress) -> bool) -> bool {
        let mut frontier = std::mem::take(&mut self.frontier);
        let is_ended = self.chase_from(&mut frontier, work, progress);
        self.frontier = frontier;
        is_ended
    }

    fn chase_from(
        &mut self,
        chase: &mut Frontier,
        work: u64,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> bool {
        let limit = self.bench.work() + work;
        let calls = self.possible_calls();
        while self.is_wanted() && !self.is_over(limit) && progress(self.progress()) {
            let is_early = chase.turns <= EARLY;
            if chase.turns == 0 || is_early && self.bench.adopt_companions() {
                *chase = chase.begin_anew();
                chase.turns_matter = self.turns_matter();
                let state = Rc::new(self.bench.origin());
                chase.put(ChaseNode { state, next: 0, pairs: Rc::default() }, true);
            }
            let Some(mut node) = chase.next() else { return true };
            if node.next == 0 && chase.turns_matter {
                for turned in self.bench.turns(&node.state) {
                    self.consider(chase, &node, turned);
                }
            }
            while let Some((invokable, place)) = calls.get(node.next) {
                node.next += 1;
                let object = node.state.object_class();
                let is_possible = match place {
                    CallPosition::First => object.is_none(),
                    CallPosition::On(class) => object == Some(*class),
                    CallPosition::Any => true,
                };
                if !is_possible {
                    continue;
                }
                self.extend(chase, &node, invokable);
                if self.is_over(limit) {
                    chase.put_back(node);
                    return false;
                }
            }
        }
        false
    }

    /// The calls that can extend a sequence, those of builders last.
    fn possible_calls(&mut self) -> Vec<(Rc<Invokable>, CallPosition)> {
        let class = self.analysis.flat.class;
        let own = self.analysis.invokables.iter().zip(&self.analysis.kinds).map(|(invokable, kind)| {
            let place = match kind {
                CallableKind::Constructor => CallPosition::First,
                CallableKind::OnObject => CallPosition::On(class),
                CallableKind::Static => CallPosition::Any,
            };
            (invokable.clone(), place)
        });
        let mut calls: Vec<(Rc<Invokable>, CallPosition)> = own.collect();
        for builder in self.bench.builders().iter() {
            calls.extend(builder.makers.iter().map(|it| (it.clone(), CallPosition::First)));
            calls.extend(builder.steps.iter().map(|it| (it.clone(), CallPosition::On(builder.class))));
        }
        for view in self.bench.views().iter() {
            calls.extend(view.steps.iter().map(|it| (it.clone(), CallPosition::On(view.class))));
        }
        calls
    }

    /// Whether a call may access objects beside its own: objects of the class, or the one around a view.
    fn turns_matter(&mut self) -> bool {
        let analysis = &*self.analysis;
        analysis.accesses.all.iter().any(|access| !access.on_this)
            || analysis.graph.calls.iter().flatten().flatten().any(|call| {
                let callee = &analysis.flat.methods[call.callee];
                !call.is_own && !callee.is_static && !callee.is_constructor()
            })
            || !self.bench.views().is_empty()
    }

    /// Whether there are pairs to search for.
    fn is_wanted(&self) -> bool {
        (0..self.analysis.pairs.len()).any(|pair| self.is_open(pair) || self.needs_exception(pair))
    }

    /// Whether a pair may be reached through an exception, and no sequence is known. A contradiction refutes
    /// sequences of calls that return, and of an open pair it is unknown whether there are any.
    pub(crate) fn needs_exception(&self, pair: usize) -> bool {
        let may_be = match self.analysis.verdicts[pair] {
            PairVerdict::Infeasible(Reason::OnlyAfterException) => true,
            PairVerdict::Infeasible(Reason::Contradiction) | PairVerdict::Inconclusive(_) => {
                self.analysis.pairs[pair].may_follow_exception
            }
            _ => false,
        };
        may_be && !self.after_exceptions.contains_key(&pair)
    }

    fn extend(&mut self, chase: &mut Frontier, node: &ChaseNode, invokable: &Rc<Invokable>) {
        let has_references = invokable.parameters.iter().any(|it| it.kind == Type::Reference);
        let others = node.state.others();
        let first = if has_references { 0 } else { others };
        let choices = match has_references {
            true if invokable.parameters.iter().any(|it| self.is_selector(it)) => SELECTORS,
            true => ALTERNATIVES,
            false => 1,
        };
        for alternative in first..others + choices {
            let Some(found) = self.bench.continuations(&node.state, invokable, alternative) else {
                // An object may fit no parameter.
                if alternative < others {
                    continue;
                }
                return;
            };
            for continuation in found {
                self.consider(chase, node, continuation);
            }
        }
    }

    /// Whether a parameter is a text or a constant of an enum.
    fn is_selector(&mut self, parameter: &Parameter) -> bool {
        let descriptor = parameter.ty.descriptor();
        let machine = self.bench.machine();
        descriptor == "Ljava/lang/String;"
            || descriptor.starts_with('L')
                && machine.load_descriptor(&descriptor).is_ok_and(|it| machine.class(it).access.is_enum())
    }

    /// Records the pairs that a sequence exercises, and its state if it is new.
    fn consider(&mut self, chase: &mut Frontier, node: &ChaseNode, found: Continuation) {
        if found.is_call && found.pairs != node.pairs {
            let machine = self.bench.machine();
            let exercised = self.analysis.exercised.pairs(machine, &found.pairs);
            let is_wanted =
                |pair: &usize| !matches!(self.analysis.verdicts[*pair], PairVerdict::Covered { .. });
            if exercised.iter().any(is_wanted) {
                let candidate = found.candidate();
                self.cover(None, candidate.calls(), SequenceSource::Search, candidate, exercised);
            }
        }
        let state = &found.state;
        let is_dead_end = !found.goes_on || found.key.is_none();
        if is_dead_end
            || state.has_thrown && !(0..self.analysis.pairs.len()).any(|pair| self.needs_exception(pair))
        {
            return;
        }
        // The state of the object may be known, but not that of the objects that the call took or returned.
        if found.is_call && chase.turns_matter {
            for turned in self.bench.turns_of_last_call(state) {
                self.consider(chase, node, turned);
            }
        }
        let alive = self.alive(&found);
        let mut hasher = FxHasher::default();
        (found.key, &alive, state.has_thrown, state.object_class().map(|class| class.0)).hash(&mut hasher);
        if !chase.known.insert(hasher.finish()) {
            return;
        }
        let is_news = chase.is_new(&found, &alive);
        let Continuation { state, pairs, is_call, .. } = found;
        let node = ChaseNode { state: Rc::new(state), next: 0, pairs };
        if is_call { chase.put(node, is_news) } else { chase.put_turned(node) }
    }

    /// The definitions of undecided pairs that are live after a sequence.
    fn alive(&mut self, found: &Continuation) -> Vec<CodeOffset> {
        let machine = self.bench.machine();
        let analysis = &*self.analysis;
        let places = found.defined.iter().filter_map(|(_, site)| analysis.exercised.place(machine, *site));
        let mut alive: Vec<CodeOffset> = places.collect();
        alive.retain(|place| self.is_of_interest(place));
        alive.sort_unstable();
        alive.dedup();
        alive
    }

    /// Whether a definition belongs to a pair that is searched for.
    fn is_of_interest(&self, place: &CodeOffset) -> bool {
        let of = self.analysis.exercised.defined_at(place);
        of.iter().any(|pair| self.is_open(*pair) || self.needs_exception(*pair))
    }
}
