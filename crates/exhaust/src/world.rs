//! The machine for a specification: initialised classes, prepared constants and boxes, and the snapshot that
//! every run starts from.

use crate::classes::{ModelledField, Values};
use crate::error::{Error, other};
use crate::specification::Specification;
use crate::target::MethodUnderTest;
use cupping_classfile::Program;
use cupping_machine::{
    Addr, ClassId, CollectionPolicy, Exit, Halt, Kind, Machine, MethodId, RunLimits, Snapshot, Step, Trap,
    Value,
};
use cupping_relation::Atom;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Calls and backward jumps after which a run counts as endless.
const FUEL: u64 = 2_000_000;
/// Work of a run besides its steps, in nanoseconds of a reference machine.
const WORK_OF_RUN: u64 = 20_000;
/// Work of one step of a run.
const WORK_OF_STEP: u64 = 100;
/// Limit on the heap of a run, in words.
const HEAP: u32 = 1 << 26;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It returned this value.
    Returned(u64),
    /// It threw this exception.
    Threw(Addr),
    /// It did not end, or the machine does not support it.
    Stopped(String),
}

/// The location of a field on the machine.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlace {
    /// Its class.
    pub class: ClassId,
    /// Word offset.
    pub offset: u32,
    /// How the field is stored.
    pub kind: Kind,
    /// The word that holds it, if it is static.
    pub word: Addr,
}

/// The initial content of new objects of a class.
#[derive(Clone, Debug)]
enum InitialContent {
    /// All zero.
    Blank,
    /// A copy of an object that the constructor initialised.
    Copied(Vec<u64>),
    /// Constructed each time, because unmodelled fields refer to objects of their own.
    Constructed(MethodId),
}

/// A machine ready to run the method.
pub struct World {
    /// The machine.
    pub machine: Machine,
    /// Work of all runs so far, in nanoseconds of a reference machine: the load does not affect it.
    pub work: u64,
    base: Snapshot,
    /// The method under test.
    pub method: Option<MethodId>,
    /// The class to instantiate, if the method is a constructor.
    constructs: Option<ClassId>,
    /// Loaded classes by internal name.
    pub classes: BTreeMap<String, ClassId>,
    /// Array classes, in the order of the model's.
    pub arrays: Vec<ClassId>,
    /// Modelled fields, in the order of the model's.
    pub fields: Vec<FieldPlace>,
    /// Declared exceptions, in the order of the specification.
    pub exceptions: Vec<ClassId>,
    constants: BTreeMap<(String, String), Addr>,
    boxes: BTreeMap<(String, i64), Addr>,
    texts: BTreeMap<String, Addr>,
    beginnings: BTreeMap<String, InitialContent>,
    outer: BTreeMap<String, u32>,
}

impl World {
    /// Boots a machine for a specification.
    pub fn boot(program: Arc<Program>, specification: &Specification) -> Result<World, Error> {
        let machine = Machine::boot(program, World::limits()).map_err(other)?;
        World::on(machine, specification)
    }

    /// Limits that runs need: no garbage collection, so that an address identifies its atom's object.
    pub fn limits() -> RunLimits {
        RunLimits { collect: CollectionPolicy::Never, heap_words: HEAP, ..RunLimits::default() }
    }

    /// Prepares a machine that is already booted, possibly with replaced method bodies.
    pub fn on(mut machine: Machine, specification: &Specification) -> Result<World, Error> {
        let base = machine.snapshot();
        let mut world = World {
            machine,
            work: 0,
            base,
            method: None,
            constructs: None,
            classes: BTreeMap::new(),
            arrays: Vec::new(),
            fields: Vec::new(),
            exceptions: Vec::new(),
            constants: BTreeMap::new(),
            boxes: BTreeMap::new(),
            texts: BTreeMap::new(),
            beginnings: BTreeMap::new(),
            outer: BTreeMap::new(),
        };
        match world.prepare(specification) {
            Ok(()) => {
                world.base = world.machine.snapshot();
                Ok(world)
            }
            Err(trap) => Err(other(world.machine.describe_trap(&trap))),
        }
    }

