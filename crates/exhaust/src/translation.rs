//! Concretization and abstraction by the user's own methods (TestEra §5.2, §6.2), for specifications in more
//! abstract terms than fields.
//!
//! `static Object[] METHOD(Map<String, Set<List<Object>>> instance)` creates receiver and arguments from an
//! instance: the sets of tuples of each signature (1-tuples) and field, by name, with atoms as strings and
//! integers and booleans as boxes. `static Map<String, Set<List<Object>>> METHOD(Object[] inputs, Object
//! result)` creates an instance from the outcome.

use crate::abstraction::Pair;
use crate::classes::simple_name;
use crate::error::{Error, other, wrong};
use crate::header::Phrase;
use crate::specification::Specification;
use crate::world::{RunEnd, World};
use cupping_machine::{Addr, Kind, Machine, MethodId, Step, Trap, Value};
use cupping_relation::{Atom, Instance, Model, SigId, Structure, Universe};
use std::collections::BTreeMap;

/// The user's two methods.
pub struct Translations {
    concretize: MethodId,
    abstraction: MethodId,
}

const TO_HEAP: &str = "(Ljava/util/Map;)[Ljava/lang/Object;";
const FROM_HEAP: &str = "([Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;";

impl Translations {
    /// Finds the methods that the header names, if any.
    pub fn find(specification: &Specification, world: &mut World) -> Result<Option<Translations>, Error> {
        let header = &specification.header;
        let (to, from) = match (&header.concretization, &header.abstraction) {
            (None, None) => return Ok(None),
            (Some(to), Some(from)) => (to, from),
            (Some(one), None) | (None, Some(one)) => {
                return Err(wrong(
                    one.span,
                    "only one of the two translations is given",
                    "name both `concretization` and `abstraction`",
                ));
            }
        };
        world.rewind();
        let concretize = method(&mut world.machine, to, TO_HEAP)?;
        let abstraction = method(&mut world.machine, from, FROM_HEAP)?;
        Ok(Some(Translations { concretize, abstraction }))
    }

    /// Creates the input, runs the method, and reads the outcome.
    pub fn run(
        &self,
        world: &mut World,
        specification: &Specification,
        instance: &Instance,
    ) -> Result<(Pair, RunEnd), Error> {
        let failed = |world: &mut World, what: &str, ended: RunEnd| match ended {
            RunEnd::Threw(thrown) => other(format!("{what}: {}", world.machine.describe_throwable(thrown))),
            RunEnd::Stopped(why) => other(format!("{what}: {why}")),
            RunEnd::Returned(_) => other(what),
        };
        let map = match instance_on_heap(&mut world.machine, &specification.before.model, instance) {
            Ok(map) => map,
            Err(trap) => return Err(other(world.machine.describe_trap(&trap))),
        };
        let made = world.call(self.concretize, &[Value::reference(map)]);
        let RunEnd::Returned(inputs) = made else {
            return Err(failed(world, "the concretization failed", made));
        };
        let inputs = inputs as Addr;
        if inputs == 0 {
            return Err(other("the concretization returned null instead of receiver and arguments"));
        }
        let arguments = arguments(world, specification, inputs)?;
        let ended = world.run(&arguments);
        let result = match (&ended, specification.target.as_ref()) {
            (RunEnd::Returned(bits), Some(target)) => match boxed_result(world, target, *bits) {
                Ok(object) => object,
                Err(trap) => return Err(other(world.machine.describe_trap(&trap))),
            },
            _ => 0,
        };
        let left = match ended {
            RunEnd::Returned(_) | RunEnd::Threw(_) => {
                world.call(self.abstraction, &[Value::reference(inputs), Value::reference(result)])
            }
            RunEnd::Stopped(_) => RunEnd::Returned(0),
        };
        let RunEnd::Returned(map) = left else { return Err(failed(world, "the abstraction failed", left)) };
        let pair = read_map(world, specification, instance, map as Addr, &ended)?;
        Ok((pair, ended))
    }
}

