//! Callbacks: methods of the class that outside code may call while a method of the class runs. These are
//! overriding methods of classes and interfaces that are not flattened, and lambdas and method references.

use crate::body::Body;
use crate::flattened_class::FlatClass;
use cupping_classfile::{Constant, Opcode};
use cupping_generate::influence::is_harmless;
use cupping_machine::{ClassId, Machine, MethodId};
use std::collections::BTreeSet;

/// The possible callbacks.
#[derive(Clone, Debug, Default)]
pub struct CallBacks {
    /// All of them.
    pub methods: BTreeSet<usize>,
    /// Lambdas and referenced methods.
    pub deferred: BTreeSet<usize>,
    /// Variables that they may define.
    pub defined: BTreeSet<usize>,
}

impl CallBacks {
    /// Finds the callbacks.
    pub fn of(machine: &mut Machine, flat: &FlatClass) -> CallBacks {
        let mut found = CallBacks::default();
        let is_above = |class: &&ClassId| {
            !flat.hierarchy.contains(class) && &*machine.class(**class).name != "java/lang/Object"
        };
        let above: Vec<ClassId> =
            machine.class(flat.class).supertypes.iter().filter(is_above).copied().collect();
        for (number, body) in flat.methods.iter().enumerate() {
            if body.name.starts_with('<') || body.is_static {
                continue;
            }
            if above.iter().any(|class| machine.find_method(*class, &body.name, &body.descriptor).is_some()) {
                found.methods.insert(number);
            }
        }
        for body in &flat.methods {
            for at in 0..body.instructions.len() {
                let methods = referred_to(machine, body, at);
                let methods = methods.into_iter().filter_map(|m| flat.method(m));
                found.deferred.extend(methods.filter(|m| !flat.methods[*m].is_constructor()));
            }
        }
        found.methods.extend(&found.deferred);
        for method in &found.methods {
            let defined = flat.defined_by(machine, flat.methods[*method].method);
            found.defined.extend(defined);
        }
        found
    }

    /// Whether an instruction calls code that may call back. `on_this` says whether it calls a method on the
    /// object.
    pub fn is_hook(&self, machine: &mut Machine, body: &Body, at: usize, on_this: bool) -> bool {
        use Opcode::*;
        if self.methods.is_empty() {
            return false;
        }
        let opcode = body.instructions[at].opcode;
        if !matches!(opcode, Invokevirtual | Invokespecial | Invokestatic | Invokeinterface) {
            return false;
        }
        let Some(Constant::Method { class, name, descriptor, .. }) = body.constant(at) else { return false };
        if is_harmless(&class) {
            return false;
        }
        if !self.deferred.is_empty() {
            return true;
        }
        if !on_this || opcode == Invokestatic {
            return false;
        }
        let found =
            machine.load(&class).ok().and_then(|class| machine.find_method(class, &name, &descriptor));
        found.is_some_and(|method| &*machine.class(machine.method(method).class).name != "java/lang/Object")
    }
}

/// The methods of a call site: lambda bodies and referenced methods.
pub fn referred_to(machine: &mut Machine, body: &Body, at: usize) -> Vec<MethodId> {
    let Some(Constant::InvokeDynamic { bootstrap, .. }) = body.constant(at) else { return Vec::new() };
    let Some(bootstrap) = body.file.bootstrap_methods.get(usize::from(bootstrap)) else { return Vec::new() };
    let mut found = Vec::new();
    for argument in bootstrap.arguments.iter() {
        if let Ok(Constant::MethodHandle { reference, .. }) = body.file.constant(*argument)
            && let Ok(Constant::Method { class, name, descriptor, .. }) = body.file.constant(reference)
            && let Ok(class) = machine.load(&class)
        {
            found.extend(machine.find_method(class, &name, &descriptor));
        }
    }
    found
}
