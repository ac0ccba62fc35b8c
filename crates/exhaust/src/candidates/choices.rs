//! What a hole can hold, and what arguments can be.

use super::{Candidates, Place};
use crate::classes::{Values, simple_name};
use crate::error::{Error, other};
use crate::world::World;
use cupping_machine::{Comparison, Kind, Value};
use cupping_relation::Atom;

/// What can be chosen for a hole.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// This.
    Bits(u64),
    /// A new object of a class.
    Fresh(String),
    /// A new array of a length.
    FreshArray(usize, u32),
    /// Not what it is compared with: it is left open.
    Apart(Comparison),
}

impl Candidates<'_> {
    /// What a hole can hold.
    pub(super) fn choices(&self, world: &mut World, place: Place) -> Result<Vec<Choice>, Error> {
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
        let mut choices = self.values(world, values, kind, &class, &name)?;
        if !self.excluded.is_empty() {
            let byte = self.byte(world, place).0;
            choices.retain(|it| match it {
                Choice::Bits(bits) => !self.excluded.iter().any(|it| (it.0, it.1) == (byte, *bits)),
                _ => true,
            });
        }
        Ok(choices)
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

    /// All combinations of arguments of the method under test: `null`, values within the scope, and objects of the
    /// structure.
    pub fn arguments(&self, world: &mut World) -> Result<Vec<Vec<Value>>, Error> {
        let receiver = self.specification.plan.receiver.is_some().then(|| Value::reference(self.receiver));
        let mut all: Vec<Vec<Value>> = vec![receiver.into_iter().collect()];
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
