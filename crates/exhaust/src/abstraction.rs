//! Heap abstraction (TestEra §5.2, `j2a`): reads everything reachable from receiver, arguments, result and
//! static fields back into a structure.

use crate::classes::Values;
use crate::concretize::Input;
use crate::model::JavaModel;
use crate::specification::Specification;
use crate::world::{RunEnd, World};
use cupping_machine::{Addr, ClassId, Kind, Machine, Value};
use cupping_relation::{Atom, FieldId, Instance, Model, SigId, Structure, Universe};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The states before and after a call, over the same atoms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// The atoms.
    pub universe: Universe,
    /// The state before.
    pub before: Structure,
    /// The state after.
    pub after: Structure,
    /// Objects and values that the model cannot represent.
    pub unmodelled: Vec<String>,
}

/// Reads the state after a call.
pub fn read_back(
    world: &World,
    specification: &Specification,
    instance: &Instance,
    input: &Input,
    ended: &RunEnd,
) -> Pair {
    let modelled = &specification.after;
    let model = &modelled.model;
    let sizes = (model.signatures().count(), model.fields().count());
    let mut before = instance.structure.clone();
    before.sigs.resize(sizes.0, Vec::new());
    before.fields.resize(sizes.1, Vec::new());
    let mut reader = AbstractionReader {
        world,
        specification,
        universe: (*instance.universe).clone(),
        after: Structure { sigs: vec![Vec::new(); sizes.0], fields: vec![Vec::new(); sizes.1] },
        atoms: input.places.iter().map(|(atom, place)| (*place, *atom)).collect(),
        fresh: BTreeMap::new(),
        met: BTreeMap::new(),
        waiting: VecDeque::new(),
        unmodelled: Vec::new(),
    };
    reader.constants(instance);
    reader.call(input, instance);
    reader.outcome(ended, &mut before);
    while let Some((object, atom)) = reader.waiting.pop_front() {
        reader.object(object, atom);
    }
    let AbstractionReader { universe, mut after, unmodelled, .. } = reader;
    // Integers, booleans and strings are the same in both states: all that exist.
    for (at, atom) in universe.atoms.iter().enumerate() {
        let sig = match atom {
            Atom::Int(_) => Model::INT,
            Atom::Bool(_) => Model::BOOL,
            Atom::Text(_) => Model::TEXT,
            _ => continue,
        };
        after.sigs[sig.0 as usize].push(at as u32);
    }
    for sig in [Model::INT, Model::BOOL, Model::TEXT] {
        before.sigs[sig.0 as usize] = after.sigs[sig.0 as usize].clone();
    }
    for structure in [&mut before, &mut after] {
        for atoms in &mut structure.sigs {
            atoms.sort_unstable();
            atoms.dedup();
        }
        for tuples in &mut structure.fields {
            tuples.sort_unstable();
            tuples.dedup();
        }
    }
    Pair { universe, before, after, unmodelled }
}

