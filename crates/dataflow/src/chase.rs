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
use crate::chase_calls::{CallPosition, ChaseCall};
use crate::exercised_pairs::CodeOffset;
use crate::frontier::{ChaseNode, DearCall, Frontier, Stage};
use crate::run::AnalysisRun;
use crate::schedule::Layer;
use cupping_generate::{Continuation, Continuations, Effort, Parameter, Progress};
use cupping_machine::Kind as Type;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Choices of references for a call.
const ALTERNATIVES: usize = 3;
/// Choices of texts and constants of enums, which select what a call does (`command("close")`).
const SELECTORS: usize = 9;

/// The calls, with choices of references, that a state is extended by at once.
const FEW: usize = 48;

/// Known inputs with which a call is made at first.
const FEW_KNOWN: usize = 3;

/// The part of a turn after which no more paths of one call are run: a tenth.
const OF_CALL: u64 = 10;
/// How a call ended.
enum CallEnd {
    Done,
    /// It needs more fuel.
    RanOut,
}

/// A chase begins anew if the companions take at least this part of the work since it began: a quarter.
const OF_ANEW: u64 = 4;

/// The work of an ordinary turn, and the work at the end of this one.
#[derive(Clone, Copy)]
struct Turn {
    work: u64,
    limit: u64,
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
            if chase.turns == 0 || chase.is_early() && self.would_save_work(chase) {
                self.begin_anew(chase);
            }
            if let Some(DearCall { node, call, alternative }) = chase.next_dear() {
                let before = self.bench.work();
                let effort = Effort { work: self.work_of_turn() / OF_CALL, is_long: true, is_single: false };
                self.call(chase, &node, &calls[call], (call, alternative), effort);
                chase.costs.add_put_off(self.bench.work() - before);
                continue;
            }
            let Some(node) = chase.next() else { return true };
            let turn = Turn { work: self.work_of_turn(), limit };
            self.extend(chase, node, &calls, turn);
        }
        false
    }

    /// Adopts companions; returns whether it is worth to begin anew for them. What was done since the chase began would
    /// be done again.
    fn would_save_work(&mut self, chase: &Frontier) -> bool {
        let before = self.bench.work();
        let done = before - chase.begun_at;
        self.bench.adopt_companions(done / 2).is_some_and(|saved| saved * OF_ANEW >= done)
    }

    /// Begins with the state before all sequences.
    fn begin_anew(&mut self, chase: &mut Frontier) {
        *chase = chase.begin_anew();
        chase.turns_matter = self.turns_matter();
        chase.begun_at = self.bench.work();
        let calls: usize = self.possible_calls().iter().map(|call| self.choices(call)).sum();
        chase.first_stage = if calls <= FEW { Stage::All } else { Stage::Hopeful };
        let origin = self.bench.origin();
        chase.put(ChaseNode::new(origin, Rc::default(), Vec::new(), chase.first_stage));
    }

    /// Extends a state by the calls of a stage.
    fn extend(&mut self, chase: &mut Frontier, mut node: ChaseNode, calls: &[ChaseCall], turn: Turn) {
        let hopeful = node.hopeful.take().unwrap_or_else(|| self.hopeful(&node.alive, calls));
        node.hopeful = Some(hopeful.clone());
        if node.stage == chase.first_stage && node.next == 0 && chase.turns_matter {
            for turned in self.bench.turns(&node.state) {
                self.consider(chase, &node, turned);
            }
        }
        loop {
            while let Some(call) = calls.get(node.next) {
                let at = node.next;
                node.next += 1;
                // Views may have been found since the first stage.
                let is_hopeful = hopeful.get(at).is_none_or(|it| *it);
                if !node.stage.has(is_hopeful) || !call.is_possible(&node.state) {
                    continue;
                }
                self.extend_by(chase, &node, call, at, turn);
                // Other ways to make an object would initialise the same classes.
                if chase.turns == 1 && self.would_save_work(chase) {
                    self.begin_anew(chase);
                    return;
                }
                if self.is_over(turn.limit) {
                    chase.put_back(node);
                    return;
                }
            }
            let Some(next) = node.stage.next() else { return };
            (node.stage, node.next) = (next, 0);
            if has_calls(&node, calls, &hopeful) {
                node.is_new &= node.stage != Stage::OtherAgain;
                chase.put(node);
                return;
            }
        }
    }

    /// Whether objects beside that of a call matter: the call may access them, or the one around a view, or they share
    /// static variables.
    fn turns_matter(&mut self) -> bool {
        let analysis = &*self.analysis;
        analysis.accesses.all.iter().any(|access| !access.on_this)
            || analysis.shares_state()
            || analysis.graph.calls.iter().flatten().flatten().any(|call| {
                let callee = &analysis.flat.methods[call.callee];
                !call.is_own && !callee.is_static && !callee.is_constructor()
            })
            || !self.bench.views().is_empty()
    }

    /// The work of an ordinary turn.
    fn work_of_turn(&self) -> u64 {
        u64::try_from(self.options.budget.as_micros()).unwrap_or(u64::MAX) / 100 * Layer::Chase.percent()
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

    /// Extends a state by one call, with the references of the node's stage. What costs much is put off, and made with
    /// the inputs that are known from other states, if there are any.
    fn extend_by(&mut self, chase: &mut Frontier, node: &ChaseNode, call: &ChaseCall, at: usize, turn: Turn) {
        let has_references = has_references(call);
        let others = node.state.others();
        let choices = self.choices(call);
        let alternatives = match node.stage {
            Stage::Hopeful | Stage::Other => {
                if has_references {
                    0..others + 1
                } else {
                    others..others + 1
                }
            }
            Stage::HopefulAgain | Stage::OtherAgain if !call.invokable.parameters.is_empty() => {
                others..others + choices
            }
            Stage::HopefulAgain | Stage::OtherAgain => 0..0,
            Stage::All if has_references => 0..others + choices,
            Stage::All => others..others + 1,
        };
        let is_maker = call.position == CallPosition::First;
        let is_single = matches!(node.stage, Stage::Hopeful | Stage::Other) && !is_maker;
        for alternative in alternatives {
            let is_dear = match is_single {
                true => chase.costs.is_single_dear(at, turn.work),
                false => chase.costs.is_dear(at, turn.work, is_maker),
            };
            if is_single && !is_dear && self.call_as_known(chase, node, call, (at, alternative), FEW_KNOWN) {
                continue;
            }
            if is_dear || self.is_over(turn.limit) {
                chase.put_off(node, at, alternative);
                if !is_single {
                    self.call_as_known(chase, node, call, (at, alternative), usize::MAX);
                }
                continue;
            }
            let effort = Effort { work: self.work_of_turn() / OF_CALL, is_long: is_maker, is_single };
            match self.call(chase, node, call, (at, alternative), effort) {
                Some(CallEnd::RanOut) => chase.put_off(node, at, alternative),
                Some(CallEnd::Done) => {}
                // An object may fit no parameter.
                None if alternative < others => {}
                None => return,
            }
        }
    }

    /// The number of choices of references for a call.
    fn choices(&mut self, call: &ChaseCall) -> usize {
        match has_references(call) {
            true if call.invokable.parameters.iter().any(|it| self.is_selector(it)) => SELECTORS,
            true => ALTERNATIVES,
            false => 1,
        }
    }

    /// Makes a call with inputs that are known from other states, at most so many; returns whether there are any.
    fn call_as_known(
        &mut self,
        chase: &mut Frontier,
        node: &ChaseNode,
        call: &ChaseCall,
        (at, alternative): (usize, usize),
        most: usize,
    ) -> bool {
        let before = self.bench.work();
        let known = self.bench.known_continuations(&node.state, &call.invokable, alternative, most);
        let is_known = known.as_ref().is_some_and(|known| !known.is_empty());
        let count = known.as_ref().map_or(0, Vec::len) as u64;
        chase.costs.add_single(at, (self.bench.work() - before) / count.max(1));
        if call.position == CallPosition::First {
            self.objects.note(known.as_deref().unwrap_or_default(), false);
        }
        for continuation in known.into_iter().flatten() {
            self.consider(chase, node, continuation);
        }
        is_known
    }

    /// Makes a call with certain references; `None` if there are none.
    fn call(
        &mut self,
        chase: &mut Frontier,
        node: &ChaseNode,
        call: &ChaseCall,
        (at, alternative): (usize, usize),
        effort: Effort,
    ) -> Option<CallEnd> {
        let before = self.bench.work();
        let made = self.bench.continuations(&node.state, &call.invokable, alternative, effort);
        let work = self.bench.work() - before;
        if effort.is_single {
            chase.costs.add_single(at, work);
        } else {
            chase.costs.add(at, work, call.position == CallPosition::First);
        }
        if call.position == CallPosition::First {
            let (found, ran_out) = made.as_ref().map_or((&[][..], false), |it| (&it.found, it.ran_out));
            self.objects.note(found, ran_out);
        }
        let Continuations { found, ran_out } = made?;
        for continuation in found {
            self.consider(chase, node, continuation);
        }
        Some(if ran_out { CallEnd::RanOut } else { CallEnd::Done })
    }

    /// Whether a parameter is a text or a constant of an enum.
    fn is_selector(&mut self, parameter: &Parameter) -> bool {
        let descriptor = parameter.ty.descriptor();
        let machine = self.bench.machine();
        descriptor == "Ljava/lang/String;"
            || descriptor.starts_with('L')
                && machine.load_descriptor(&descriptor).is_ok_and(|it| machine.class(it).access.is_enum())
    }

    /// Records the pairs that a sequence exercises, and its state if it is not known.
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
        if !found.goes_on
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
        // Too large states are told apart by what is known of them, and by the number of calls.
        let of_large = found.key.is_none().then_some((&found.values, &found.pairs, state.calls));
        (found.key, of_large, &alive, state.has_thrown, state.object_class().map(|class| class.0))
            .hash(&mut hasher);
        if !chase.known.insert(hasher.finish()) {
            return;
        }
        let is_new = chase.is_new(&found, &alive);
        let Continuation { state, pairs, is_call, .. } = found;
        let node = ChaseNode { is_new, ..ChaseNode::new(state, pairs, alive, chase.first_stage) };
        if is_call { chase.put(node) } else { chase.put_turned(node) }
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

/// Whether a state has a call in its stage.
fn has_calls(node: &ChaseNode, calls: &[ChaseCall], hopeful: &[bool]) -> bool {
    let is_again = matches!(node.stage, Stage::HopefulAgain | Stage::OtherAgain);
    calls.iter().enumerate().any(|(at, call)| {
        node.stage.has(hopeful.get(at).is_none_or(|it| *it))
            && call.is_possible(&node.state)
            && (!is_again || !call.invokable.parameters.is_empty())
    })
}

/// Whether a call takes references.
fn has_references(call: &ChaseCall) -> bool {
    call.invokable.parameters.iter().any(|it| it.kind == Type::Reference)
}
