//! Generates inputs from a Java predicate (`repOk`) by Korat's algorithm (Boyapati, Khurshid & Marinov): the
//! search chooses the value of a field when the predicate first reads it, so it never enumerates fields that
//! the predicate does not read before it returns false.
//!
//! Korat reruns the predicate for each candidate. Here, fields without a value are holes of the machine: the
//! run stops at the first read, the state is frozen, and each value continues from there. A reference is
//! `null`, an existing object, or the next new object of its class, so no two structures are isomorphic.
//!
//! Integers that the predicate compares are symbolic: the search chooses the outcomes of comparisons
//! ([`crate::difference_bounds`]), and values once the predicate has returned true. A reference that is only
//! compared is either equal to the other operand or stays open. Failures become nogoods and are not repeated
//! ([`nogoods`]).

mod choices;
mod division;
mod domain;
mod heap;
mod integers;
mod nogoods;
mod path;
mod search_node;

use crate::difference_bounds::{DifferenceBounds, Symbols};
use crate::error::{Error, other};
use crate::predicate_scope::PredicateScope;
use crate::specification::Specification;
use crate::world::{RunEnd, World};
use cupping_machine::{Addr, ClassId, Exit, Halt, MethodId, Value, shadow_of, sort_of};
use cupping_term::TermId;
use division::Division;
pub use division::Share;
use domain::{Domain, Types};
use nogoods::{ExcludedChoices, Nogoods};
use rustc_hash::FxHashMap;
use search_node::{Alternatives, Choice, ChoiceOutcome, HoleLocation, SearchNode};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::mpsc::Sender;

/// An object of the structure.
#[derive(Clone, Debug)]
struct Object {
    /// Its type, an index in [`Types`].
    of: usize,
    addr: Addr,
}

/// Counters of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounters {
    /// Runs of the predicate that came to an end.
    pub candidates: u64,
    /// Structures that satisfy it.
    pub valid: u64,
}

/// Options of a search, which do not affect its result.
#[derive(Clone, Debug)]
pub struct CandidateOptions {
    /// Integers that the predicate only compares are symbolic, and references that it only compares stay
    /// open.
    pub symbols: bool,
    /// The search skips candidates that a nogood excludes.
    pub learns: bool,
    /// This thread's share of the search.
    pub share: Share,
}

/// The search for all structures that satisfy a predicate.
pub struct Candidates<'a> {
    specification: &'a Specification,
    predicate: MethodId,
    scope: &'a PredicateScope,
    objects: Vec<Object>,
    path: Vec<SearchNode>,
    /// The modelled fields of a class, including inherited ones.
    fields: BTreeMap<ClassId, Rc<[usize]>>,
    /// The domains of fields and elements, in the order of the specification's fields and kinds of arrays.
    of_fields: Vec<Domain>,
    of_elements: Vec<Domain>,
    types: Types<'a>,
    holes: FxHashMap<u64, HoleLocation>,
    receiver: Addr,
    /// Whether integers may be symbolic.
    symbolic: bool,
    symbols: Symbols,
    /// The locations of the symbols on this path.
    places: Vec<HoleLocation>,
    order: Rc<DifferenceBounds>,
    /// The outcome for which the state has been prepared.
    expected: Option<TermId>,
    /// Values that fields are known not to have, by byte address, and the code position of the comparison.
    excluded: Vec<(u64, u64, (u32, u32))>,
    /// Whether the search learns nogoods.
    learns: bool,
    nogoods: Nogoods,
    /// The depths at which incremental memory hashes start.
    beginnings: u128,
    division: Division,
    /// Threads that wait for the search to be divided.
    waiting: Vec<Sender<()>>,
    /// The counters so far.
    pub tried: SearchCounters,
}

/// The state of the search.
enum SearchState {
    /// The predicate is running.
    Running,
    /// The predicate holds; what it did not read is still to be chosen.
    Holds,
    /// The run has stopped at a hole, for which the last node of the path is new.
    Met,
    /// The candidate is finished.
    Done,
}

