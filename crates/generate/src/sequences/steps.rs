//! The methods, including inherited ones, that can be invoked on an object under test.

use crate::invokable::{Invokable, Subject, hides_inherited, is_testable};
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The methods that source in the tests' package can call on an object of the class, own methods first, in
/// class-file order.
pub fn steps(machine: &mut Machine, subject: &Subject) -> Vec<Rc<Invokable>> {
    let mut found: Vec<Rc<Invokable>> = Vec::new();
    let mut known = BTreeSet::new();
    let mut at = Some(subject.class);
    while let Some(id) = at {
        let class = machine.class(id);
        if &*class.name == "java/lang/Object" {
            break;
        }
        at = class.super_class;
        for method in class.methods.clone() {
            let loaded = machine.method(method);
            if loaded.access.is_synthetic() && !hides_inherited(machine, method) {
                continue;
            }
            let is_new = known.insert((loaded.name.clone(), loaded.descriptor.clone()));
            let is_own = subject.under_test.iter().find(|m| m.method == method && m.has_receiver());
            if let Some(own) = is_own {
                found.push(own.clone());
            } else if is_new && &*loaded.name != "<init>" && is_testable(machine, method, &subject.package) {
                let invokable =
                    Invokable::new(machine, subject.class, method).filter(Invokable::has_receiver);
                found.extend(invokable.map(Rc::new));
            }
        }
    }
    found
}
