//! Compares a dependence with the present state of another run.

use super::builder::characters;
use super::difference::{ValueLocation, difference};
use super::graph::{Content, Dependence, DependenceNode, DependencePart, Root};
use crate::difference::Difference;
use cupping_machine::{Addr, ClassKind, Machine, Value};
use rustc_hash::FxHashMap;

impl Dependence {
    /// Whether the state before a call with these arguments is the same in every relevant part. If so, returns for
    /// each node the corresponding object (0 if it is created only when a class is initialised).
    pub(crate) fn fit(&self, machine: &Machine, arguments: &[Value]) -> Option<Vec<Addr>> {
        if self.limit.is_some() {
            return None;
        }
        let mut walk = Walk::new(self, machine);
        walk.walk(arguments, &mut |_, _| false).then_some(walk.objects)
    }

    /// For each node, the object at the same place in the state before a call with these arguments, whatever else
    /// differs; 0 if there is none of its class.
    pub(crate) fn correspondence(&self, machine: &Machine, arguments: &[Value]) -> Vec<Addr> {
        let mut walk = Walk::new(self, machine);
        walk.walk(arguments, &mut |_, _| true);
        walk.objects
    }

    /// Up to `most` differences between the state of the test and that before a call with these arguments.
    pub(crate) fn differences(&self, machine: &Machine, arguments: &[Value], most: usize) -> Vec<Difference> {
        let mut found = Vec::new();
        Walk::new(self, machine).walk(arguments, &mut |place, bits| {
            found.push(difference(self, machine, place, bits));
            found.len() < most
        });
        found
    }
}

/// Receives each difference with the present value, if there is one; returns whether to continue.
type DifferenceListener<'t> = &'t mut dyn FnMut(ValueLocation, Option<u64>) -> bool;

struct Walk<'w> {
    dependence: &'w Dependence,
    machine: &'w Machine,
    /// The object that corresponds to each node, 0 for none yet.
    objects: Vec<Addr>,
    /// The node that an object stands for.
    nodes: FxHashMap<Addr, usize>,
    due: Vec<usize>,
}

impl<'w> Walk<'w> {
    fn new(dependence: &'w Dependence, machine: &'w Machine) -> Walk<'w> {
        let objects = vec![0; dependence.nodes.len()];
        Walk { dependence, machine, objects, nodes: FxHashMap::default(), due: Vec::new() }
    }

    /// Compares everything; whether it is the same.
    fn walk(&mut self, arguments: &[Value], told: DifferenceListener<'_>) -> bool {
        let mut is_same = true;
        let roots = &self.dependence.roots;
        for (number, (root, part)) in roots.iter().enumerate() {
            let bits = match root {
                Root::Argument(at) => arguments.get(*at).map(|it| it.bits),
                Root::Static { class, field, is_initial } => {
                    let id = self.machine.loaded(class);
                    match id.and_then(|id| self.machine.static_field(id, field)) {
                        // Its initialisation is still to come and will create what it created in the test.
                        None if *is_initial => continue,
                        bits => bits,
                    }
                }
            };
            if !bits.is_some_and(|bits| self.part(part, bits)) {
                is_same = false;
                if !told(ValueLocation::Root(number), bits) {
                    return false;
                }
            }
        }
        while let Some(number) = self.due.pop() {
            match self.node(number, self.objects[number], told) {
                Some(holds) => is_same &= holds,
                None => return false,
            }
        }
        is_same
    }

    /// Whether a value is the expected one. Contents of objects are compared later.
    fn part(&mut self, part: &DependencePart, bits: u64) -> bool {
        let object = bits as Addr;
        match part {
            DependencePart::Null => object == 0,
            DependencePart::Bits(_, expected) => *expected == bits,
            DependencePart::Text(units) => {
                object != 0
                    && self.machine.class_name_of(object) == "java/lang/String"
                    && self.machine.string_units(object)[..] == units[..]
            }
            DependencePart::Node(number) => self.may_correspond(*number, object),
        }
    }

    /// Whether an object can correspond to a node according to its identity and class.
    fn may_correspond(&mut self, number: usize, object: Addr) -> bool {
        let node = &self.dependence.nodes[number];
        if object == 0 || self.machine.class_name_of(object) != &*node.class {
            return false;
        }
        if node.has_identity {
            let known = self.objects[number];
            if known != 0 {
                return known == object;
            }
            if self.nodes.insert(object, number).is_some() {
                return false;
            }
        } else if self.objects[number] == object {
            return true;
        }
        self.objects[number] = object;
        self.due.push(number);
        true
    }

    /// Compares the content of an object; `None` ends the comparison.
    fn node(&mut self, number: usize, object: Addr, told: DifferenceListener<'_>) -> Option<bool> {
        let machine = self.machine;
        let DependenceNode { content, .. } = &self.dependence.nodes[number];
        let mut is_same = true;
        let mut differs = |place: ValueLocation, bits: Option<u64>| {
            is_same = false;
            told(place, bits)
        };
        match content {
            Content::Fields(fields) => {
                for (at, field) in fields.iter().enumerate() {
                    let mut class = machine.class(machine.class_of(object));
                    for _ in 0..field.level {
                        class = machine.class(class.super_class?);
                    }
                    let named = class.fields.iter().find(|it| !it.is_static() && it.name == field.name);
                    let bits = named.map(|it| machine.field(object, u32::from(it.offset)));
                    if !bits.is_some_and(|bits| self.part(&field.part, bits)) {
                        let goes_on = differs(ValueLocation::Inside(number, at), bits);
                        goes_on.then_some(())?;
                    }
                }
            }
            Content::Elements(length, elements) => {
                let present = machine.array_length(object);
                if length.is_some_and(|it| it != present) {
                    differs(ValueLocation::Object(number), Some(u64::from(present))).then_some(())?;
                }
                let ClassKind::Array { kind, .. } = machine.class(machine.class_of(object)).kind else {
                    return None;
                };
                for (at, (index, part)) in elements.iter().enumerate() {
                    let bits = (*index < present).then(|| machine.element(object, *index, kind));
                    if !bits.is_some_and(|bits| self.part(part, bits)) {
                        differs(ValueLocation::Inside(number, at), bits).then_some(())?;
                    }
                }
            }
            Content::Characters(units) => {
                if characters(machine, object).as_ref() != Some(units) {
                    differs(ValueLocation::Object(number), None).then_some(())?;
                }
            }
            Content::Class(name) => {
                if machine.class(machine.class_of_mirror(object)).name != *name {
                    differs(ValueLocation::Object(number), None).then_some(())?;
                }
            }
        }
        Some(is_same)
    }
}
