//! Static influence between invokables (thesis §4.3.1): which fields a method may define and use, through
//! the methods of its own class that it calls.
//!
//! What methods of other classes do to the objects they are called on is not followed: such a call counts as
//! defining and using the *deep* state, and so do array accesses (store-load pairs).

use cupping_classfile::{Constant, Opcode, Operand};
use cupping_machine::{ClassId, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a method may define and use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Names of fields defined.
    pub defines: BTreeSet<Box<str>>,
    /// Names of fields used.
    pub uses: BTreeSet<Box<str>>,
    /// Whether it may define what its fields refer to.
    pub defines_deep: bool,
    /// Whether it may use what its fields refer to.
    pub uses_deep: bool,
}

impl Effects {
    /// Whether what this defines may be what `later` uses.
    pub fn influences(&self, later: &Effects) -> bool {
        (self.defines_deep && later.uses_deep) || self.defines.intersection(&later.uses).next().is_some()
    }

    /// Whether two invocations in a row have the same effect in either order (partial order reduction, §4.3.4).
    pub fn commutes_with(&self, other: &Effects) -> bool {
        let both_deep = self.defines_deep && other.defines_deep;
        let same_field = self.defines.intersection(&other.defines).next().is_some();
        !self.influences(other) && !other.influences(self) && !both_deep && !same_field
    }

    /// Whether an invocation is a step to further states after `last`: it defines something, and where the two
    /// commute only one order is tried. `earlier` says that this one has the lower number (§4.3.4).
    pub fn is_step_after(&self, last: &Effects, earlier: bool) -> bool {
        !(self.is_pure() || earlier && last.commutes_with(self))
    }

    /// Whether it defines nothing.
    pub fn is_pure(&self) -> bool {
        self.defines.is_empty() && !self.defines_deep
    }

    fn add(&mut self, other: &Effects) {
        self.defines.extend(other.defines.iter().cloned());
        self.uses.extend(other.uses.iter().cloned());
        self.defines_deep |= other.defines_deep;
        self.uses_deep |= other.uses_deep;
    }
}

/// Finds effects; keeps what it has found.
#[derive(Default)]
pub struct Influence {
    known: FxHashMap<MethodId, Rc<Effects>>,
}

impl Influence {
    /// The effects of a method called on an object of `class`.
    pub fn effects(&mut self, machine: &mut Machine, class: ClassId, method: MethodId) -> Rc<Effects> {
        if let Some(known) = self.known.get(&method) {
            return known.clone();
        }
        let mut all = Effects::default();
        let mut seen = BTreeSet::from([method]);
        let mut open = vec![method];
        while let Some(next) = open.pop() {
            let (own, calls) = direct(machine, class, next);
            all.add(&own);
            for call in calls {
                if seen.insert(call) {
                    open.push(call);
                }
            }
        }
        let all = Rc::new(all);
        self.known.insert(method, all.clone());
        all
    }
}

/// Effects of a method's own code, and the methods of its class hierarchy that it calls.
fn direct(machine: &mut Machine, receiver: ClassId, method: MethodId) -> (Effects, Vec<MethodId>) {
    let mut effects = Effects::default();
    let mut calls = Vec::new();
    let loaded = machine.method(method);
    let own_class = loaded.class;
    let Some(file) = machine.class(own_class).file.clone() else { return (effects, calls) };
    let Ok(Some(code)) = file.code(&file.methods[loaded.index]) else { return (effects, calls) };
    for instruction in cupping_classfile::instructions(&code.bytecode).map_while(Result::ok) {
        let index = match instruction.operand {
            Operand::Constant(index) => index,
            Operand::InvokeInterface { constant, .. } => constant,
            _ => 0,
        };
        use Opcode::*;
        match instruction.opcode {
            Getfield | Getstatic | Putfield | Putstatic => {
                let Ok(Constant::Field { name, .. }) = file.constant(index) else { continue };
                let is_define = matches!(instruction.opcode, Putfield | Putstatic);
                let set = if is_define { &mut effects.defines } else { &mut effects.uses };
                set.insert((*name).into());
            }
            Iaload | Laload | Faload | Daload | Aaload | Baload | Caload | Saload | Arraylength => {
                effects.uses_deep = true;
            }
            Iastore | Lastore | Fastore | Dastore | Aastore | Bastore | Castore | Sastore => {
                effects.defines_deep = true;
            }
            Invokevirtual | Invokespecial | Invokestatic | Invokeinterface => {
                let Ok(Constant::Method { class, name, descriptor, .. }) = file.constant(index) else {
                    continue;
                };
                if IMMUTABLE.contains(&&*class) {
                    continue;
                }
                let Ok(called) = machine.load(&class) else { continue };
                let related = machine.is_subtype(receiver, called) || machine.is_subtype(called, own_class);
                match machine.find_method(called, &name, &descriptor) {
                    Some(found) if related && !machine.class(called).from_jdk => {
                        calls.push(if &*name == "<init>" { found } else { machine.select(receiver, found) });
                        calls.push(found);
                    }
                    _ => {
                        let reads_only = instruction.opcode == Invokestatic && descriptor.starts_with("()");
                        effects.uses_deep = true;
                        effects.defines_deep |= !reads_only && &*name != "<init>";
                    }
                }
            }
            _ => {}
        }
    }
    (effects, calls)
}

/// Classes whose methods change no object.
const IMMUTABLE: &[&str] = &[
    "java/lang/String",
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Boolean",
    "java/lang/Float",
    "java/lang/Double",
    "java/lang/Object",
    "java/util/Objects",
    "java/lang/Class",
    "java/lang/IllegalArgumentException",
    "java/lang/IllegalStateException",
];

#[cfg(test)]
mod tests;