    fn prepare(&mut self, specification: &Specification) -> Step<()> {
        let plan = &specification.plan;
        for name in plan.classes.classes.keys() {
            let id = self.machine.initialize_now(name)?;
            self.classes.insert(name.clone(), id);
        }
        for array in &plan.classes.arrays {
            let id = self.machine.load(&array.descriptor)?;
            self.arrays.push(id);
        }
        for name in &plan.throws {
            let id = self.machine.load(name)?;
            self.exceptions.push(id);
        }
        for (_, field) in &specification.after.fields {
            let place = self.place(field)?;
            self.fields.push(place);
        }
        for (_, class, name) in &specification.after.constants {
            let found = self.machine.static_field(self.classes[class], name).unwrap_or(0);
            self.constants.insert((class.clone(), name.clone()), found as Addr);
        }
        for text in &specification.header.strings {
            let units: Vec<u16> = text.encode_utf16().collect();
            let found = self.machine.intern(&units)?;
            self.texts.insert(text.clone(), found);
        }
        for class in plan.classes.classes.values().filter(|it| !it.is_abstract && it.constants.is_none()) {
            let id = self.classes[&class.name];
            let fields = specification.after.fields.iter().zip(&self.fields);
            let own = fields
                .filter(|((_, it), place)| !it.is_static && self.machine.is_subtype(id, place.class))
                .map(|(_, place)| place.offset);
            let modelled: Vec<u32> = own.collect();
            let beginning = self.beginning(&class.name, &modelled);
            self.beginnings.insert(class.name.clone(), beginning);
            self.find_outer(&class.name, plan.receiver.as_deref());
        }
        if let Some(MethodUnderTest { class, name, descriptor, .. }) = &specification.target {
            let class = self.machine.initialize_now(class)?;
            self.method = self.machine.find_method(class, name, descriptor);
            self.constructs = (name == "<init>").then_some(class);
        }
        Ok(())
    }

    fn place(&mut self, field: &ModelledField) -> Step<FieldPlace> {
        let class = self.machine.load(&field.class)?;
        let found = self.machine.class(class).declared_field(&field.name, &field.descriptor);
        match found.map(|it| (it.offset as u32, it.kind)) {
            Some((offset, kind)) => {
                let word = if field.is_static { self.machine.statics(class)? + offset } else { 0 };
                Ok(FieldPlace { class, offset, kind, word })
            }
            None => Err(Trap::Missing(format!("{}.{}", field.class, field.name))),
        }
    }

    /// The state of a new object after its default constructor.
    fn beginning(&mut self, name: &str, modelled: &[u32]) -> InitialContent {
        let class = self.classes[name];
        let Some(constructor) = self.machine.declared_method(class, "<init>", "()V") else {
            return InitialContent::Blank;
        };
        let start = self.machine.snapshot();
        let made = self.construct(class, constructor);
        let Ok(object) = made else {
            self.machine.restore(&start);
            return InitialContent::Blank;
        };
        let size = u32::from(self.machine.class(class).size);
        let words: Vec<u64> = (1..size).map(|at| self.machine.field(object, at)).collect();
        let references = self.reference_offsets(class);
        let shares =
            references.iter().any(|offset| !modelled.contains(offset) && words[*offset as usize - 1] != 0);
        self.machine.restore(&start);
        if shares { InitialContent::Constructed(constructor) } else { InitialContent::Copied(words) }
    }

    fn reference_offsets(&self, class: ClassId) -> Vec<u32> {
        let mut offsets = Vec::new();
        let mut at = Some(class);
        while let Some(id) = at {
            let fields = self.machine.class(id).fields.iter();
            offsets.extend(
                fields.filter(|it| !it.is_static() && it.kind == Kind::Reference).map(|it| it.offset as u32),
            );
            at = self.machine.class(id).super_class;
        }
        offsets
    }

