//! The state in which a run ended, in a form that can be compared with the end of another run.

use super::leaves::{Beside, Leaf, Leaves};
use crate::driver::PlanDriver;
use crate::slots::{Elements, visit};
use crate::statics::statics_under_test;
use cupping_explore::InvocationEnd;
use cupping_machine::{Addr, Class, ClassId, ClassKind, Kind, MAX_RECORDED_CALLS, Machine, Value, term_of};
use cupping_term::{Evaluator, Model, TermId};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// Limit on the objects of an image.
const MAX_OBJECTS: usize = 2000;
/// Limit on its primitive values.
const MAX_LEAVES: usize = 200_000;

/// What a run left behind: how it ended, the values of its plan and the static fields of the code under test,
/// with all reachable objects. Objects are numbered in traversal order, so isomorphic states have equal images.
#[derive(Debug)]
pub struct Image {
    /// Classes, references and lengths.
    structure: Vec<u64>,
    /// Primitive values with their terms.
    leaves: Leaves,
}

/// The result of comparing two images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// They differ.
    Different,
    /// They are equal under the model.
    Alike {
        /// They differ on the inputs for which one of these pairs differs.
        pairs: Vec<(TermId, Comparand)>,
        /// Whether they are equal on all other inputs that take the path. Terms of different sorts cannot be
        /// compared.
        is_complete: bool,
    },
    /// They are equal on all inputs that take the path.
    Same,
    /// They are too large, or cannot be compared.
    Unknown,
}

/// The other side of a comparison with a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparand {
    /// Another term of the same sort.
    Term(TermId),
    /// A value that does not depend on inputs.
    Constant(u64),
}

/// The extent of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The result or exception of the last invocation.
    Result,
    /// Also the values of the plan, apart from objects of the code under test, whose fields callers do not see, and
    /// what stubs have been told.
    Visible,
    /// Also the values of the plan and the static fields of the code under test.
    State,
}

impl Image {
    /// The end of a run, without the static fields of these classes; `None` if the state is too large, or a stub
    /// has not recorded all its calls.
    pub fn of(
        machine: &Machine,
        driver: &PlanDriver,
        ended: &InvocationEnd,
        extent: Extent,
        settled: &BTreeSet<ClassId>,
    ) -> Option<Image> {
        let image = Image { structure: Vec::new(), leaves: Leaves::default() };
        let mut walk =
            Walk { machine, image, numbers: FxHashMap::default(), queue: Vec::new(), has_lost_calls: false };
        walk.image.structure.push(driver.next as u64);
        match ended {
            InvocationEnd::Returned(value) => {
                walk.image.structure.push(1);
                if let Some(crate::plan::PlanStep::Call { invokable, .. }) = driver.plan.steps.last() {
                    let kind = crate::invokable::kind_of(&invokable.result);
                    if kind != Kind::Void && !invokable.is_constructor() {
                        walk.slot(kind, *value);
                    }
                }
            }
            InvocationEnd::Threw(exception) => {
                walk.image.structure.push(2);
                let class = machine.class_of(*exception);
                let identity = identity(machine, class);
                walk.image.structure.push(identity);
                if let Some(offset) = machine.field_offset(class, "detailMessage") {
                    let message = Value::concrete(machine.memory().read(exception + offset));
                    walk.slot(Kind::Reference, message);
                }
            }
            InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions => walk.image.structure.push(3),
        }
        match extent {
            Extent::Result => {}
            Extent::Visible => {
                walk.values(driver, |class| class.from_jdk);
                walk.all_calls(driver);
            }
            Extent::State => {
                walk.values(driver, |_| true);
                walk.statics(settled);
            }
        }
        let mut at = 0;
        while at < walk.queue.len() {
            if walk.queue.len() > MAX_OBJECTS || walk.image.leaves.len() > MAX_LEAVES {
                return None;
            }
            let object = walk.queue[at];
            walk.object(object);
            at += 1;
        }
        (!walk.has_lost_calls).then_some(walk.image)
    }

    /// The number of values and references.
    pub fn size(&self) -> usize {
        self.structure.len() + self.leaves.len()
    }

    /// The values that differ between two images for some inputs, whatever the model; `None` if the images have
    /// different shapes or constants, or values that cannot be compared.
    pub fn pairs(
        machine: &Machine,
        one: Option<&Image>,
        other: Option<&Image>,
    ) -> Option<Vec<(TermId, Comparand)>> {
        let mut pairs = Vec::new();
        for (a, b) in one?.leaves_beside(other?)? {
            match LeafPair::of(machine, &a, &b) {
                LeafPair::Same => {}
                LeafPair::Terms(term, comparand) => pairs.push((term, comparand)),
                LeafPair::Constants | LeafPair::OtherSorts => return None,
            }
        }
        Some(pairs)
    }

    /// Compares two images under a model.
    pub fn compare(
        machine: &Machine,
        model: &Model,
        one: Option<&Image>,
        other: Option<&Image>,
    ) -> Comparison {
        let (Some(one), Some(other)) = (one, other) else { return Comparison::Unknown };
        let Some(leaves) = one.leaves_beside(other) else { return Comparison::Different };
        let mut evaluator = Evaluator::new();
        let (mut pairs, mut is_complete) = (Vec::new(), true);
        for (a, b) in leaves {
            let pair = LeafPair::of(machine, &a, &b);
            if pair == LeafPair::Same {
                continue;
            }
            let mut value =
                |(bits, term): &Leaf| term.map_or(*bits, |term| evaluator.eval(machine.terms(), model, term));
            if value(&a) != value(&b) {
                return Comparison::Different;
            }
            match pair {
                LeafPair::Terms(term, comparand) => pairs.push((term, comparand)),
                LeafPair::OtherSorts => is_complete = false,
                LeafPair::Same | LeafPair::Constants => {}
            }
        }
        match (pairs.is_empty(), is_complete) {
            (true, true) => Comparison::Same,
            (true, false) => Comparison::Unknown,
            (false, _) => Comparison::Alike { pairs, is_complete },
        }
    }

