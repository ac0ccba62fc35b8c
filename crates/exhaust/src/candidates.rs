//! Inputs from a predicate in Java (`repOk`), Korat's way (Boyapati, Khurshid & Marinov): what fields hold is chosen
//! when the predicate first reads them, so what it does not read before it says no is never chosen.
//!
//! Korat runs the predicate anew for each candidate. Here fields without a value are holes of the machine: the run stops
//! at a read, the state is frozen, and each value goes on from there. A reference is `null`, an object that has been met,
//! or one that has not: the next of its class, so that no two structures are isomorphic.
//!
//! Integers are symbols where the predicate compares them: only the outcomes of comparisons are chosen ([`crate::order`]),
//! and values when it has said yes.

use crate::bounds::Bounds;
use crate::classes::{Values, simple_name};
use crate::error::{Error, other};
use crate::order::{Order, Symbols};
use crate::specification::Specification;
use crate::world::{Ended, World};
use cupping_machine::{
    Addr, ClassId, Decision, DecisionKind, Exit, Halt, Kind, MethodId, Snapshot, Value, element_byte,
    shadow_of, sort_of,
};
use cupping_relation::Atom;
use cupping_term::TermId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What can be chosen for a hole.
#[derive(Clone, Debug)]
enum Choice {
    /// This.
    Bits(u64),
    /// A new object of a class.
    Fresh(String),
    /// A new array of a length.
    FreshArray(usize, u32),
}

/// Where a hole is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Field { object: Addr, at: usize },
    Element { array: Addr, kind: usize, index: u32 },
    Static { at: usize },
}

/// A place of the search with what has not been tried there.
struct Node {
    state: Snapshot,
    left: Left,
    objects: usize,
    symbols: usize,
}