    fn construct(&mut self, class: ClassId, constructor: MethodId) -> Step<Addr> {
        let object = self.machine.new_object(class)?;
        self.machine.set_fuel(FUEL);
        self.machine.call(constructor, &[Value::reference(object)])?;
        Ok(object)
    }

    /// Finds the hidden reference of an inner class to its outer object.
    fn find_outer(&mut self, name: &str, receiver: Option<&str>) {
        let class = self.classes[name];
        let wanted = receiver.map(|it| format!("L{it};"));
        let hidden = self.machine.class(class).fields.iter().find(|it| {
            it.access.is_synthetic() && !it.is_static() && Some(&*it.descriptor) == wanted.as_deref()
        });
        if let Some(field) = hidden {
            self.outer.insert(name.to_owned(), field.offset as u32);
        }
    }

    /// Restores the snapshot that every run starts from.
    pub fn rewind(&mut self) {
        self.machine.restore(&self.base);
    }

    /// A new object of a class, with the state that the model does not determine.
    pub fn object(&mut self, class: &str) -> Step<Addr> {
        let id = self.classes[class];
        match self.beginnings.get(class) {
            Some(InitialContent::Constructed(constructor)) => self.construct(id, *constructor),
            Some(InitialContent::Copied(words)) => {
                let object = self.machine.new_object(id)?;
                for (at, word) in words.iter().enumerate() {
                    self.machine.set_field(object, at as u32 + 1, *word);
                }
                Ok(object)
            }
            _ => self.machine.new_object(id),
        }
    }

    /// Sets the outer object of an inner-class object to the receiver.
    pub fn link_outer(&mut self, class: &str, object: Addr, receiver: Addr) {
        if let Some(offset) = self.outer.get(class) {
            self.machine.set_field(object, *offset, u64::from(receiver));
        }
    }

    /// The bits of a value other than a modelled object, for a place of this declared kind.
    pub fn bits(&mut self, atom: &Atom, kind: Kind, values: &[Values]) -> Step<u64> {
        Ok(match atom {
            Atom::Int(value) if kind != Kind::Reference => number(*value, kind),
            Atom::Bool(value) if kind != Kind::Reference => u64::from(*value),
            Atom::Int(value) => {
                let class = values.iter().find_map(|it| match it {
                    Values::Integers(class) => class.clone(),
                    _ => None,
                });
                let class = class.unwrap_or_else(|| "java/lang/Integer".to_owned());
                u64::from(self.boxed(&class, *value)?)
            }
            Atom::Bool(value) => u64::from(self.boxed("java/lang/Boolean", i64::from(*value))?),
            Atom::Text(text) => match self.texts.get(text) {
                Some(found) => u64::from(*found),
                None => u64::from(self.machine.new_text(text)?),
            },
            Atom::Of(..) | Atom::Only(_) => 0,
        })
    }

    /// The box that `valueOf` returns.
    fn boxed(&mut self, class: &str, value: i64) -> Step<Addr> {
        if let Some(known) = self.boxes.get(&(class.to_owned(), value)) {
            return Ok(*known);
        }
        let letter = match class {
            "java/lang/Long" => 'J',
            "java/lang/Short" => 'S',
            "java/lang/Byte" => 'B',
            "java/lang/Character" => 'C',
            "java/lang/Boolean" => 'Z',
            "java/lang/Float" => 'F',
            "java/lang/Double" => 'D',
            _ => 'I',
        };
        let id = self.machine.initialize_now(class)?;
        let method = self.machine.declared_method(id, "valueOf", &format!("({letter})L{class};"));
        let Some(method) = method else { return Err(Trap::Missing(format!("{class}.valueOf"))) };
        let bits = number(value, Kind::of_descriptor(letter as u8));
        Ok(self.machine.call(method, &[Value::concrete(bits)])?.as_ref())
    }