fn method(machine: &mut Machine, phrase: &Phrase, descriptor: &str) -> Result<MethodId, Error> {
    let help = "write `CLASS.METHOD`; docs/exhaust.md describes its signature";
    let Some((class, name)) = phrase.text.rsplit_once('.') else {
        return Err(wrong(phrase.span, "the method has no class", help));
    };
    let id = match machine.initialize_now(&class.replace('.', "/")) {
        Ok(id) => id,
        Err(trap) => return Err(wrong(phrase.span, &machine.describe_trap(&trap), help)),
    };
    machine.declared_method(id, name, descriptor).ok_or_else(|| {
        wrong(phrase.span, &format!("{} has no method {name}{descriptor}", simple_name(class)), help)
    })
}

/// Converts the concretization's result into arguments: unboxes values for primitive parameters.
fn arguments(world: &World, specification: &Specification, inputs: Addr) -> Result<Vec<Value>, Error> {
    let machine = &world.machine;
    let Some(target) = &specification.target else { return Ok(Vec::new()) };
    let mut types = crate::target::parameter_types(&target.descriptor);
    if !target.is_static {
        types.insert(0, "L;".into());
    }
    let count = machine.array_length(inputs) as usize;
    if count != types.len() {
        return Err(other(format!(
            "the concretization returned {count} objects, but the method takes {} including its receiver",
            types.len()
        )));
    }
    let mut arguments = Vec::new();
    for (at, ty) in types.iter().enumerate() {
        let object = machine.element_ref(inputs, at as u32);
        let kind = Kind::of_descriptor(ty.as_bytes()[0]);
        if kind == Kind::Reference {
            arguments.push(Value::reference(object));
            continue;
        }
        let offset = (object != 0).then(|| machine.field_offset(machine.class_of(object), "value")).flatten();
        let Some(offset) = offset else {
            return Err(other(
                "the concretization returned something other than a box for a primitive parameter",
            ));
        };
        arguments.push(Value::concrete(machine.field(object, offset)));
    }
    Ok(arguments)
}

fn boxed_result(world: &mut World, target: &crate::target::MethodUnderTest, bits: u64) -> Step<Addr> {
    let result = target.descriptor.rsplit(')').next().unwrap_or("V");
    let class = match result.as_bytes().first() {
        Some(b'V') => return Ok(0),
        Some(b'L' | b'[') => return Ok(bits as Addr),
        Some(b'Z') => "java/lang/Boolean",
        Some(b'J') => "java/lang/Long",
        Some(b'C') => "java/lang/Character",
        Some(b'S') => "java/lang/Short",
        Some(b'B') => "java/lang/Byte",
        Some(b'F') => "java/lang/Float",
        Some(b'D') => "java/lang/Double",
        _ => "java/lang/Integer",
    };
    call_static(
        &mut world.machine,
        class,
        "valueOf",
        &format!("({result})L{class};"),
        &[Value::concrete(bits)],
    )
}

fn call_static(
    machine: &mut Machine,
    class: &str,
    name: &str,
    descriptor: &str,
    arguments: &[Value],
) -> Step<Addr> {
    let id = machine.initialize_now(class)?;
    let method = machine.declared_method(id, name, descriptor);
    let method = method.ok_or_else(|| Trap::Missing(format!("{class}.{name}")))?;
    machine.set_fuel(u64::MAX);
    Ok(machine.call(method, arguments)?.as_ref())
}

/// A new JDK collection.
fn new(machine: &mut Machine, class: &str) -> Step<Addr> {
    let id = machine.initialize_now(class)?;
    let object = machine.new_object(id)?;
    let method = machine.declared_method(id, "<init>", "()V");
    let method = method.ok_or_else(|| Trap::Missing(class.to_owned()))?;
    machine.set_fuel(u64::MAX);
    machine.call(method, &[Value::reference(object)])?;
    Ok(object)
}

fn call(machine: &mut Machine, object: Addr, name: &str, descriptor: &str, more: &[Addr]) -> Step<Value> {
    let class = machine.class_of(object);
    let found = machine.find_method(class, name, descriptor);
    let method = found.ok_or_else(|| Trap::Missing(format!("{name}{descriptor}")))?;
    let method = machine.select(class, method);
    let mut arguments = vec![Value::reference(object)];
    arguments.extend(more.iter().map(|it| Value::reference(*it)));
    machine.set_fuel(u64::MAX);
    machine.call(method, &arguments)
}

