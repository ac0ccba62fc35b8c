//! Concretization (TestEra §5.2, `a2j`): creates objects for the atoms of an instance, then sets their
//! fields, including private ones.

use crate::classes::Values;
use crate::specification::Specification;
use crate::world::World;
use cupping_machine::{Addr, Kind, Step, Value};
use cupping_relation::{Atom, Instance, SigId};
use std::collections::BTreeMap;

/// An input on the heap.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The receiver, if there is one, then the arguments.
    pub arguments: Vec<Value>,
    /// The addresses of the atoms' objects.
    pub places: BTreeMap<u32, Addr>,
}

/// Creates the objects of an instance.
pub fn concretize(
    world: &mut World,
    specification: &Specification,
    classes: &[(SigId, String)],
    instance: &Instance,
) -> Step<Input> {
    let modelled = &specification.before;
    let mut places: BTreeMap<u32, Addr> = BTreeMap::new();
    let mut made: Vec<(u32, &str)> = Vec::new();
    for (sig, class, name) in &modelled.constants {
        if let Some(atom) = instance.atoms(*sig).first() {
            places.insert(*atom, world.constant(class, name));
        }
    }
    // Subclasses come first, so each atom becomes one object, of its lowest class.
    for (sig, class) in classes {
        for atom in instance.atoms(*sig) {
            if !places.contains_key(atom) {
                let object = world.object(class)?;
                places.insert(*atom, object);
                made.push((*atom, class));
            }
        }
    }
    for (ids, (class, array)) in
        modelled.arrays.iter().zip(world.arrays.clone().into_iter().zip(&specification.plan.classes.arrays))
    {
        for atom in instance.atoms(ids.sig) {
            let length = instance.value(ids.length, *atom).map(|it| instance.atom(it));
            let Some(Atom::Int(length)) = length else { continue };
            let object = world.machine.new_array(class, u32::try_from(*length).unwrap_or(0))?;
            places.insert(*atom, object);
        }
        let _ = array;
    }
    for (at, ids) in modelled.arrays.iter().enumerate() {
        let array = &specification.plan.classes.arrays[at];
        let kind = Kind::of_descriptor(array.descriptor.as_bytes()[1]);
        for tuple in instance.tuples(ids.at) {
            let (Some(object), Atom::Int(index)) = (places.get(&tuple[0]), instance.atom(tuple[1])) else {
                continue;
            };
            let (object, index) = (*object, *index as u32);
            let bits = value(world, &places, instance, tuple[2], kind, &array.elements)?;
            world.machine.set_element_value(object, index, kind, Value::concrete(bits));
        }
    }
    for (at, (id, field)) in modelled.fields.iter().enumerate() {
        let place = world.fields[at];
        if field.is_static {
            let bits = match instance.tuples(*id).first() {
                Some(tuple) => value(world, &places, instance, tuple[1], place.kind, &field.values)?,
                None => 0,
            };
            let class = place.class;
            world.machine.set_static_field(class, &field.name, bits)?;
            continue;
        }
        // A field without a value becomes null, whatever the constructor left there.
        for atom in instance.atoms(modelled.classes[&field.class]) {
            if let Some(object) = places.get(atom) {
                world.machine.set_field(*object, place.offset, 0);
            }
        }
        for tuple in instance.tuples(*id) {
            let bits = value(world, &places, instance, tuple[1], place.kind, &field.values)?;
            if let Some(object) = places.get(&tuple[0]) {
                world.machine.set_field(*object, place.offset, bits);
            }
        }
    }
    let mut arguments = Vec::new();
    if let Some(this) = modelled.call.this {
        let receiver = instance.tuples(this).first().and_then(|it| places.get(&it[1])).copied().unwrap_or(0);
        arguments.push(Value::reference(receiver));
        for (atom, class) in &made {
            world.link_outer(class, places[atom], receiver);
        }
    }
    for (parameter, id) in specification.plan.parameters.iter().zip(&modelled.call.parameters) {
        let kind = Kind::of_descriptor(parameter.descriptor.as_bytes()[0]);
        let bits = match instance.tuples(*id).first() {
            Some(tuple) => value(world, &places, instance, tuple[1], kind, &parameter.values)?,
            None => 0,
        };
        arguments.push(Value::concrete(bits));
    }
    Ok(Input { arguments, places })
}

fn value(
    world: &mut World,
    places: &BTreeMap<u32, Addr>,
    instance: &Instance,
    atom: u32,
    kind: Kind,
    values: &[Values],
) -> Step<u64> {
    match places.get(&atom) {
        Some(object) => Ok(u64::from(*object)),
        None => world.bits(instance.atom(atom), kind, values),
    }
}

/// The signatures of classes with direct instances, subclasses first.
pub fn lowest_first(specification: &Specification) -> Vec<(SigId, String)> {
    let modelled = &specification.before;
    let classes = &specification.plan.classes.classes;
    let depth = |name: &str| {
        let mut depth = 0;
        let mut at = classes.get(name).and_then(|it| it.parent.as_ref());
        while let Some(above) = at {
            depth += 1;
            at = classes.get(above).and_then(|it| it.parent.as_ref());
        }
        depth
    };
    let mut found: Vec<(usize, SigId, String)> = modelled
        .classes
        .iter()
        .filter(|(name, _)| classes.get(*name).is_some_and(|it| !it.is_abstract && it.constants.is_none()))
        .map(|(name, sig)| (depth(name), *sig, name.clone()))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, sig, name)| (sig, name)).collect()
}