/// Captures a state as an instance with atoms for the objects reachable from receiver and arguments.
pub fn capture(world: &World, specification: &Specification, arguments: &[Value]) -> (Instance, Input) {
    let modelled = &specification.after;
    let model = &modelled.model;
    let mut reader = AbstractionReader {
        world,
        specification,
        universe: Universe::default(),
        after: Structure {
            sigs: vec![Vec::new(); model.signatures().count()],
            fields: vec![Vec::new(); model.fields().count()],
        },
        atoms: BTreeMap::new(),
        fresh: BTreeMap::new(),
        met: BTreeMap::new(),
        waiting: VecDeque::new(),
        unmodelled: Vec::new(),
    };
    for (sig, _, _) in &modelled.constants {
        let atom = reader.universe.add(Atom::Only(*sig));
        reader.member(*sig, atom);
    }
    let only = reader.universe.add(Atom::Only(modelled.call.sig));
    reader.member(modelled.call.sig, only);
    let receiver =
        specification.plan.receiver.iter().map(|it| (Kind::Reference, vec![Values::Objects(it.clone())]));
    let parameters = specification
        .plan
        .parameters
        .iter()
        .map(|it| (Kind::of_descriptor(it.descriptor.as_bytes()[0]), it.values.clone()));
    let ids: Vec<FieldId> = modelled.call.this.iter().chain(&modelled.call.parameters).copied().collect();
    for (((kind, values), id), argument) in receiver.chain(parameters).zip(ids).zip(arguments) {
        if let Some(atom) = reader.value(argument.bits, kind, &values) {
            reader.add(id, vec![only, atom]);
        }
    }
    for (at, (id, field)) in modelled.fields.iter().enumerate().filter(|(_, (_, it))| it.is_static) {
        let owner = modelled.statics[&field.class];
        let of = reader.universe.add(Atom::Only(owner));
        if !reader.after.sigs[owner.0 as usize].contains(&of) {
            reader.member(owner, of);
        }
        let place = world.fields[at];
        let bits = world.machine.static_field(place.class, &field.name).unwrap_or(0);
        if let Some(atom) = reader.value(bits, place.kind, &field.values) {
            reader.add(*id, vec![of, atom]);
        }
    }
    while let Some((object, atom)) = reader.waiting.pop_front() {
        reader.object(object, atom);
    }
    let places = reader.atoms.iter().map(|(place, atom)| (*atom, *place)).collect();
    let input = Input { arguments: arguments.to_vec(), places };
    let AbstractionReader { universe, after, .. } = reader;
    (Instance { universe: std::rc::Rc::new(universe), structure: after }, input)
}

struct AbstractionReader<'a> {
    world: &'a World,
    specification: &'a Specification,
    universe: Universe,
    after: Structure,
    atoms: BTreeMap<Addr, u32>,
    fresh: BTreeMap<SigId, u32>,
    met: BTreeMap<Addr, ()>,
    waiting: VecDeque<(Addr, u32)>,
    unmodelled: Vec<String>,
}