fn instance_on_heap(machine: &mut Machine, model: &Model, instance: &Instance) -> Step<Addr> {
    let map = new(machine, "java/util/LinkedHashMap")?;
    let mut atoms: BTreeMap<u32, Addr> = BTreeMap::new();
    let mut relations: BTreeMap<String, Vec<Vec<u32>>> = BTreeMap::new();
    for (sig, signature) in model.signatures() {
        if !signature.name.starts_with('$') {
            let tuples = instance.atoms(sig).iter().map(|it| vec![*it]).collect();
            relations.insert(signature.name.clone(), tuples);
        }
    }
    for (id, field) in model.fields() {
        relations.entry(field.name.clone()).or_default().extend(instance.tuples(id).iter().cloned());
    }
    for (name, tuples) in relations {
        let set = new(machine, "java/util/LinkedHashSet")?;
        for tuple in tuples {
            let list = new(machine, "java/util/ArrayList")?;
            for atom in tuple {
                let object = match atoms.get(&atom) {
                    Some(object) => *object,
                    None => {
                        let object = atom_on_heap(machine, model, instance, atom)?;
                        atoms.insert(atom, object);
                        object
                    }
                };
                call(machine, list, "add", "(Ljava/lang/Object;)Z", &[object])?;
            }
            call(machine, set, "add", "(Ljava/lang/Object;)Z", &[list])?;
        }
        let key = machine.new_text(&name)?;
        let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        call(machine, map, "put", put, &[key, set])?;
    }
    Ok(map)
}

fn atom_on_heap(machine: &mut Machine, model: &Model, instance: &Instance, atom: u32) -> Step<Addr> {
    match instance.atom(atom) {
        Atom::Int(value) => {
            let bits = Value::int(*value as i32);
            call_static(machine, "java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", &[bits])
        }
        Atom::Bool(value) => {
            let bits = Value::boolean(*value);
            call_static(machine, "java/lang/Boolean", "valueOf", "(Z)Ljava/lang/Boolean;", &[bits])
        }
        Atom::Text(text) => machine.new_text(text),
        _ => {
            let name = instance.universe.show(atom, model);
            machine.new_text(&name)
        }
    }
}

/// The elements of a collection.
fn elements(machine: &mut Machine, collection: Addr) -> Step<Vec<Addr>> {
    let array = call(machine, collection, "toArray", "()[Ljava/lang/Object;", &[])?.as_ref();
    Ok((0..machine.array_length(array)).map(|at| machine.element_ref(array, at)).collect())
}

/// The relations of a map by name, with atoms by their texts.
fn relations(machine: &mut Machine, map: Addr) -> Step<BTreeMap<String, Vec<Vec<Addr>>>> {
    let mut found = BTreeMap::new();
    let entries = call(machine, map, "entrySet", "()Ljava/util/Set;", &[])?.as_ref();
    for entry in elements(machine, entries)? {
        let key = call(machine, entry, "getKey", "()Ljava/lang/Object;", &[])?.as_ref();
        let set = call(machine, entry, "getValue", "()Ljava/lang/Object;", &[])?.as_ref();
        let mut tuples = Vec::new();
        for tuple in elements(machine, set)? {
            tuples.push(elements(machine, tuple)?);
        }
        if key != 0 && machine.class_name_of(key) == "java/lang/String" {
            found.insert(machine.text(key), tuples);
        }
    }
    Ok(found)
}

