//! Inputs from a predicate in Java (`repOk`), Korat's way (Boyapati, Khurshid & Marinov): what fields hold is chosen
//! when the predicate first reads them, so what it does not read before it says no is never chosen.
//!
//! Korat runs the predicate anew for each candidate. Here fields without a value are holes of the machine: the run stops
//! at a read, the state is frozen, and each value goes on from there. A reference is `null`, an object that has been met,
//! or one that has not: the next of its class, so that no two structures are isomorphic.
//!
//! Integers are symbols where the predicate compares them: only the outcomes of comparisons are chosen ([`crate::order`]),
//! and values when it has said yes. A reference that is read for nothing but a comparison is either what it is compared
//! with, or left open without that. What failed for reasons that come again is not tried again ([`nogoods`]).

mod choices;
mod heap;
mod integers;
mod nogoods;
mod share;

use crate::bounds::Bounds;
use crate::error::{Error, other};
use crate::order::{Order, Symbols};
use crate::specification::Specification;
use crate::world::{Ended, World};
use choices::{Choice, Domain, Types};
use cupping_machine::{
    Addr, ChoiceSet, ClassId, Exit, Halt, MARKS, MethodId, Snapshot, Value, shadow_of, sort_of,
};
use cupping_term::TermId;
use integers::Side;
use nogoods::{Failed, Nogoods};
use rustc_hash::FxHashMap;
use share::Division;
pub use share::Share;
use std::collections::BTreeMap;
use std::mem::take;
use std::rc::Rc;
use std::sync::mpsc::Sender;

/// Where a hole is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Field { object: Addr, at: usize },
    Element { array: Addr, kind: usize, index: u32 },
    Static { at: usize },
}

/// A place of the search with what has not been tried there.
struct Node {
    /// The state there; none if what is left goes on from the present one.
    state: Option<Snapshot>,
    left: Left,
    objects: usize,
    symbols: usize,
    excluded: usize,
    chosen: usize,
    /// What came of all that has been tried here, and of what is tried now.
    all: Outcome,
    now: Outcome,
    /// Tells the state from others, to learn of it.
    key: Option<u128>,
    /// The sum over memory, as a part of such a key.
    memory: Option<u128>,
}

/// What came of runs.
#[derive(Clone, Copy, Default)]
struct Outcome {
    /// The choices that they have read.
    read: ChoiceSet,
    /// Whether the predicate holds after one of them, as far as can be told.
    holds: bool,
}

impl Outcome {
    fn add(&mut self, other: &Outcome) {
        self.read.add(&other.read);
        self.holds |= other.holds;
    }
}

/// What has not been tried.
enum Left {
    /// Values for a hole.
    Values {
        place: Place,
        choices: Vec<Choice>,
        next: usize,
        /// Choices that are known to fail.
        failed: Failed,
        /// Whether the predicate was running.
        inside: bool,
        /// What is known of the integers.
        order: Rc<Order>,
    },
    /// Outcomes of a comparison of integers.
    Sides {
        sides: Vec<Side>,
        /// Whether a value was fixed, so that there may be yet another.
        fixed: bool,
    },
}

/// An object that has been chosen.
#[derive(Clone, Debug)]
struct Object {
    /// Its type, a number of [`Types`].
    of: usize,
    addr: Addr,
}

/// How much was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// Runs of the predicate that came to an end.
    pub candidates: u64,
    /// Structures that it holds of.
    pub valid: u64,
}

/// What a search may do. What it finds is the same.
#[derive(Clone, Debug)]
pub struct Ways {
    /// Integers that the predicate only compares are symbols, and references that it only compares are left open.
    pub symbols: bool,
    /// Candidates are left out that are known to fail.
    pub learns: bool,
    /// The part of the search that is done.
    pub share: Share,
}

/// The search for all structures of which a predicate holds.
pub struct Candidates<'a> {
    specification: &'a Specification,
    predicate: MethodId,
    bounds: &'a Bounds,
    objects: Vec<Object>,
    path: Vec<Node>,
    /// Modelled fields of a class, those of its superclasses too.
    fields: BTreeMap<ClassId, Rc<[usize]>>,
    /// What fields and elements can be, in the order of the specification's fields and kinds of arrays.
    of_fields: Vec<Domain>,
    of_elements: Vec<Domain>,
    types: Types<'a>,
    holes: FxHashMap<u64, Place>,
    receiver: Addr,
    /// Whether integers may be symbols.
    symbolic: bool,
    symbols: Symbols,
    /// Where the symbols of this path are.
    places: Vec<Place>,
    order: Rc<Order>,
    /// The outcome for which the state has been prepared.
    expected: Option<TermId>,
    /// What fields are not, by their byte addresses, and where in the code that was decided.
    excluded: Vec<(u64, u64, (u32, u32))>,
    /// Whether it is learned from what fails.
    learns: bool,
    nogoods: Nogoods,
    /// Whether the machine is in the state of the last node.
    is_there: bool,
    /// Nodes from which sums over memory have begun.
    beginnings: u128,
    division: Division,
    /// Who waits for the search to be divided.
    waiting: Vec<Sender<()>>,
    /// How much was tried.
    pub tried: Tried,
}