    /// Creates the boxes of these integers in the starting snapshot.
    pub fn prepare_boxes(&mut self, class: &str, range: (i64, i64)) -> Result<(), Error> {
        self.rewind();
        for value in range.0..=range.1 {
            match self.boxed(class, value) {
                Ok(found) => drop(self.boxes.insert((class.to_owned(), value), found)),
                Err(trap) => return Err(other(self.machine.describe_trap(&trap))),
            }
        }
        self.base = self.machine.snapshot();
        Ok(())
    }

    /// Resets the fuel for a run.
    pub fn refuel(&mut self) {
        self.machine.set_fuel(FUEL);
    }

    /// The object of an enum constant.
    pub fn constant(&self, class: &str, name: &str) -> Addr {
        self.constants.get(&(class.to_owned(), name.to_owned())).copied().unwrap_or(0)
    }

    /// The enum constant of an object.
    pub fn constant_at(&self, object: Addr) -> Option<&(String, String)> {
        self.constants.iter().find(|it| *it.1 == object).map(|it| it.0)
    }

    /// Runs the method under test; `arguments` start with the receiver.
    pub fn run(&mut self, arguments: &[Value]) -> RunEnd {
        let Some(method) = self.method else { return RunEnd::Stopped("there is no method to run".into()) };
        let Some(class) = self.constructs else { return self.call(method, arguments) };
        let made = match self.machine.new_object(class) {
            Ok(made) => made,
            Err(trap) => return RunEnd::Stopped(self.machine.describe_trap(&trap)),
        };
        let mut all = vec![Value::reference(made)];
        all.extend_from_slice(arguments);
        match self.call_exactly(method, &all) {
            RunEnd::Returned(_) => RunEnd::Returned(u64::from(made)),
            other => other,
        }
    }

    /// Runs a method, with virtual dispatch if it has a receiver.
    pub fn call(&mut self, method: MethodId, arguments: &[Value]) -> RunEnd {
        let mut method = method;
        if !self.machine.method(method).is_static()
            && let Some(receiver) = arguments.first()
        {
            let class = self.machine.class_of(receiver.as_ref());
            method = self.machine.select(class, method);
        }
        self.call_exactly(method, arguments)
    }

    fn call_exactly(&mut self, method: MethodId, arguments: &[Value]) -> RunEnd {
        self.machine.set_fuel(FUEL);
        if let Err(trap) = self.machine.enter(method, arguments) {
            return RunEnd::Stopped(self.machine.describe_trap(&trap));
        }
        let exit = self.machine.run();
        let steps = FUEL.saturating_sub(self.machine.fuel());
        self.work = self.work.saturating_add(WORK_OF_RUN + steps.saturating_mul(WORK_OF_STEP));
        match exit {
            Exit::Returned(value) => RunEnd::Returned(value.bits),
            Exit::Threw(thrown) => RunEnd::Threw(thrown),
            Exit::Halted(Halt::OutOfFuel) => RunEnd::Stopped("it does not end".into()),
            Exit::Halted(Halt::Exit(code)) => RunEnd::Stopped(format!("it calls System.exit({code})")),
            Exit::Halted(Halt::Deadlock(_)) => RunEnd::Stopped("it blocks on another thread".into()),
            Exit::Halted(Halt::Unsupported(what)) => {
                RunEnd::Stopped(format!("the machine does not support {what}"))
            }
            Exit::Halted(Halt::Arrived(_)) => RunEnd::Stopped("it was paused".into()),
            Exit::Decision(_) => RunEnd::Stopped("it encountered a symbolic value".into()),
        }
    }
}

/// The bits of a number.
fn number(value: i64, kind: Kind) -> u64 {
    match kind {
        Kind::Long => value as u64,
        Kind::Float => u64::from((value as f32).to_bits()),
        Kind::Double => (value as f64).to_bits(),
        _ => kind.narrow(value as i32 as u32 as u64),
    }
}