impl<'a> Candidates<'a> {
    /// Prepares the search for structures of which a parameterless method returns `true`.
    pub fn new(
        specification: &'a Specification,
        world: &mut World,
        predicate: MethodId,
        scope: &'a PredicateScope,
        ways: CandidateOptions,
    ) -> Result<Candidates<'a>, Error> {
        let mut search = Candidates {
            specification,
            predicate,
            scope,
            objects: Vec::new(),
            path: Vec::new(),
            fields: BTreeMap::new(),
            of_fields: Vec::new(),
            of_elements: Vec::new(),
            types: Types::new(specification, scope),
            holes: FxHashMap::default(),
            receiver: 0,
            // An integer may be an array index, and an element without a value cannot be selected by a
            // symbolic index.
            symbolic: ways.symbols && specification.plan.classes.arrays.is_empty(),
            symbols: Symbols::default(),
            places: Vec::new(),
            order: Rc::new(DifferenceBounds::new()),
            expected: None,
            excluded: Vec::new(),
            learns: ways.learns,
            nogoods: Nogoods::default(),
            beginnings: 0,
            division: Division::new(ways.share),
            waiting: Vec::new(),
            tried: SearchCounters::default(),
        };
        world.rewind();
        search.find_domains(world)?;
        // Before a constructor there is no receiver.
        if let Some(receiver) = specification.plan.receiver.as_deref().and_then(|it| search.types.class(it)) {
            search.receiver = search.object(world, receiver)?;
        }
        for at in 0..specification.after.fields.len() {
            if specification.after.fields[at].1.is_static {
                let place = HoleLocation::Static { at };
                search.dig(world, place);
            }
        }
        Ok(search)
    }

    /// The receiver of all structures.
    pub fn receiver(&self) -> Addr {
        self.receiver
    }

    /// Tries all candidates. `visit` gets the machine with each structure that satisfies the predicate and returns
    /// whether to continue; the result says whether the search was completed. Values of integers are written into
    /// the heap only if `written` is set.
    pub fn each(
        &mut self,
        world: &mut World,
        written: bool,
        mut visit: impl FnMut(&mut World, &Candidates) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let arguments = [Value::reference(self.receiver)];
        let is_static = world.machine.method(self.predicate).is_static();
        let count = world.machine.method(self.predicate).parameters.len();
        if (is_static && count != 1) || (!is_static && count != 0) {
            return Err(other(
                "a predicate must be a method without parameters, or a static method that takes the object",
            ));
        }
        world.refuel();
        let entered = world.machine.enter(self.predicate, &arguments);
        entered.map_err(|trap| other(world.machine.describe_trap(&trap)))?;
        let mut at = SearchState::Running;
        loop {
            at = match at {
                SearchState::Running => self.run(world)?,
                SearchState::Holds => match self.unread(world) {
                    Some(place) => self.meet(world, place, false)?,
                    None => {
                        let counts = self.division.counts(self.path.len());
                        if counts && self.is_large_enough() && !self.solutions(world, written, &mut visit)? {
                            return Ok(false);
                        }
                        SearchState::Done
                    }
                },
                SearchState::Met | SearchState::Done => {
                    match self.next(world, matches!(at, SearchState::Met))? {
                        Some(at) => at,
                        None => return Ok(true),
                    }
                }
            };
        }
    }

    /// Runs the predicate to the next hole or to its end.
    fn run(&mut self, world: &mut World) -> Result<SearchState, Error> {
        let exit = world.machine.run();
        let read = world.machine.take_reads();
        if let Some(node) = self.path.last_mut() {
            node.now.read.add(&read);
        }
        if let Some(byte) = world.machine.take_hole() {
            let Some(place) = self.holes.get(&byte).copied() else {
                return Err(other("the predicate copies a field that it has not read"));
            };
            return self.meet(world, place, true);
        }
        if let Exit::Decision(decision) = exit {
            return Ok(if self.decide(world, &decision) { SearchState::Running } else { SearchState::Done });
        }
        self.ends();
        // An exception or an endless run counts as false. Where an endless run is cut off depends on the
        // steps before, so nothing is learned from it.
        let (holds, learned) = match exit {
            Exit::Returned(value) => (value.bits & 1 != 0, value.bits & 1 != 0),
            Exit::Threw(_) => (false, false),
            Exit::Halted(Halt::Unsupported(what)) => {
                return Err(other(format!("the predicate needs {what}, which the machine does not support")));
            }
            Exit::Halted(_) | Exit::Decision(_) => (false, true),
        };
        if let Some(node) = self.path.last_mut() {
            node.now.holds |= learned;
        }
        Ok(if holds { SearchState::Holds } else { SearchState::Done })
    }

    /// Counts a candidate, and divides the search after enough of them.
    fn ends(&mut self) {
        let depth = self.path.len();
        self.tried.candidates += u64::from(self.division.counts(depth));
        if self.division.ends() {
            self.nogoods.finalize();
            self.path.iter_mut().for_each(|it| it.key = None);
            for other in self.waiting.drain(..) {
                // The receiver may have stopped waiting.
                let _ = other.send(());
            }
        }
    }

    /// Registers a thread to notify when the search is divided. If the search ends before, the channel is
    /// closed.
    pub(crate) fn notify_division(&mut self, waiting: Sender<()>) {
        self.waiting.push(waiting);
    }

    /// Gives a hole a symbol, or freezes the state to try all values.
    fn meet(&mut self, world: &mut World, place: HoleLocation, inside: bool) -> Result<SearchState, Error> {
        if let Some((range, kind)) = self.symbol(world, place) {
            let number = self.places.len();
            let term = self.symbols.term(world.machine.terms_mut(), number, sort_of(kind));
            self.fill(world, place, kind.narrow(range.0 as u64));
            let (byte, size) = self.byte(world, place);
            world.machine.set_heap_shadow(byte, size, shadow_of(term));
            self.places.push(place);
            Rc::make_mut(&mut self.order).push(range);
            return Ok(if inside { SearchState::Running } else { SearchState::Holds });
        }
        let byte = self.byte(world, place).0;
        if let Some((_, _, site)) = self.excluded.iter().rev().find(|it| it.0 == byte) {
            self.nogoods.read_later(*site);
        }
        let mut choices = self.choices(world, place);
        if inside
            && self.symbolic
            && !matches!(place, HoleLocation::Element { .. })
            && let Some(comparison) = world.machine.hole_comparison()
            && self.nogoods.is_worth_passing(&comparison)
        {
            let other = u64::from(comparison.other);
            let is_other = |it: &Choice| matches!(it, Choice::Bits(bits) if *bits == other);
            let others = choices.iter().filter(|it| !is_other(it)).count();
            if others > 1 {
                choices.retain(is_other);
                choices.push(Choice::Apart(comparison));
            }
        }
        let (key, memory) = if inside { self.state(world, byte, &choices) } else { (None, None) };
        let mut failed = ExcludedChoices::default();
        if let Some(key) = key {
            failed = self.nogoods.known(key, world.machine.place_in_code(), choices.len());
            if failed.count() == choices.len() {
                if let Some(node) = self.path.last_mut() {
                    node.now.read.add(&failed.read);
                }
                return Ok(SearchState::Done);
            }
        }
        // Incremental memory hashes start at the last state that is kept.
        let before = self.path.last().and_then(|it| it.memory);
        let is_single = choices.len() - failed.count() == 1 && (before.is_some() || memory.is_none());
        let memory = if is_single { before } else { memory };
        let all = ChoiceOutcome { read: failed.read, holds: false };
        let left =
            Alternatives::Values { place, choices, next: 0, failed, inside, order: self.order.clone() };
        if !self.freeze(world, left, is_single) {
            return Ok(SearchState::Done);
        }
        if let Some(node) = self.path.last_mut() {
            (node.all, node.key, node.memory) = (all, key, memory);
        }
        Ok(SearchState::Met)
    }

    fn is_large_enough(&self) -> bool {
        let mut least = self.types.least();
        least.all(|(of, least)| least == 0 || self.objects.iter().filter(|it| it.of == of).count() >= least)
    }
}

/// Checks that the predicate holds for the receiver now.
pub fn still_holds(world: &mut World, predicate: MethodId, receiver: Addr) -> Result<(), String> {
    match world.call(predicate, &[Value::reference(receiver)]) {
        RunEnd::Returned(bits) if bits & 1 != 0 => Ok(()),
        RunEnd::Returned(_) => Err("the predicate does not hold afterwards".into()),
        RunEnd::Threw(thrown) => {
            let class = world.machine.class_name_of(thrown).replace('/', ".");
            Err(format!("the predicate throws {class} afterwards"))
        }
        RunEnd::Stopped(why) => Err(format!("the predicate cannot be evaluated afterwards: {why}")),
    }
}