/// What has not been tried.
enum Left {
    /// Values for a hole.
    Values {
        place: Place,
        choices: Vec<Choice>,
        next: usize,
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

/// An outcome of a comparison.
struct Side {
    condition: TermId,
    order: Order,
    values: Vec<i64>,
}

/// Ranges that are not worth a symbol.
const FEW: i64 = 2;
/// Integers beyond this are no symbols.
const LARGE: i64 = 1 << 28;
/// Choices of integers that are held at once.
const PORTION: usize = 1 << 18;
/// Integers of one structure that are symbols.
const MOST_SYMBOLS: usize = 64;

/// An object that has been chosen.
#[derive(Clone, Debug)]
struct Object {
    class: String,
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

/// The search for all structures of which a predicate holds.
pub struct Candidates<'a> {
    specification: &'a Specification,
    predicate: MethodId,
    bounds: &'a Bounds,
    objects: Vec<Object>,
    path: Vec<Node>,
    /// Modelled fields of a class, those of its superclasses too.
    fields: BTreeMap<ClassId, Vec<usize>>,
    holes: BTreeMap<u64, Place>,
    receiver: Addr,
    /// Whether integers may be symbols.
    symbolic: bool,
    symbols: Symbols,
    /// Where the symbols of this path are.
    places: Vec<Place>,
    order: Rc<Order>,
    /// The outcome for which the state has been prepared.
    expected: Option<TermId>,
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
        symbolic: bool,
    ) -> Result<Candidates<'a>, Error> {
        let Some(receiver) = &specification.plan.receiver else {
            return Err(other("the method under test is static; its class has no object to begin with"));
        };
        let mut search = Candidates {
            specification,
            predicate,
            bounds,
            objects: Vec::new(),
            path: Vec::new(),
            fields: BTreeMap::new(),
            holes: BTreeMap::new(),
            receiver: 0,
            // An integer may be an index, and elements without a value are none that an index can be compared with.
            symbolic: symbolic && specification.plan.classes.arrays.is_empty(),
            symbols: Symbols::default(),
            places: Vec::new(),
            order: Rc::new(Order::new()),
            expected: None,
            tried: Tried::default(),
        };
        world.rewind();
        search.receiver = search.object(world, receiver)?;
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
    /// go on. What integers are is written into the heap only if `written`.
    pub fn each(
        &mut self,
        world: &mut World,
        written: bool,
        mut visit: impl FnMut(&mut World, &Candidates) -> Result<bool, Error>,
    ) -> Result<(), Error> {
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
                        if self.is_large_enough() && !self.solutions(world, written, &mut visit)? {
                            return Ok(());
                        }
                        At::Done
                    }
                },
                At::Done => match self.next(world)? {
                    Some(at) => at,
                    None => return Ok(()),
                },
            };
        }
    }

    /// Runs the predicate to the next hole or to its end.
    fn run(&mut self, world: &mut World) -> Result<At, Error> {
        let exit = world.machine.run();
        if let Some(byte) = world.machine.take_hole() {
            let Some(place) = self.holes.get(&byte).copied() else {
                return Err(other("the predicate copies a field that it has not read"));
            };
            return self.meet(world, place, true);
        }
        if let Exit::Decision(decision) = exit {
            self.decide(world, &decision);
            return Ok(At::Running);
        }
        self.tried.candidates += 1;
        Ok(match exit {
            Exit::Returned(value) if value.bits & 1 != 0 => At::Holds,
            // An exception says that it does not hold, and so does a run without an end.
            Exit::Returned(_) | Exit::Threw(_) | Exit::Halted(Halt::OutOfFuel) => At::Done,
            Exit::Halted(Halt::Unsupported(what)) => {
                return Err(other(format!("the machine does not support {what}, which the predicate does")));
            }
            Exit::Halted(_) | Exit::Decision(_) => At::Done,
        })
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
        let choices = self.choices(world, place)?;
        let left = Left::Values { place, choices, next: 0, inside, order: self.order.clone() };
        self.freeze(world, left);
        Ok(At::Done)
    }

    fn freeze(&mut self, world: &mut World, left: Left) {
        let state = world.machine.snapshot();
        let (objects, symbols) = (self.objects.len(), self.places.len());
        self.path.push(Node { state, left, objects, symbols });
    }

    /// The range and kind of an integer that can be a symbol.
    fn symbol(&self, world: &World, place: Place) -> Option<((i64, i64), Kind)> {
        let (Place::Field { at, .. } | Place::Static { at }) = place else { return None };
        let kind = world.fields[at].kind;
        let is_integer = matches!(kind, Kind::Int | Kind::Short | Kind::Byte | Kind::Char | Kind::Long);
        if !self.symbolic || !is_integer || self.places.len() >= MOST_SYMBOLS {
            return None;
        }
        let field = &self.specification.after.fields[at].1;
        let (least, most) = self.bounds.integers(simple_name(&field.class), &field.name);
        let fits = |it: i64| match kind {
            Kind::Short => i16::try_from(it).is_ok(),
            Kind::Byte => i8::try_from(it).is_ok(),
            Kind::Char => u16::try_from(it).is_ok(),
            _ => it.abs() < LARGE,
        };
        (most - least >= FEW && fits(least) && fits(most)).then_some(((least, most), kind))
    }

    /// Goes on with the outcome of a comparison that the values have; others that are possible are for later.
    fn decide(&mut self, world: &mut World, decision: &Decision) {
        if self.expected.take() == Some(decision.taken) {
            return;
        }
        let mut sides = Vec::new();
        for &condition in &decision.others {
            let terms = &world.machine.terms;
            let mut order = (*self.order).clone();
            if order.require(&self.symbols, terms, condition, true)
                && let Some(values) = order.values(&self.symbols, terms)
            {
                sides.push(Side { condition, order, values });
            }
        }
        if sides.is_empty() {
            return;
        }
        let fixed = decision.kind == DecisionKind::Concretization;
        self.freeze(world, Left::Sides { sides, fixed });
        let order = Rc::make_mut(&mut self.order);
        order.require(&self.symbols, &world.machine.terms, decision.taken, true);
    }

    /// Tells of the structure with each choice of its integers.
    fn solutions(
        &mut self,
        world: &mut World,
        written: bool,
        visit: &mut impl FnMut(&mut World, &Candidates) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let order = self.order.clone();
        if order.len() == 0 {
            self.tried.valid += 1;
            return visit(world, self);
        }
        if !written {
            let mut outcome = Ok(true);
            let symbols = std::mem::take(&mut self.symbols);
            let terms = std::mem::take(&mut world.machine.terms);
            order.each(&symbols, &terms, &mut |_| {
                self.tried.valid += 1;
                outcome = visit(world, self);
                matches!(outcome, Ok(true))
            });
            world.machine.terms = terms;
            self.symbols = symbols;
            return outcome;
        }
        let state = world.machine.snapshot();
        let mut done = 0;
        loop {
            // In portions: memory stays flat however many there are.
            let mut portion: Vec<Vec<i64>> = Vec::new();
            let mut passed = 0;
            order.each(&self.symbols, &world.machine.terms, &mut |values| {
                passed += 1;
                if passed > done {
                    portion.push(values.to_vec());
                }
                portion.len() < PORTION
            });
            done += portion.len();
            let is_last = portion.len() < PORTION;
            for values in portion {
                world.machine.restore(&state);
                let model = self.symbols.model(&world.machine.terms, &values);
                world.machine.adopt_model(&model);
                world.machine.registers.heap_shadows = Default::default();
                self.tried.valid += 1;
                if !visit(world, self)? {
                    return Ok(false);
                }
            }
            if is_last {
                return Ok(true);
            }
        }
    }

    /// Takes up the last hole that has a value left.
    fn next(&mut self, world: &mut World) -> Result<Option<At>, Error> {
        while let Some(node) = self.path.last_mut() {
            self.objects.truncate(node.objects);
            self.places.truncate(node.symbols);
            let (place, choice, inside) = match &mut node.left {
                Left::Sides { sides, fixed } => {
                    let Some(side) = sides.pop() else {
                        self.path.pop();
                        continue;
                    };
                    let fixed = *fixed;
                    world.machine.restore(&node.state);
                    if sides.is_empty() {
                        self.path.pop();
                    }
                    let model = self.symbols.model(&world.machine.terms, &side.values);
                    world.machine.adopt_model(&model);
                    // The comparison is reported again, with this outcome.
                    world.machine.registers.decided -= 1;
                    self.order = Rc::new(side.order);
                    self.expected = (!fixed).then_some(side.condition);
                    return Ok(Some(At::Running));
                }
                Left::Values { place, choices, next, inside, order } => {
                    let Some(choice) = choices.get(*next).cloned() else {
                        self.path.pop();
                        continue;
                    };
                    *next += 1;
                    let found = (*place, choice, *inside);
                    self.order = order.clone();
                    let is_last = *next == choices.len();
                    world.machine.restore(&node.state);
                    if is_last {
                        self.path.pop();
                    }
                    found
                }
            };
            let bits = match choice {
                Choice::Bits(bits) => bits,
                Choice::Fresh(class) => u64::from(self.object(world, &class)?),
                Choice::FreshArray(kind, length) => u64::from(self.array(world, kind, length)?),
            };
            self.fill(world, place, bits);
            return Ok(Some(if inside { At::Running } else { At::Holds }));
        }
        Ok(None)
    }

    fn byte(&self, world: &World, place: Place) -> (u64, u32) {
        match place {
            Place::Field { object, at } => (u64::from(object + world.fields[at].offset) * 8, 8),
            Place::Element { array, kind, index } => {
                let size = self.element_kind(kind).array_bytes();
                (element_byte(array, index, size), size)
            }
            Place::Static { at } => (u64::from(world.fields[at].word) * 8, 8),
        }
    }

    fn element_kind(&self, array: usize) -> Kind {
        Kind::of_descriptor(self.specification.plan.classes.arrays[array].descriptor.as_bytes()[1])
    }

    fn dig(&mut self, world: &mut World, place: Place) {
        let (byte, size) = self.byte(world, place);
        world.machine.dig(byte, size);
        self.holes.insert(byte, place);
    }

    fn fill(&mut self, world: &mut World, place: Place, bits: u64) {
        let (byte, size) = self.byte(world, place);
        world.machine.memory.write_bytes(byte, size, bits);
        world.machine.set_heap_shadow(byte, size, 0);
    }

    fn object(&mut self, world: &mut World, class: &str) -> Result<Addr, Error> {
        let made = world.object(class);
        let object = made.map_err(|trap| other(world.machine.describe_trap(&trap)))?;
        let id = world.classes[class];
        if !self.fields.contains_key(&id) {
            let fields = (0..world.fields.len()).filter(|at| {
                !self.specification.after.fields[*at].1.is_static
                    && world.machine.is_subtype(id, world.fields[*at].class)
            });
            let fields = fields.collect();
            self.fields.insert(id, fields);
        }
        for at in self.fields[&id].clone() {
            self.dig(world, Place::Field { object, at });
        }
        world.link_outer(class, object, if self.receiver == 0 { object } else { self.receiver });
        self.objects.push(Object { class: class.to_owned(), addr: object });
        Ok(object)
    }

    fn array(&mut self, world: &mut World, kind: usize, length: u32) -> Result<Addr, Error> {
        let made = world.machine.new_array(world.arrays[kind], length);
        let array = made.map_err(|trap| other(world.machine.describe_trap(&trap)))?;
        for index in 0..length {
            self.dig(world, Place::Element { array, kind, index });
        }
        let class = self.specification.plan.classes.arrays[kind].descriptor.clone();
        self.objects.push(Object { class, addr: array });
        Ok(array)
    }

    /// What a hole can hold.
    fn choices(&self, world: &mut World, place: Place) -> Result<Vec<Choice>, Error> {
        let (values, kind, class, name) = match place {
            Place::Field { at, .. } | Place::Static { at } => {
                let field = &self.specification.after.fields[at].1;
                (
                    &field.values,
                    world.fields[at].kind,
                    simple_name(&field.class).to_owned(),
                    field.name.clone(),
                )
            }
            Place::Element { kind, .. } => {
                let array = &self.specification.plan.classes.arrays[kind];
                (&array.elements, self.element_kind(kind), format!("{}Array", array.of), "at".to_owned())
            }
        };
        self.values(world, values, kind, &class, &name)
    }

    fn values(
        &self,
        world: &mut World,
        values: &[Values],
        kind: Kind,
        class: &str,
        name: &str,
    ) -> Result<Vec<Choice>, Error> {
        let mut choices = Vec::new();
        if kind == Kind::Reference {
            choices.push(Choice::Bits(0));
        }
        let atoms: Vec<Atom> = values
            .iter()
            .flat_map(|value| match value {
                Values::Integers(_) => {
                    let (least, most) = self.bounds.integers(class, name);
                    (least..=most).map(Atom::Int).collect()
                }
                Values::Booleans => vec![Atom::Bool(false), Atom::Bool(true)],
                Values::Texts => self.specification.header.strings.iter().cloned().map(Atom::Text).collect(),
                Values::Objects(_) | Values::Arrays(_) => Vec::new(),
            })
            .collect();
        for atom in atoms {
            let bits = world.bits(&atom, kind, values);
            choices.push(Choice::Bits(bits.map_err(|trap| other(world.machine.describe_trap(&trap)))?));
        }
        for value in values {
            match value {
                Values::Objects(declared) => {
                    let classes = self.concrete(declared);
                    let known = self.objects.iter().filter(|it| classes.contains(&it.class));
                    choices.extend(known.map(|it| Choice::Bits(u64::from(it.addr))));
                    for class in classes {
                        let plan = &self.specification.plan.classes.classes[&class];
                        if let Some(constants) = &plan.constants {
                            let of = constants.iter().map(|it| u64::from(world.constant(&class, it)));
                            choices.extend(of.map(Choice::Bits));
                            continue;
                        }
                        let count = self.objects.iter().filter(|it| it.class == class).count();
                        if count < self.bounds.objects(simple_name(&class)).1 {
                            choices.push(Choice::Fresh(class));
                        }
                    }
                }
                Values::Arrays(at) => {
                    let array = &self.specification.plan.classes.arrays[*at];
                    let known = self.objects.iter().filter(|it| it.class == array.descriptor);
                    choices.extend(known.map(|it| Choice::Bits(u64::from(it.addr))));
                    let of = format!("{}Array", array.of);
                    let count = self.objects.iter().filter(|it| it.class == array.descriptor).count();
                    if count < self.bounds.objects(&of).1 {
                        let (least, most) = self.bounds.integers(&of, "length");
                        let lengths = least.max(0)..=most;
                        choices.extend(lengths.map(|it| Choice::FreshArray(*at, it as u32)));
                    }
                }
                _ => {}
            }
        }
        Ok(choices)
    }

    /// The classes whose objects can be where this one is declared.
    fn concrete(&self, declared: &str) -> Vec<String> {
        let classes = &self.specification.plan.classes;
        let top = classes.implementations.get(declared).cloned().unwrap_or_else(|| vec![declared.to_owned()]);
        let is_below = |name: &str| {
            let mut at = Some(name);
            while let Some(it) = at {
                if top.iter().any(|top| top == it) {
                    return true;
                }
                at = classes.classes.get(it).and_then(|it| it.parent.as_deref());
            }
            false
        };
        classes
            .classes
            .values()
            .filter(|it| !it.is_abstract && is_below(&it.name))
            .map(|it| it.name.clone())
            .collect()
    }

    /// The first hole that is left, in the order in which objects were met.
    fn unread(&self, world: &World) -> Option<Place> {
        let hole = |place: Place| world.machine.is_hole(self.byte(world, place).0).then_some(place);
        for at in 0..self.specification.after.fields.len() {
            if self.specification.after.fields[at].1.is_static
                && let Some(place) = hole(Place::Static { at })
            {
                return Some(place);
            }
        }
        for object in &self.objects {
            let class = world.machine.class_of(object.addr);
            match self.fields.get(&class) {
                Some(fields) => {
                    for at in fields {
                        if let Some(place) = hole(Place::Field { object: object.addr, at: *at }) {
                            return Some(place);
                        }
                    }
                }
                None => {
                    let kind = world.arrays.iter().position(|it| *it == class)?;
                    for index in 0..world.machine.array_length(object.addr) {
                        if let Some(place) = hole(Place::Element { array: object.addr, kind, index }) {
                            return Some(place);
                        }
                    }
                }
            }
        }
        None
    }

    fn is_large_enough(&self) -> bool {
        self.specification.plan.classes.classes.keys().all(|class| {
            let least = self.bounds.objects(simple_name(class)).0;
            least == 0 || self.objects.iter().filter(|it| it.class == *class).count() >= least
        })
    }

    /// All combinations of arguments of the method under test: `null`, values within the scope, and objects of the
    /// structure.
    pub fn arguments(&self, world: &mut World) -> Result<Vec<Vec<Value>>, Error> {
        let mut all = vec![vec![Value::reference(self.receiver)]];
        for parameter in &self.specification.plan.parameters {
            let kind = Kind::of_descriptor(parameter.descriptor.as_bytes()[0]);
            let choices = self.values(world, &parameter.values, kind, "", &parameter.name)?;
            let bits: Vec<u64> = choices
                .iter()
                .filter_map(|it| match it {
                    Choice::Bits(bits) => Some(*bits),
                    _ => None,
                })
                .collect();
            all = all
                .iter()
                .flat_map(|some| {
                    bits.iter().map(move |bits| {
                        let mut more = some.clone();
                        more.push(Value::concrete(*bits));
                        more
                    })
                })
                .collect();
        }
        Ok(all)
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
