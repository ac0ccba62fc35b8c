//! Implementations of abstract types.

use super::{MAX_DEPTH, Provider, Provision};
use crate::input::Input;
use crate::invokable::{is_nameable, makers};
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, Machine};
use std::rc::Rc;

impl Provider {
    /// Provisions from the class with this name; `generic` is the type to implement.
    pub(super) fn implementer(
        &mut self,
        machine: &mut Machine,
        name: &str,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        match machine.load(name) {
            Ok(class) if depth < MAX_DEPTH || machine.class(class).from_jdk => {
                // Library classes take the type arguments of the type that they implement.
                let own = match generic {
                    Some(GenericType::Class { arguments, .. }) => {
                        Some(GenericType::Class { name: name.to_owned(), arguments: arguments.clone() })
                    }
                    _ => None,
                };
                // The JDK's own implementation of its interface does not count as a further step.
                let deeper = u32::from(!machine.class(class).from_jdk);
                let all = self.provisions(machine, class, own.as_ref(), depth + deeper);
                all.iter().filter(|p| !matches!(p, Provision::Input(Input::Null))).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Names of the subclasses on the class path: in the class's own package, or else in the tests' package,
    /// or else in subpackages.
    pub(super) fn subclasses(&mut self, machine: &mut Machine, class: ClassId) -> Rc<Vec<String>> {
        if let Some(known) = self.subclasses.get(&class) {
            return known.clone();
        }
        let package = machine.class(class).package().to_owned();
        let places = [(package.clone(), false), (self.package.clone(), false), (package, true)];
        let mut found = Vec::new();
        for (package, below) in places {
            if found.is_empty() && !machine.class(class).from_jdk {
                found = self.subclasses_in(machine, class, &package, below);
            }
        }
        let found = Rc::new(found);
        self.subclasses.insert(class, found.clone());
        found
    }

    /// The subclasses in a package, optionally with its subpackages; those constructible without arguments
    /// come first.
    fn subclasses_in(
        &self,
        machine: &mut Machine,
        class: ClassId,
        package: &str,
        below: bool,
    ) -> Vec<String> {
        let names = machine.program().classes_of_package(package, below).unwrap_or_default();
        let mut found = Vec::new();
        for name in names.iter() {
            let Ok(candidate) = machine.load(name) else { continue };
            let usable = candidate != class
                && machine.is_subtype(candidate, class)
                && !machine.class(candidate).is_abstract()
                && is_nameable(machine, candidate, &self.package);
            if usable {
                found.push((name.clone(), candidate));
            }
        }
        if package != machine.class(class).package() || below {
            found.sort_by_cached_key(|(_, class)| {
                !makers(machine, *class, &self.package).iter().any(|it| it.parameters.is_empty())
            });
        }
        found.into_iter().map(|it| it.0).collect()
    }
}