    /// The primitive values of both images, side by side, apart from some that are equal; `None` if the images have
    /// different shapes.
    fn leaves_beside<'a>(&'a self, other: &'a Image) -> Option<Beside<'a>> {
        let has_shape = self.structure == other.structure && self.leaves.len() == other.leaves.len();
        has_shape.then(|| self.leaves.beside(&other.leaves))
    }
}

/// Two values at the same place of two images.
#[derive(PartialEq)]
enum LeafPair {
    /// They are equal on all inputs.
    Same,
    /// Different constants.
    Constants,
    /// At least one of them depends on inputs.
    Terms(TermId, Comparand),
    /// Terms that cannot be compared.
    OtherSorts,
}

impl LeafPair {
    fn of(machine: &Machine, (a_bits, a): &Leaf, (b_bits, b): &Leaf) -> LeafPair {
        match (*a, *b) {
            (Some(a), Some(b)) if a == b => LeafPair::Same,
            (Some(a), Some(b)) if machine.terms().sort(a) == machine.terms().sort(b) => {
                LeafPair::Terms(a, Comparand::Term(b))
            }
            (Some(_), Some(_)) => LeafPair::OtherSorts,
            (Some(term), None) => LeafPair::Terms(term, Comparand::Constant(*b_bits)),
            (None, Some(term)) => LeafPair::Terms(term, Comparand::Constant(*a_bits)),
            (None, None) if a_bits == b_bits => LeafPair::Same,
            (None, None) => LeafPair::Constants,
        }
    }
}

struct Walk<'a> {
    machine: &'a Machine,
    image: Image,
    numbers: FxHashMap<Addr, u32>,
    queue: Vec<Addr>,
    /// Whether a stub may have received more calls than it has recorded.
    has_lost_calls: bool,
}

impl Walk<'_> {
    /// The objects of a plan whose classes are of interest.
    fn values(&mut self, driver: &PlanDriver, is_of_interest: impl Fn(&Class) -> bool) {
        let machine = self.machine;
        for (slot, variable) in driver.slots.iter().zip(&driver.plan.variables) {
            let kind = crate::invokable::kind_of(&variable.ty);
            let Some(value) = slot.value.filter(|_| kind == Kind::Reference) else { continue };
            let object = value.as_ref();
            if object == 0 || is_of_interest(machine.class(machine.class_of(object))) {
                self.slot(kind, value);
            }
        }
    }

    fn statics(&mut self, settled: &BTreeSet<ClassId>) {
        for (kind, value) in statics_under_test(self.machine, settled) {
            self.slot(kind, value);
        }
    }

    fn slot(&mut self, kind: Kind, value: Value) {
        if kind != Kind::Reference {
            let term = term_of(value.shadow);
            let bits = if term.is_some() { value.bits } else { kind.narrow(value.bits) };
            self.image.leaves.push((bits, term));
            return;
        }
        let object = value.as_ref();
        if object == 0 {
            self.image.structure.push(0);
            return;
        }
        let next = self.numbers.len() as u32 + 1;
        let number = *self.numbers.entry(object).or_insert(next);
        if number == next {
            self.queue.push(object);
        }
        self.image.structure.push(u64::from(number));
    }

    /// The calls that the stubs of a plan have received.
    fn all_calls(&mut self, driver: &PlanDriver) {
        for var in 0..driver.slots.len() {
            if let Some(stub) = driver.object(var) {
                self.calls(stub);
            }
        }
    }

    /// The calls that a stub has received, as far as its methods have no result. How often others are called may
    /// differ between versions that do the same.
    fn calls(&mut self, stub: Addr) {
        let calls = self.machine.stub_calls(stub).unwrap_or_default();
        self.has_lost_calls |= calls.len() == MAX_RECORDED_CALLS;
        for call in calls.into_iter().filter(|it| !it.has_result) {
            self.image.structure.push(call.method as u64);
            call.arguments.into_iter().for_each(|(kind, value)| self.slot(kind, value));
        }
    }

    fn object(&mut self, object: Addr) {
        let machine = self.machine;
        let class = machine.class_of(object);
        self.image.structure.push(identity(machine, class));
        if &*machine.class(class).name == "java/lang/Class" {
            self.image.structure.push(identity(machine, machine.class_of_mirror(object)));
            return;
        }
        if let ClassKind::Array { kind, .. } = machine.class(class).kind {
            let length = machine.array_length(object);
            self.image.structure.push(u64::from(length));
            if let Some(words) = machine.concrete_elements(object, kind) {
                let shadow = machine.heap_shadow(u64::from(object + 1) * 8);
                self.slot(Kind::Int, Value { bits: u64::from(length), shadow });
                self.image.leaves.push_elements(kind, length, words);
                return;
            }
        }
        visit(machine, object, Elements::Length, |part| {
            // Tests do not compare the stack trace and causes of an exception.
            let is_hidden = part.field.is_some_and(|(declaring, field)| {
                &*machine.class(declaring).name == "java/lang/Throwable" && &*field.name != "detailMessage"
            });
            if !is_hidden {
                self.slot(part.kind, part.value);
            }
        });
        self.calls(object);
    }
}

/// The members that a class shares with the class of the same name in another program.
fn identity(machine: &Machine, class: ClassId) -> u64 {
    let loaded = machine.class(class);
    if loaded.from_jdk {
        return u64::from(class.0);
    }
    let mut hasher = FxHasher::default();
    loaded.name.hash(&mut hasher);
    hasher.finish() | 1 << 63
}