fn read_map(
    world: &mut World,
    specification: &Specification,
    instance: &Instance,
    map: Addr,
    ended: &RunEnd,
) -> Result<Pair, Error> {
    let model = &specification.after.model;
    let sizes = (model.signatures().count(), model.fields().count());
    let mut before = instance.structure.clone();
    before.sigs.resize(sizes.0, Vec::new());
    before.fields.resize(sizes.1, Vec::new());
    let mut after = Structure { sigs: vec![Vec::new(); sizes.0], fields: vec![Vec::new(); sizes.1] };
    let mut universe = (*instance.universe).clone();
    let relations = match map {
        0 => BTreeMap::new(),
        map => relations(&mut world.machine, map).map_err(|trap| {
            other(format!("the map of the abstraction: {}", world.machine.describe_trap(&trap)))
        })?,
    };
    let mut names: BTreeMap<String, u32> =
        (0..universe.atoms.len() as u32).map(|at| (universe.show(at, model), at)).collect();
    let mut fresh: BTreeMap<SigId, u32> = BTreeMap::new();
    // Signatures first: they determine the new atoms.
    for (sig, signature) in model.signatures() {
        let Some(tuples) = relations.get(&signature.name) else {
            // A signature that the abstraction leaves out keeps its atoms.
            if !relations.contains_key(&signature.name) {
                after.sigs[sig.0 as usize] = before.sigs[sig.0 as usize].clone();
            }
            continue;
        };
        for object in tuples.iter().flatten() {
            let known = atom_of(&world.machine, *object, &mut universe, &names);
            let atom = known.unwrap_or_else(|| {
                let root = model.root(sig);
                let count =
                    universe.atoms.iter().filter(|it| matches!(it, Atom::Of(of, _) if *of == root)).count();
                let next = fresh.entry(root).or_insert(count as u32);
                *next += 1;
                let atom = universe.add(Atom::Of(root, *next - 1));
                names.insert(text_of(&world.machine, *object), atom);
                atom
            });
            after.sigs[sig.0 as usize].push(atom);
        }
    }
    for (id, field) in model.fields() {
        let Some(tuples) = relations.get(&field.name) else {
            after.fields[id.0 as usize] = before.fields[id.0 as usize].clone();
            continue;
        };
        for tuple in tuples {
            let atoms: Option<Vec<u32>> =
                tuple.iter().map(|it| atom_of(&world.machine, *it, &mut universe, &names)).collect();
            let fits = |atoms: &Vec<u32>| {
                atoms.len() == field.columns.arity && after.sigs[field.owner.0 as usize].contains(&atoms[0])
            };
            match atoms.filter(fits) {
                Some(atoms) => after.fields[id.0 as usize].push(atoms),
                None if model.fields().filter(|(_, it)| it.name == field.name).count() > 1 => {}
                None => {
                    return Err(other(format!(
                        "the abstraction gives {} a tuple of the wrong length, or with atoms of no signature",
                        field.name
                    )));
                }
            }
        }
    }
    throwing(world, specification, ended, &mut universe, &mut after);
    for (at, atom) in universe.atoms.iter().enumerate() {
        let sig = match atom {
            Atom::Int(_) => Model::INT,
            Atom::Bool(_) => Model::BOOL,
            Atom::Text(_) => Model::TEXT,
            _ => continue,
        };
        for structure in [&mut before, &mut after] {
            structure.sigs[sig.0 as usize].push(at as u32);
        }
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
    Ok(Pair { universe, before, after, unmodelled: Vec::new() })
}

fn throwing(
    world: &World,
    specification: &Specification,
    ended: &RunEnd,
    universe: &mut Universe,
    after: &mut Structure,
) {
    let Some(output) = &specification.after.output else { return };
    let only = universe.add(Atom::Only(output.sig));
    after.sigs[output.sig.0 as usize].push(only);
    for (sig, _) in &output.exceptions {
        let atom = universe.add(Atom::Only(*sig));
        after.sigs[sig.0 as usize].push(atom);
    }
    if let (RunEnd::Threw(thrown), Some(field)) = (ended, output.thrown)
        && let Some(at) = crate::abstraction::declared(world, *thrown)
    {
        let atom = universe.add(Atom::Only(output.exceptions[at].0));
        after.fields[field.0 as usize].push(vec![only, atom]);
    }
}

fn text_of(machine: &Machine, object: Addr) -> String {
    match object {
        0 => "null".to_owned(),
        object if machine.class_name_of(object) == "java/lang/String" => machine.text(object),
        object => machine.class_name_of(object).to_owned(),
    }
}

/// The atom that an object of a tuple denotes; none if its text matches no atom.
fn atom_of(
    machine: &Machine,
    object: Addr,
    universe: &mut Universe,
    names: &BTreeMap<String, u32>,
) -> Option<u32> {
    if object == 0 {
        return None;
    }
    let value = || Some(machine.field(object, machine.field_offset(machine.class_of(object), "value")?));
    match machine.class_name_of(object) {
        "java/lang/Integer" => Some(universe.add(Atom::Int(i64::from(value()? as u32 as i32)))),
        "java/lang/Boolean" => Some(universe.add(Atom::Bool(value()? & 1 != 0))),
        "java/lang/String" => names.get(&machine.text(object)).copied(),
        _ => None,
    }
}