impl AbstractionReader<'_> {
    fn modelled(&self) -> &JavaModel {
        &self.specification.after
    }

    fn add(&mut self, field: FieldId, tuple: Vec<u32>) {
        self.after.fields[field.0 as usize].push(tuple);
    }

    fn member(&mut self, sig: SigId, atom: u32) {
        let mut at = Some(sig);
        while let Some(sig) = at {
            self.after.sigs[sig.0 as usize].push(atom);
            at = self.specification.after.model.signature(sig).parent;
        }
    }

    fn constants(&mut self, instance: &Instance) {
        for (sig, _, _) in &self.specification.after.constants {
            for atom in instance.atoms(*sig) {
                self.member(*sig, *atom);
            }
        }
    }

    /// Receiver and arguments keep their atoms across the call; static fields may change.
    fn call(&mut self, input: &Input, instance: &Instance) {
        let call = self.modelled().call.clone();
        for atom in instance.atoms(call.sig) {
            self.member(call.sig, *atom);
        }
        for field in call.this.iter().chain(&call.parameters) {
            for tuple in instance.tuples(*field) {
                self.add(*field, tuple.clone());
                if let Some(place) = input.places.get(&tuple[1]) {
                    self.reach(*place, tuple[1]);
                }
            }
        }
        for at in 0..self.modelled().fields.len() {
            let (id, field) = &self.specification.after.fields[at];
            if !field.is_static {
                continue;
            }
            let owner = self.specification.after.statics[&field.class];
            let place = self.world.fields[at];
            let Some(&of) = instance.atoms(owner).first() else { continue };
            self.member(owner, of);
            let bits = self.world.machine.static_field(place.class, &field.name).unwrap_or(0);
            if let Some(atom) = self.value(bits, place.kind, &field.values) {
                self.add(*id, vec![of, atom]);
            }
        }
    }

    fn outcome(&mut self, ended: &RunEnd, before: &mut Structure) {
        let Some(output) = self.modelled().output.clone() else { return };
        let only = self.universe.add(Atom::Only(output.sig));
        self.member(output.sig, only);
        before.sigs[output.sig.0 as usize].push(only);
        for (sig, _) in &output.exceptions {
            let atom = self.universe.add(Atom::Only(*sig));
            self.member(*sig, atom);
        }
        match ended {
            RunEnd::Returned(bits) => {
                let Some(field) = output.result else { return };
                let Some((descriptor, values)) = &self.specification.plan.result else { return };
                let kind = Kind::of_descriptor(descriptor.as_bytes()[0]);
                if let Some(atom) = self.value(*bits, kind, values) {
                    self.add(field, vec![only, atom]);
                }
            }
            RunEnd::Threw(thrown) => {
                let (Some(field), Some(sig)) = (output.thrown, declared(self.world, *thrown)) else { return };
                let atom = self.universe.add(Atom::Only(output.exceptions[sig].0));
                self.add(field, vec![only, atom]);
            }
            RunEnd::Stopped(_) => {}
        }
    }

    fn reach(&mut self, place: Addr, atom: u32) {
        if self.met.insert(place, ()).is_none() {
            self.waiting.push_back((place, atom));
        }
    }

    /// The atom of a slot's value; none for `null`.
    fn value(&mut self, bits: u64, kind: Kind, values: &[Values]) -> Option<u32> {
        let machine = &self.world.machine;
        match kind {
            Kind::Reference => {}
            Kind::Boolean => return Some(self.universe.add(Atom::Bool(bits & 1 != 0))),
            _ => return self.number(bits, kind),
        }
        let object = bits as Addr;
        if object == 0 {
            return None;
        }
        if let Some(atom) = self.atoms.get(&object).copied() {
            self.reach(object, atom);
            return Some(atom);
        }
        if let Some(atom) = self.constant(object) {
            return Some(atom);
        }
        let name = machine.class_name_of(object).to_owned();
        if let Some(kind) = boxed(&name) {
            let bits = machine.field(object, machine.field_offset(machine.class_of(object), "value")?);
            return Some(match kind {
                Kind::Boolean => self.universe.add(Atom::Bool(bits & 1 != 0)),
                _ => return self.number(bits, kind),
            });
        }
        if name == "java/lang/String" {
            let text = machine.text(object);
            return Some(self.universe.add(Atom::Text(text)));
        }
        let sig = match name.starts_with('[') {
            true => self.array_of(&name, values),
            false => self.class_of(machine, machine.class_of(object)),
        };
        let Some(sig) = sig else {
            let note = format!("an object of {}", name.replace('/', "."));
            if !self.unmodelled.contains(&note) {
                self.unmodelled.push(note);
            }
            return None;
        };
        let atom = self.new_atom(sig);
        self.atoms.insert(object, atom);
        self.reach(object, atom);
        Some(atom)
    }

    /// The atom of a number. A non-integral number has none, which a note reports.
    fn number(&mut self, bits: u64, kind: Kind) -> Option<u32> {
        let number = match kind {
            Kind::Float => f64::from(f32::from_bits(bits as u32)),
            Kind::Double => f64::from_bits(bits),
            _ => return Some(self.universe.add(Atom::Int(integer(bits, kind)))),
        };
        if number.fract() == 0.0 && number.abs() < LARGE {
            return Some(self.universe.add(Atom::Int(number as i64)));
        }
        let note = "a non-integral number".to_owned();
        if !self.unmodelled.contains(&note) {
            self.unmodelled.push(note);
        }
        None
    }

    fn constant(&self, object: Addr) -> Option<u32> {
        let (class, name) = self.world.constant_at(object)?;
        let constants = &self.modelled().constants;
        let sig = constants.iter().find(|it| it.1 == *class && it.2 == *name)?.0;
        self.universe.find(&Atom::Only(sig))
    }

    /// The signature of the lowest modelled superclass of an object's class.
    fn class_of(&self, machine: &Machine, class: ClassId) -> Option<SigId> {
        let (lowest, mut at) = (class, Some(class));
        while let Some(id) = at {
            let class = machine.class(id);
            // Only direct instances of `Object` belong to the model's `Object`.
            if let Some(sig) = self.modelled().classes.get(&*class.name)
                && (class.super_class.is_some() || id == lowest)
            {
                return Some(*sig);
            }
            at = class.super_class;
        }
        None
    }

    fn array_of(&self, descriptor: &str, values: &[Values]) -> Option<SigId> {
        let arrays = &self.specification.plan.classes.arrays;
        let wanted = values.iter().find_map(|it| match it {
            Values::Arrays(at) if arrays[*at].descriptor == descriptor => Some(*at),
            _ => None,
        });
        let at = wanted.or_else(|| arrays.iter().position(|it| it.descriptor == descriptor))?;
        self.modelled().arrays.get(at).map(|it| it.sig)
    }

    fn new_atom(&mut self, sig: SigId) -> u32 {
        let root = self.modelled().model.root(sig);
        let known = self.universe.atoms.iter().filter(|it| matches!(it, Atom::Of(of, _) if *of == root));
        let next = self.fresh.entry(root).or_insert(known.count() as u32);
        *next += 1;
        let atom = Atom::Of(root, *next - 1);
        self.universe.add(atom)
    }

    fn object(&mut self, object: Addr, atom: u32) {
        let machine = &self.world.machine;
        let class = machine.class_of(object);
        let name = machine.class(class).name.clone();
        if name.starts_with('[') {
            return self.array(object, atom, &name);
        }
        let Some(sig) = self.class_of(machine, class) else { return };
        self.member(sig, atom);
        for at in 0..self.modelled().fields.len() {
            let (id, field) = &self.specification.after.fields[at];
            let place = self.world.fields[at];
            if field.is_static || !machine.is_subtype(class, place.class) {
                continue;
            }
            let bits = machine.field(object, place.offset);
            if let Some(value) = self.value(bits, place.kind, &field.values) {
                self.add(*id, vec![atom, value]);
            }
        }
    }

    fn array(&mut self, object: Addr, atom: u32, descriptor: &str) {
        let model = &self.specification.after;
        // An array of the input keeps its signature; a new one has that of its atom.
        let root = match &self.universe.atoms[atom as usize] {
            Atom::Of(sig, _) | Atom::Only(sig) => *sig,
            _ => return,
        };
        let Some(at) = model.arrays.iter().position(|it| it.sig == root) else { return };
        let (ids, array) = (model.arrays[at], &self.specification.plan.classes.arrays[at]);
        self.member(ids.sig, atom);
        let machine = &self.world.machine;
        let kind = Kind::of_descriptor(descriptor.as_bytes()[1]);
        let length = machine.array_length(object);
        let shown = self.universe.add(Atom::Int(i64::from(length)));
        self.add(ids.length, vec![atom, shown]);
        for index in 0..length {
            let bits = machine.element(object, index, kind);
            if let Some(value) = self.value(bits, kind, &array.elements) {
                let place = self.universe.add(Atom::Int(i64::from(index)));
                self.add(ids.at, vec![atom, place, value]);
            }
        }
    }
}