/// Where the search is.
enum At {
    /// The predicate runs on.
    Running,
    /// It holds: what it has not read is to be chosen.
    Holds,
    /// This candidate is done with.
    Done,
}

impl<'a> Candidates<'a> {
    /// The search for structures of which a method without parameters says `true`.
    pub fn new(
        specification: &'a Specification,
        world: &mut World,
        predicate: MethodId,
        bounds: &'a Bounds,
        ways: Ways,
    ) -> Result<Candidates<'a>, Error> {
        let mut search = Candidates {
            specification,
            predicate,
            bounds,
            objects: Vec::new(),
            path: Vec::new(),
            fields: BTreeMap::new(),
            of_fields: Vec::new(),
            of_elements: Vec::new(),
            types: Types::new(specification, bounds),
            holes: FxHashMap::default(),
            receiver: 0,
            // An integer may be an index, and elements without a value are none that an index can be compared with.
            symbolic: ways.symbols && specification.plan.classes.arrays.is_empty(),
            symbols: Symbols::default(),
            places: Vec::new(),
            order: Rc::new(Order::new()),
            expected: None,
            excluded: Vec::new(),
            learns: ways.learns,
            nogoods: Nogoods::default(),
            is_there: false,
            beginnings: 0,
            division: Division::new(ways.share),
            waiting: Vec::new(),
            tried: Tried::default(),
        };
        world.rewind();
        search.find_domains(world)?;
        // Before a constructor there is none.
        if let Some(receiver) = specification.plan.receiver.as_deref().and_then(|it| search.types.class(it)) {
            search.receiver = search.object(world, receiver)?;
        }
        for at in 0..specification.after.fields.len() {
            if specification.after.fields[at].1.is_static {
                let place = Place::Static { at };
                search.dig(world, place);
            }
        }
        Ok(search)
    }

    /// The receiver of the structures.
    pub fn receiver(&self) -> Addr {
        self.receiver
    }

    /// Tries all candidates; `visit` gets the machine with each structure of which the predicate holds, and says whether to
    /// go on; whether it did to the end. What integers are is written into the heap only if `written`.
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
                "a predicate is a method without parameters, or a static one that takes the object",
            ));
        }
        world.refuel();
        let entered = world.machine.enter(self.predicate, &arguments);
        entered.map_err(|trap| other(world.machine.describe_trap(&trap)))?;
        let mut at = At::Running;
        loop {
            at = match at {
                At::Running => self.run(world)?,
                At::Holds => match self.unread(world) {
                    Some(place) => self.meet(world, place, false)?,
                    None => {
                        let counts = self.division.counts(self.path.len());
                        if counts && self.is_large_enough() && !self.solutions(world, written, &mut visit)? {
                            return Ok(false);
                        }
                        At::Done
                    }
                },
                At::Done => match self.next(world)? {
                    Some(at) => at,
                    None => return Ok(true),
                },
            };
        }
    }

    /// Runs the predicate to the next hole or to its end.
    fn run(&mut self, world: &mut World) -> Result<At, Error> {
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
            return Ok(if self.decide(world, &decision) { At::Running } else { At::Done });
        }
        self.ends();
        // An exception says that it does not hold, and so does a run without an end; where it ends may be a matter of what
        // was done before.
        let (holds, learned) = match exit {
            Exit::Returned(value) => (value.bits & 1 != 0, value.bits & 1 != 0),
            Exit::Threw(_) => (false, false),
            Exit::Halted(Halt::Unsupported(what)) => {
                return Err(other(format!("the machine does not support {what}, which the predicate does")));
            }
            Exit::Halted(_) | Exit::Decision(_) => (false, true),
        };
        if let Some(node) = self.path.last_mut() {
            node.now.holds |= learned;
        }
        Ok(if holds { At::Holds } else { At::Done })
    }

    /// Counts a candidate; the search is divided when there have been enough.
    fn ends(&mut self) {
        let depth = self.path.len();
        self.tried.candidates += u64::from(self.division.counts(depth));
        if self.division.ends() {
            self.nogoods.settle();
            self.path.iter_mut().for_each(|it| it.key = None);
            for other in self.waiting.drain(..) {
                // Whoever waits no more needs no word.
                let _ = other.send(());
            }
        }
    }

    /// Tells somebody when the search is divided; if it ends before, the channel is closed.
    pub(crate) fn tell(&mut self, waiting: Sender<()>) {
        self.waiting.push(waiting);
    }

    /// Gives a hole a symbol, or freezes the state there to try all values.
    fn meet(&mut self, world: &mut World, place: Place, inside: bool) -> Result<At, Error> {
        if let Some((range, kind)) = self.symbol(world, place) {
            let number = self.places.len();
            let term = self.symbols.term(&mut world.machine.terms, number, sort_of(kind));
            self.fill(world, place, kind.narrow(range.0 as u64));
            let (byte, size) = self.byte(world, place);
            world.machine.set_heap_shadow(byte, size, shadow_of(term));
            self.places.push(place);
            Rc::make_mut(&mut self.order).push(range);
            return Ok(if inside { At::Running } else { At::Holds });
        }
        let byte = self.byte(world, place).0;
        if let Some((_, _, site)) = self.excluded.iter().rev().find(|it| it.0 == byte) {
            self.nogoods.read_later(*site);
        }
        let mut choices = self.choices(world, place);
        if inside
            && self.symbolic
            && !matches!(place, Place::Element { .. })
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
        let mut failed = Failed::default();
        if let Some(key) = key {
            failed = self.nogoods.known(key, world.machine.place_in_code(), choices.len());
            if failed.count() == choices.len() {
                if let Some(node) = self.path.last_mut() {
                    node.now.read.add(&failed.read);
                }
                return Ok(At::Done);
            }
        }
        // Sums over memory begin at the last state that is kept.
        let before = self.path.last().and_then(|it| it.memory);
        let is_single = choices.len() - failed.count() == 1 && (before.is_some() || memory.is_none());
        let memory = if is_single { before } else { memory };
        let all = Outcome { read: failed.read, holds: false };
        let left = Left::Values { place, choices, next: 0, failed, inside, order: self.order.clone() };
        if self.freeze(world, left, is_single) {
            self.is_there = true;
            if let Some(node) = self.path.last_mut() {
                (node.all, node.key, node.memory) = (all, key, memory);
            }
        }
        Ok(At::Done)
    }

    /// Tells the state of a run that stopped at a hole from others, where that is worth it; and the sum over memory.
    fn state(&mut self, world: &World, byte: u64, choices: &[Choice]) -> (Option<u128>, Option<u128>) {
        let depth = self.path.len();
        // What is known of integers is a part of the state that is not compared.
        if !self.learns || !self.places.is_empty() || self.division.is_common(depth) {
            return (None, None);
        }
        let before = self.path.last().and_then(|it| it.memory);
        let memory = before.map(|it| it.wrapping_add(world.machine.memory_change()));
        if !self.nogoods.is_worth_asking(world.machine.place_in_code()) {
            return (None, memory);
        }
        let memory = memory.unwrap_or_else(|| {
            self.beginnings += 1;
            self.beginnings
        });
        let mut key = world.machine.control_key() ^ memory;
        let mut add = |it: u64| {
            key = (key ^ u128::from(it)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
            key ^= key >> 67;
        };
        add(byte);
        // They follow from the state, but for comparisons that are left open or not.
        add(choices.len() as u64);
        self.objects.iter().for_each(|it| add(it.addr.into()));
        self.excluded.iter().for_each(|it| {
            add(it.0);
            add(it.1);
        });
        (Some(key), Some(memory))
    }

    /// Keeps the state with what is left to try there; false if that is for another thread.
    fn freeze(&mut self, world: &mut World, left: Left, is_single: bool) -> bool {
        let depth = self.path.len();
        self.division.reaches(depth);
        if self.division.is_at(depth) {
            self.nogoods.forget();
        }
        if self.division.is_others(depth) {
            return false;
        }
        self.path.push(Node {
            state: (!is_single).then(|| world.machine.snapshot()),
            left,
            objects: self.objects.len(),
            symbols: self.places.len(),
            excluded: self.excluded.len(),
            chosen: self.nogoods.chosen.len(),
            all: Outcome::default(),
            now: Outcome::default(),
            key: None,
            memory: None,
        });
        true
    }

    /// Leaves the last node, of which nothing is left.
    fn leave(&mut self) {
        let Some(node) = self.path.pop() else { return };
        if let Some(before) = self.path.last_mut() {
            before.now.add(&node.all);
        }
    }

    /// Learns from what has been tried last at the last node.
    fn learn(&mut self) {
        let Some(node) = self.path.last_mut() else { return };
        let mut now = take(&mut node.now);
        now.read = now.read.below(node.chosen as u32);
        node.all.add(&now);
        if let (Some(key), &Left::Values { next: next @ 1.., .. }) = (node.key, &node.left)
            && !now.holds
        {
            self.nogoods.learn(key, next - 1, &now.read);
        }
    }

    /// Takes up the last hole that has a value left.
    fn next(&mut self, world: &mut World) -> Result<Option<At>, Error> {
        loop {
            self.learn();
            let is_there = take(&mut self.is_there);
            let Some(node) = self.path.last_mut() else { return Ok(None) };
            self.objects.truncate(node.objects);
            self.places.truncate(node.symbols);
            self.excluded.truncate(node.excluded);
            self.nogoods.chosen.truncate(node.chosen);
            let (place, choice, inside) = match &mut node.left {
                Left::Sides { sides, fixed } => {
                    let Some(side) = sides.pop() else {
                        self.leave();
                        continue;
                    };
                    let fixed = *fixed;
                    if let Some(state) = &node.state {
                        world.machine.restore(state);
                    }
                    let model = self.symbols.model(&world.machine.terms, &side.values);
                    world.machine.adopt_model(&model);
                    // The comparison is reported again, with this outcome.
                    world.machine.registers.decided -= 1;
                    self.order = Rc::new(side.order);
                    self.expected = (!fixed).then_some(side.condition);
                    return Ok(Some(At::Running));
                }
                Left::Values { place, choices, next, failed, inside, order } => {
                    *next = failed.next(*next);
                    let Some(choice) = choices.get(*next).copied() else {
                        self.leave();
                        continue;
                    };
                    *next += 1;
                    self.order = order.clone();
                    if !is_there && let Some(state) = &node.state {
                        world.machine.restore(state);
                    }
                    (*place, choice, *inside)
                }
            };
            let bits = match choice {
                Choice::Bits(bits) => bits,
                Choice::Fresh(of) => u64::from(self.object(world, of)?),
                Choice::FreshArray(kind, length) => u64::from(self.array(world, kind, length)?),
                Choice::Apart(comparison) => {
                    let byte = self.byte(world, place).0;
                    self.excluded.push((byte, comparison.other.into(), comparison.site));
                    self.nogoods.passed(&comparison);
                    if world.machine.pass_comparison(&comparison) {
                        return Ok(Some(At::Running));
                    }
                    self.ends();
                    if let Some(node) = self.path.last_mut() {
                        node.now.holds = true;
                    }
                    continue;
                }
            };
            self.fill(world, place, bits);
            if !inside {
                return Ok(Some(At::Holds));
            }
            self.mark(world, place, bits);
            return Ok(Some(At::Running));
        }
    }

    /// Lets the machine tell when a choice is read.
    fn mark(&mut self, world: &mut World, place: Place, bits: u64) {
        if self.learns && self.nogoods.chosen.len() as u32 >= MARKS {
            // There are too many to tell them apart.
            self.learns = false;
            self.nogoods.forget();
            self.path.iter_mut().for_each(|it| it.key = None);
        }
        if self.learns {
            let (byte, size) = self.byte(world, place);
            let mark = self.nogoods.choose(byte, bits);
            world.machine.mark_chosen(byte, size, mark);
        }
    }

    fn is_large_enough(&self) -> bool {
        let mut least = self.types.least();
        least.all(|(of, least)| least == 0 || self.objects.iter().filter(|it| it.of == of).count() >= least)
    }
}

/// Whether the predicate holds of the receiver now.
pub fn still_holds(world: &mut World, predicate: MethodId, receiver: Addr) -> Result<(), String> {
    match world.call(predicate, &[Value::reference(receiver)]) {
        Ended::Returned(bits) if bits & 1 != 0 => Ok(()),
        Ended::Returned(_) => Err("the predicate does not hold afterwards".into()),
        Ended::Threw(thrown) => {
            let class = world.machine.class_name_of(thrown).replace('/', ".");
            Err(format!("the predicate throws {class} afterwards"))
        }
        Ended::Stopped(why) => Err(format!("the predicate afterwards: {why}")),
    }
}
