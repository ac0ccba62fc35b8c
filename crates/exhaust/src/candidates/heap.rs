//! Creates objects with holes, and fills holes in the heap.

use super::search_node::HoleLocation;
use super::{Candidates, Object};
use crate::error::{Error, other};
use crate::world::World;
use cupping_machine::{Addr, Kind, element_byte};

impl Candidates<'_> {
    pub(super) fn byte(&self, world: &World, place: HoleLocation) -> (u64, u32) {
        match place {
            HoleLocation::Field { object, at } => (u64::from(object + world.fields[at].offset) * 8, 8),
            HoleLocation::Element { array, kind, index } => {
                let size = self.element_kind(kind).array_bytes();
                (element_byte(array, index, size), size)
            }
            HoleLocation::Static { at } => (u64::from(world.fields[at].word) * 8, 8),
        }
    }

    pub(super) fn element_kind(&self, array: usize) -> Kind {
        Kind::of_descriptor(self.specification.plan.classes.arrays[array].descriptor.as_bytes()[1])
    }

    pub(super) fn dig(&mut self, world: &mut World, place: HoleLocation) {
        let (byte, size) = self.byte(world, place);
        world.machine.dig(byte, size);
        self.holes.insert(byte, place);
    }

    pub(super) fn fill(&mut self, world: &mut World, place: HoleLocation, bits: u64) {
        let (byte, size) = self.byte(world, place);
        world.machine.write_bytes(byte, size, bits);
        world.machine.set_heap_shadow(byte, size, 0);
    }

    pub(super) fn object(&mut self, world: &mut World, of: usize) -> Result<Addr, Error> {
        let class = self.types.name(of);
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
        for &at in self.fields[&id].clone().iter() {
            self.dig(world, HoleLocation::Field { object, at });
        }
        world.link_outer(class, object, if self.receiver == 0 { object } else { self.receiver });
        self.objects.push(Object { of, addr: object });
        Ok(object)
    }

    pub(super) fn array(&mut self, world: &mut World, kind: usize, length: u32) -> Result<Addr, Error> {
        let made = world.machine.new_array(world.arrays[kind], length);
        let array = made.map_err(|trap| other(world.machine.describe_trap(&trap)))?;
        for index in 0..length {
            self.dig(world, HoleLocation::Element { array, kind, index });
        }
        self.objects.push(Object { of: self.types.array(kind), addr: array });
        Ok(array)
    }

    /// The first remaining hole, in the order in which objects were created.
    pub(super) fn unread(&self, world: &World) -> Option<HoleLocation> {
        let hole = |place: HoleLocation| world.machine.is_hole(self.byte(world, place).0).then_some(place);
        for at in 0..self.specification.after.fields.len() {
            if self.specification.after.fields[at].1.is_static
                && let Some(place) = hole(HoleLocation::Static { at })
            {
                return Some(place);
            }
        }
        for object in &self.objects {
            let class = world.machine.class_of(object.addr);
            match self.fields.get(&class) {
                Some(fields) => {
                    for at in fields.iter() {
                        if let Some(place) = hole(HoleLocation::Field { object: object.addr, at: *at }) {
                            return Some(place);
                        }
                    }
                }
                None => {
                    let kind = world.arrays.iter().position(|it| *it == class)?;
                    for index in 0..world.machine.array_length(object.addr) {
                        if let Some(place) = hole(HoleLocation::Element { array: object.addr, kind, index }) {
                            return Some(place);
                        }
                    }
                }
            }
        }
        None
    }
}