/// The index of the declared exception that this one is an instance of.
pub fn declared(world: &World, thrown: Addr) -> Option<usize> {
    let machine = &world.machine;
    let mut at = Some(machine.class_of(thrown));
    while let Some(id) = at {
        if let Some(found) = world.exceptions.iter().position(|it| *it == id) {
            return Some(found);
        }
        at = machine.class(id).super_class;
    }
    None
}

/// Below this bound (2^53) a `double` without a fraction is an exact integer.
const LARGE: f64 = 9_007_199_254_740_992.0;

fn boxed(name: &str) -> Option<Kind> {
    Some(match name {
        "java/lang/Integer" => Kind::Int,
        "java/lang/Long" => Kind::Long,
        "java/lang/Short" => Kind::Short,
        "java/lang/Byte" => Kind::Byte,
        "java/lang/Character" => Kind::Char,
        "java/lang/Boolean" => Kind::Boolean,
        "java/lang/Float" => Kind::Float,
        "java/lang/Double" => Kind::Double,
        _ => return None,
    })
}

/// The integer in a slot or element.
fn integer(bits: u64, kind: Kind) -> i64 {
    match kind {
        Kind::Long => bits as i64,
        Kind::Byte => i64::from(bits as i8),
        Kind::Short => i64::from(bits as i16),
        Kind::Char => i64::from(bits as u16),
        _ => i64::from(bits as u32 as i32),
    }
}
