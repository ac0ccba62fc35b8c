//! Domains: the values that a hole can hold, and the arguments of the method.

use super::Candidates;
use super::domain::{Domain, DomainPart};
use super::search_node::{Choice, HoleLocation};
use crate::classes::{Values, simple_name};
use crate::error::{Error, other};
use crate::world::World;
use cupping_machine::{Kind, Value};
use cupping_relation::Atom;

/// The declaration of a location.
struct LocationDeclaration<'a> {
    values: &'a [Values],
    kind: Kind,
    /// The range of its integers.
    range: (i64, i64),
}

impl Candidates<'_> {
    /// Finds the domains of fields and array elements. The machine must be in its starting snapshot.
    pub(super) fn find_domains(&mut self, world: &mut World) -> Result<(), Error> {
        for (at, (_, field)) in self.specification.after.fields.iter().enumerate() {
            let range = self.scope.integers(simple_name(&field.class), &field.name);
            let declared = LocationDeclaration { values: &field.values, kind: world.fields[at].kind, range };
            let domain = self.domain(world, &declared)?;
            self.of_fields.push(domain);
        }
        for (kind, array) in self.specification.plan.classes.arrays.iter().enumerate() {
            let range = self.scope.integers(&format!("{}Array", array.of), "at");
            let declared =
                LocationDeclaration { values: &array.elements, kind: self.element_kind(kind), range };
            let domain = self.domain(world, &declared)?;
            self.of_elements.push(domain);
        }
        Ok(())
    }

    /// The current choices for a hole.
    pub(super) fn choices(&self, world: &World, place: HoleLocation) -> Vec<Choice> {
        let domain = match place {
            HoleLocation::Field { at, .. } | HoleLocation::Static { at } => &self.of_fields[at],
            HoleLocation::Element { kind, .. } => &self.of_elements[kind],
        };
        let mut choices = self.within(domain);
        if !self.excluded.is_empty() {
            let byte = self.byte(world, place).0;
            choices.retain(|it| match it {
                Choice::Bits(bits) => !self.excluded.iter().any(|it| (it.0, it.1) == (byte, *bits)),
                _ => true,
            });
        }
        choices
    }

    /// The current choices of a domain.
    fn within(&self, domain: &Domain) -> Vec<Choice> {
        let mut choices = Vec::new();
        let is_room = |of: usize| self.objects.iter().filter(|it| it.of == of).count() < self.types.most(of);
        for part in domain {
            match part {
                DomainPart::Values(values) => choices.extend(values.iter().map(|it| Choice::Bits(*it))),
                DomainPart::Known(types) => {
                    let known = self.objects.iter().filter(|it| types.contains(&it.of));
                    choices.extend(known.map(|it| Choice::Bits(u64::from(it.addr))));
                }
                DomainPart::Fresh(of) if is_room(*of) => choices.push(Choice::Fresh(*of)),
                DomainPart::FreshArray(kind, (least, most)) if is_room(self.types.array(*kind)) => {
                    choices.extend((*least..=*most).map(|it| Choice::FreshArray(*kind, it)));
                }
                DomainPart::Fresh(_) | DomainPart::FreshArray(..) => {}
            }
        }
        choices
    }

    fn domain(&self, world: &mut World, declared: &LocationDeclaration) -> Result<Domain, Error> {
        let LocationDeclaration { values, kind, range: (least, most) } = *declared;
        let mut fixed = Vec::new();
        if kind == Kind::Reference {
            fixed.push(0);
        }
        let atoms = values.iter().flat_map(|value| match value {
            Values::Integers(_) => (least..=most).map(Atom::Int).collect(),
            Values::Booleans => vec![Atom::Bool(false), Atom::Bool(true)],
            Values::Texts => self.specification.header.strings.iter().cloned().map(Atom::Text).collect(),
            Values::Objects(_) | Values::Arrays(_) => Vec::new(),
        });
        for atom in atoms {
            let bits = world.bits(&atom, kind, values);
            fixed.push(bits.map_err(|trap| other(world.machine.describe_trap(&trap)))?);
        }
        let mut domain = vec![DomainPart::Values(fixed)];
        for value in values {
            match value {
                Values::Objects(declared) => {
                    let classes = self.concrete(declared);
                    domain.push(DomainPart::Known(classes.clone()));
                    for of in classes {
                        let name = self.types.name(of);
                        domain.push(match &self.specification.plan.classes.classes[name].constants {
                            Some(constants) => {
                                let of = constants.iter().map(|it| u64::from(world.constant(name, it)));
                                DomainPart::Values(of.collect())
                            }
                            None => DomainPart::Fresh(of),
                        });
                    }
                }
                Values::Arrays(kind) => {
                    let of = format!("{}Array", self.specification.plan.classes.arrays[*kind].of);
                    let (least, most) = self.scope.integers(&of, "length");
                    domain.push(DomainPart::Known(vec![self.types.array(*kind)]));
                    domain.push(DomainPart::FreshArray(*kind, (least.max(0) as u32, most.max(-1) as u32)));
                }
                _ => {}
            }
        }
        Ok(domain)
    }

    /// The classes whose instances a location with this declared class can hold.
    fn concrete(&self, declared: &str) -> Vec<usize> {
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
            .filter_map(|it| self.types.class(&it.name))
            .collect()
    }

    /// All combinations of arguments of the method under test: `null`, values within the scope, and objects
    /// of the structure.
    pub fn arguments(&self, world: &mut World) -> Result<Vec<Vec<Value>>, Error> {
        let receiver = self.specification.plan.receiver.is_some().then(|| Value::reference(self.receiver));
        let mut all: Vec<Vec<Value>> = vec![receiver.into_iter().collect()];
        for parameter in &self.specification.plan.parameters {
            let kind = Kind::of_descriptor(parameter.descriptor.as_bytes()[0]);
            let range = self.scope.integers("", &parameter.name);
            let domain =
                self.domain(world, &LocationDeclaration { values: &parameter.values, kind, range })?;
            let bits: Vec<u64> = self
                .within(&domain)
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
