//! The methods that code under test may call: those that a stub of a large interface answers.

use crate::facts::{Reference, References};
use crate::influence::Influence;
use crate::invokable::Subject;
use cupping_machine::{ClassId, Machine, MethodId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The methods that bodies call, by name and descriptor. The class is left out: code may call a method on a supertype
/// of what it is given, and on a subtype.
#[derive(Debug, Default)]
pub struct CalledMethods {
    bodies: BTreeSet<MethodId>,
    /// What they call, once it was asked for.
    called: Option<FxHashSet<(String, String)>>,
}

impl CalledMethods {
    /// What the class under test and the code that it runs call.
    pub(crate) fn of(machine: &mut Machine, influence: &mut Influence, subject: &Subject) -> CalledMethods {
        let mut bodies: BTreeSet<MethodId> = machine.class(subject.class).methods.iter().copied().collect();
        for invokable in &subject.under_test {
            bodies.extend(&influence.effects(machine, invokable.class, invokable.method).runs);
        }
        CalledMethods { bodies, called: None }
    }

    /// What the class and its superclasses call.
    pub(crate) fn of_class(machine: &Machine, class: ClassId) -> CalledMethods {
        let above = std::iter::successors(Some(class), |it| machine.class(*it).super_class);
        let own = above.take_while(|it| !machine.class(*it).from_jdk);
        let bodies = own.flat_map(|it| machine.class(it).methods.iter().copied()).collect();
        CalledMethods { bodies, called: None }
    }

    /// Whether a method is among them.
    pub(crate) fn has(&mut self, machine: &Machine, method: MethodId) -> bool {
        let bodies = &self.bodies;
        let called =
            self.called.get_or_insert_with(|| bodies.iter().flat_map(|it| calls(machine, *it)).collect());
        let method = machine.method(method);
        called.contains(&(method.name.to_string(), method.descriptor.to_string()))
    }
}

fn calls(machine: &Machine, method: MethodId) -> Vec<(String, String)> {
    let loaded = machine.method(method);
    let found = machine.class(loaded.class).file.as_ref().and_then(|file| {
        let References(all) = file.fact(file.methods.get(loaded.index)?).ok()??;
        let call = |it| match it {
            Reference::Call { method: (_, name, descriptor), .. } => Some((name, descriptor)),
            _ => None,
        };
        Some(all.into_iter().filter_map(call).collect())
    });
    found.unwrap_or_default()
}
