//! Makes the flattened class: its variables and methods, and what other code may do to it.

use crate::body::AnalysedBody;
use crate::callback::{CallBacks, referred_to};
use crate::flattened_class::{ClassVariable, FlatClass, hierarchy};
use crate::origin::{OperandOrigin, Origins};
use cupping_classfile::{Action, Constant, Opcode, descriptor};
use cupping_machine::{ClassId, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

impl FlatClass {
    /// Flattens a class. `entries` are the methods that a sequence may call.
    pub fn of(machine: &mut Machine, class: ClassId, entries: &BTreeSet<MethodId>) -> FlatClass {
        let hierarchy = hierarchy(machine, class);
        let mut flat = FlatClass {
            class,
            hierarchy,
            variables: Vec::new(),
            methods: Vec::new(),
            is_entry: Vec::new(),
            defined_by_nested: BTreeSet::new(),
            back: CallBacks::default(),
            by_method: FxHashMap::default(),
            by_field: FxHashMap::default(),
        };
        for id in flat.hierarchy.clone() {
            let fields = machine.class(id).fields.clone();
            for (index, field) in fields.iter().enumerate().filter(|(_, f)| !f.access.is_synthetic()) {
                flat.by_field.insert((id, index), flat.variables.len());
                flat.variables.push(ClassVariable {
                    class: id,
                    index,
                    name: field.name.clone(),
                    descriptor: field.descriptor.clone(),
                    kind: field.kind,
                    is_static: field.is_static(),
                    is_final: field.access.is_final(),
                });
            }
        }
        let nested = flat.nested_bodies(machine);
        flat.add_methods(machine, entries, &nested);
        let called = flat.look_at_nested(machine, &nested);
        flat.add_nested(machine, nested);
        flat.back = call_backs(machine, &flat, called);
        flat
    }

    /// The code of nested classes, and of those that are nested in them.
    fn nested_bodies(&self, machine: &mut Machine) -> Vec<AnalysedBody> {
        let mut found = Vec::new();
        let mut seen: BTreeSet<ClassId> = self.hierarchy.iter().copied().collect();
        let mut open = self.hierarchy.clone();
        open.reverse();
        while let Some(class) = open.pop() {
            let Some(file) = machine.class(class).file.clone() else { continue };
            let own = format!("{}$", machine.class(class).name);
            for nested in file.inner_classes.iter().filter(|i| i.inner.starts_with(&own)) {
                let Ok(id) = machine.load(&nested.inner) else { continue };
                if !seen.insert(id) {
                    continue;
                }
                open.push(id);
                let methods = machine.class(id).methods.clone();
                found.extend(methods.into_iter().filter_map(|method| AnalysedBody::of(machine, method)));
            }
        }
        found
    }

    /// Adds the methods of nested classes that store to a variable.
    fn add_nested(&mut self, machine: &mut Machine, nested: Vec<AnalysedBody>) {
        for body in nested {
            let stores = (0..body.instructions.len()).any(|at| {
                matches!(body.instructions[at].opcode, Opcode::Putfield | Opcode::Putstatic)
                    && self.variable_at(machine, &body, at).is_some()
            });
            if stores {
                self.by_method.insert(body.method, self.methods.len());
                self.is_entry.push(false);
                self.methods.push(Rc::new(body));
            }
        }
    }

    /// Adds entries, the methods that they call on their object, and those that nested classes call, in class-file
    /// order.
    fn add_methods(&mut self, machine: &mut Machine, entries: &BTreeSet<MethodId>, nested: &[AnalysedBody]) {
        let mut found: BTreeSet<MethodId> = BTreeSet::new();
        let mut bodies: FxHashMap<MethodId, Rc<AnalysedBody>> = FxHashMap::default();
        let mut open: Vec<MethodId> = entries.iter().copied().collect();
        open.extend(self.hierarchy.iter().filter_map(|c| machine.class(*c).initializer));
        for body in nested {
            open.extend((0..body.instructions.len()).filter_map(|at| self.callee(machine, body, at)));
        }
        while let Some(method) = open.pop() {
            if !self.hierarchy.contains(&machine.method(method).class) || !found.insert(method) {
                continue;
            }
            let Some(body) = AnalysedBody::of(machine, method).map(Rc::new) else { continue };
            for at in 0..body.instructions.len() {
                open.extend(self.callee(machine, &body, at));
                open.extend(referred_to(machine, &body, at));
            }
            bodies.insert(method, body);
        }
        for class in self.hierarchy.clone() {
            for method in machine.class(class).methods.clone() {
                if let Some(body) = bodies.remove(&method) {
                    self.by_method.insert(method, self.methods.len());
                    self.is_entry.push(entries.contains(&method));
                    self.methods.push(body);
                }
            }
        }
    }

    /// Collects the variables that nested classes and lambdas store to; returns the methods that nested classes
    /// call.
    fn look_at_nested(&mut self, machine: &mut Machine, nested: &[AnalysedBody]) -> BTreeSet<usize> {
        for class in self.hierarchy.clone() {
            for method in machine.class(class).methods.clone() {
                if machine.method(method).name.starts_with("lambda$") {
                    let defined = self.defined_by(machine, method);
                    self.defined_by_nested.extend(defined);
                }
            }
        }
        let mut called = BTreeSet::new();
        for body in nested {
            for at in 0..body.instructions.len() {
                let opcode = body.instructions[at].opcode;
                if matches!(opcode, Opcode::Putfield | Opcode::Putstatic) {
                    let variable = self.variable_at(machine, body, at);
                    self.defined_by_nested.extend(variable);
                } else if let Some(callee) = self.callee(machine, body, at) {
                    // A method of the class, called on the outer object.
                    let defined = self.defined_by(machine, callee);
                    self.defined_by_nested.extend(defined);
                    called.extend(self.method(callee));
                }
            }
        }
        called
    }

    /// Whether code of the class passes `this` to code that is not flattened, other than as a receiver, or stores
    /// it. Constructors of nested classes are examined separately.
    fn hands_out_this(&self, machine: &mut Machine) -> bool {
        let own = format!("{}$", machine.class(self.class).name);
        self.methods.iter().any(|body| {
            let origins = Origins::of(machine, self, body);
            (0..body.instructions.len()).any(|at| {
                let Some(before) = &origins.before[at] else { return false };
                let taken = &before.stack[before.stack.len().saturating_sub(body.pops(at))..];
                let is_this = |origin: &Option<OperandOrigin>| *origin == Some(OperandOrigin::This);
                match body.instructions[at].action() {
                    // The target object or array is below the value.
                    Action::PutField | Action::ArrayStore(_) => taken.last().is_some_and(is_this),
                    Action::PutStatic => taken.iter().any(is_this),
                    Action::Invoke(_) => {
                        if self.callee(machine, body, at).is_some()
                            || !referred_to(machine, body, at).is_empty()
                        {
                            return false;
                        }
                        let (is_nested, called) = match body.constant(at) {
                            Some(Constant::Method { class, descriptor, .. }) => {
                                (class.starts_with(&own), descriptor.into_owned())
                            }
                            Some(Constant::InvokeDynamic { descriptor, .. }) => {
                                (false, descriptor.into_owned())
                            }
                            _ => return false,
                        };
                        let slots = usize::from(descriptor::argument_slots(&called).unwrap_or_default());
                        let arguments = &taken[taken.len().saturating_sub(slots)..];
                        !is_nested && arguments.iter().any(is_this)
                    }
                    _ => false,
                }
            })
        })
    }
}

/// Finds the callbacks. `called` are the methods that nested classes call.
fn call_backs(machine: &mut Machine, flat: &FlatClass, called: BTreeSet<usize>) -> CallBacks {
    let mut found = CallBacks { deferred: called, ..CallBacks::default() };
    let above: Vec<ClassId> = machine
        .class(flat.class)
        .supertypes
        .iter()
        .filter(|class| !flat.hierarchy.contains(class))
        .copied()
        .collect();
    for (number, body) in flat.methods.iter().enumerate() {
        if flat.is_nested(body) {
            found.deferred.insert(number);
            continue;
        }
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
            found.deferred.extend(methods.into_iter().filter_map(|m| flat.method(m)));
        }
    }
    let is_maker = |method: &usize| {
        let body = &flat.methods[*method];
        body.is_constructor() && !flat.is_nested(body)
    };
    (found.makers, found.deferred) = found.deferred.iter().copied().partition(is_maker);
    found.methods.extend(&found.deferred);
    for method in &found.methods {
        let defined = flat.defined_by(machine, flat.methods[*method].method);
        found.defined.extend(defined);
    }
    found.escapes = !found.methods.is_empty() && flat.hands_out_this(machine);
    found
}
