//! Definitions and uses of a class's variables, by instruction (Buy, Orso & Pezzè §2, §4).
//!
//! A store is a definition, a load is a use. If a variable holds an object or array, storing an element or
//! calling a method that is not *const* counts as a definition, and loading an element or calling a *const*
//! method as a use; *const* is inferred. The load that only fetches the object for such an access belongs to
//! it.

use crate::array_parameters::ArrayParameters;
use crate::body::AnalysedBody;
use crate::copies::originals;
use crate::flattened_class::FlatClass;
use crate::origin::{OperandOrigin, Origins};
use cupping_classfile::{Action, Constant, Invocation, descriptor};
use cupping_generate::influence::Influence;
use cupping_machine::Machine;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A definition or use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableAccess {
    /// The method, by index in the flattened class.
    pub method: usize,
    /// The instruction, the first of them if the compiler copied it.
    pub at: usize,
    /// Its copies.
    pub copies: Vec<usize>,
    /// The variable.
    pub variable: usize,
    /// Whether it is a definition.
    pub is_definition: bool,
    /// Whether it accesses the contents of the variable's array or object.
    pub is_contents: bool,
    /// Whether the variable is known to belong to `this`, or is static.
    pub on_this: bool,
    /// For the contents of another object's variable: the number of slots above the array or object on the stack.
    pub depth: u16,
}

impl VariableAccess {
    /// Its instructions: one, or the copies of one in the source.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.at).chain(self.copies.iter().copied())
    }
}

/// All accesses of a flattened class.
#[derive(Default)]
pub struct Accesses {
    /// Ordered by method and instruction.
    pub all: Vec<VariableAccess>,
    /// The loads of variables of other objects whose contents are accessed: method, instruction, and variable.
    pub fetches: BTreeSet<(usize, usize, usize)>,
    by_place: FxHashMap<(usize, usize), Vec<usize>>,
}

impl Accesses {
    /// Finds the accesses of all methods.
    pub fn of(machine: &mut Machine, influence: &mut Influence, flat: &FlatClass) -> Accesses {
        let (mut found, mut parameters) = (Accesses::default(), ArrayParameters::default());
        for method in 0..flat.methods.len() {
            let body = flat.methods[method].clone();
            let origins = Origins::of(machine, flat, &body);
            let parameters = &mut parameters;
            let mut look = AccessScan {
                machine,
                influence,
                parameters,
                flat,
                body: &body,
                method,
                found: Found::default(),
            };
            look.run(&origins);
            let Found { mut all, fetches } = look.found;
            found.fetches.extend(fetches);
            if flat.is_nested(&body) {
                // A nested class defines by storing to fields. Its loads do not count as uses, like those of a
                // client.
                all.retain(|access| access.is_definition && !access.is_contents);
            }
            let likeness =
                |access: &VariableAccess| (access.variable, access.is_definition, access.is_contents);
            let places: Vec<_> = all.iter().map(|access| (access.at, likeness(access))).collect();
            let originals = originals(&body, &origins, &places);
            let first = found.all.len();
            let mut numbers: Vec<usize> = Vec::with_capacity(all.len());
            for (at, access) in all.into_iter().enumerate() {
                let place = (method, access.at);
                let number = match originals[at] {
                    original if original < at => {
                        found.all[numbers[original]].copies.push(access.at);
                        numbers[original]
                    }
                    _ => {
                        found.all.push(access);
                        found.all.len() - 1
                    }
                };
                debug_assert!(number >= first);
                numbers.push(number);
                found.by_place.entry(place).or_default().push(number);
            }
        }
        found
    }

    /// The accesses of an instruction.
    pub fn at(&self, method: usize, at: usize) -> &[usize] {
        self.by_place.get(&(method, at)).map_or(&[], Vec::as_slice)
    }

    /// Whether an instruction certainly defines a variable of `this`.
    pub fn defines(&self, method: usize, at: usize, variable: usize) -> bool {
        self.at(method, at).iter().any(|id| {
            let access = &self.all[*id];
            access.is_definition && access.on_this && access.variable == variable
        })
    }
}

struct AccessScan<'a> {
    machine: &'a mut Machine,
    influence: &'a mut Influence,
    parameters: &'a mut ArrayParameters,
    flat: &'a FlatClass,
    body: &'a AnalysedBody,
    method: usize,
    found: Found,
}

/// What a scan of a method found.
#[derive(Default)]
struct Found {
    all: Vec<VariableAccess>,
    fetches: BTreeSet<(usize, usize, usize)>,
}

impl AccessScan<'_> {
    fn run(&mut self, origins: &Origins) {
        // Loads whose value is used for more than an access to its contents.
        let mut plain: BTreeSet<usize> = origins.mixed.clone();
        let mut loads = Vec::new();
        for at in 0..self.body.instructions.len() {
            let Some(before) = &origins.before[at] else { continue };
            let stack = &before.stack;
            match self.body.instructions[at].action() {
                Action::GetField | Action::GetStatic | Action::PutField | Action::PutStatic => {
                    self.field(at, stack, &mut plain, &mut loads);
                }
                Action::Invoke(_) => self.call(at, stack, &mut plain),
                // The array is the operand that was pushed first.
                Action::ArrayLoad(_) => {
                    self.contents(at, stack, stack.len().checked_sub(2), false);
                }
                Action::ArrayStore(element) => {
                    let slots = usize::from(element.stack_type().slots());
                    self.contents(at, stack, stack.len().checked_sub(2 + slots), true);
                    if slots == 1 {
                        mark(&mut plain, stack.last());
                    }
                }
                action if is_transport(action) => {}
                _ => {
                    let pops = self.body.pops(at);
                    stack.iter().rev().take(pops).for_each(|o| mark(&mut plain, Some(o)));
                }
            }
        }
        for (at, access) in loads {
            let is_reference = !self.flat.variables[access.variable].is_scalar();
            if !is_reference || plain.contains(&at) {
                self.found.all.push(access);
            }
        }
        self.found.all.sort_by_key(|access| (access.at, access.is_definition));
    }

    fn access(&self, at: usize, variable: usize, is_definition: bool) -> VariableAccess {
        VariableAccess {
            method: self.method,
            at,
            copies: Vec::new(),
            variable,
            is_definition,
            is_contents: false,
            on_this: true,
            depth: 0,
        }
    }

    fn field(
        &mut self,
        at: usize,
        stack: &[Option<OperandOrigin>],
        plain: &mut BTreeSet<usize>,
        loads: &mut Vec<(usize, VariableAccess)>,
    ) {
        let action = self.body.instructions[at].action();
        let pops = self.body.pops(at);
        let taken = &stack[stack.len().saturating_sub(pops)..];
        let is_static = matches!(action, Action::GetStatic | Action::PutStatic);
        let is_store = matches!(action, Action::PutField | Action::PutStatic);
        taken.iter().for_each(|o| mark(plain, Some(o)));
        let Some(variable) = self.flat.variable_at(self.machine, self.body, at) else { return };
        let access = VariableAccess {
            on_this: is_static || taken.first() == Some(&Some(OperandOrigin::This)),
            ..self.access(at, variable, is_store)
        };
        if is_store { self.found.all.push(access) } else { loads.push((at, access)) }
    }

    /// Adds an access to a variable's contents, if the operand in this slot comes from a variable.
    fn contents(
        &mut self,
        at: usize,
        stack: &[Option<OperandOrigin>],
        base: Option<usize>,
        is_definition: bool,
    ) {
        let Some((base, Some(origin))) = base.and_then(|base| Some((base, *stack.get(base)?))) else {
            return;
        };
        let Some((variable, load)) = origin.loaded() else { return };
        let on_this = matches!(origin, OperandOrigin::Variable { .. });
        let depth = (stack.len() - 1 - base) as u16;
        let access = self.access(at, variable, is_definition);
        self.found.all.push(VariableAccess { is_contents: true, on_this, depth, ..access });
        if !on_this {
            self.found.fetches.insert((self.method, load, variable));
        }
    }

    /// The accesses of a call to its array arguments. A call counts as an access to the contents of one variable
    /// only; it uses any other array argument by passing it on.
    fn arguments(
        &mut self,
        at: usize,
        stack: &[Option<OperandOrigin>],
        first: usize,
        plain: &mut BTreeSet<usize>,
    ) {
        let mut effects = Vec::new();
        for (slot, origin) in stack[first..].iter().enumerate() {
            match origin.and_then(OperandOrigin::loaded) {
                Some((variable, _)) if self.flat.variables[variable].is_array() => {
                    let effect = self.parameters.of_call(self.machine, self.body, at, slot);
                    effects.push((first + slot, effect));
                }
                _ => mark(plain, Some(origin)),
            }
        }
        // Definitions come first.
        effects.sort_by_key(|(_, effect)| !effect.stores);
        for (nth, (base, effect)) in effects.into_iter().enumerate() {
            let is_access = nth == 0 && (effect.stores || effect.loads);
            if is_access {
                self.contents(at, stack, Some(base), effect.stores);
            }
            if !is_access || effect.keeps {
                mark(plain, Some(&stack[base]));
            }
        }
    }

    fn call(&mut self, at: usize, stack: &[Option<OperandOrigin>], plain: &mut BTreeSet<usize>) {
        let (class, name, called) = match self.body.constant(at) {
            Some(Constant::Method { class, name, descriptor, .. }) => {
                (class.into_owned(), name.into_owned(), descriptor.into_owned())
            }
            Some(Constant::InvokeDynamic { descriptor, .. }) => {
                (String::new(), String::new(), descriptor.into_owned())
            }
            _ => return,
        };
        let Some(arguments) = descriptor::argument_slots(&called) else { return };
        let first = stack.len().saturating_sub(usize::from(arguments));
        self.arguments(at, stack, first, plain);
        // Library methods that write into an array argument.
        let filled = match (&*class, &*name) {
            ("java/lang/System", "arraycopy") => Some(2),
            ("java/util/Arrays", "fill" | "sort" | "setAll" | "parallelSort") => Some(0),
            _ => None,
        };
        if let Some(nth) = filled {
            self.contents(at, stack, Some(first + nth), true);
        }
        let has_receiver = !matches!(
            self.body.instructions[at].action(),
            Action::Invoke(Invocation::Static | Invocation::Dynamic)
        );
        if !has_receiver || &*name == "<init>" {
            return;
        }
        let receiver = first.checked_sub(1);
        let origin = receiver.and_then(|at| stack[at]);
        if origin.and_then(OperandOrigin::loaded).is_none() {
            return;
        }
        if class.starts_with('[') {
            self.contents(at, stack, receiver, false);
            return;
        }
        let found = self.machine.load(&class).ok().and_then(|class| {
            let method = self.machine.find_method(class, &name, &called)?;
            Some((class, method))
        });
        let changes =
            found.is_none_or(|(class, method)| self.influence.may_change(self.machine, class, method));
        self.contents(at, stack, receiver, changes);
    }
}

/// Whether an instruction only moves operands.
fn is_transport(action: Action) -> bool {
    matches!(action, Action::CheckCast | Action::Shuffle | Action::Store)
}

fn mark(plain: &mut BTreeSet<usize>, origin: Option<&Option<OperandOrigin>>) {
    if let Some((_, load)) = origin.copied().flatten().and_then(OperandOrigin::loaded) {
        plain.insert(load);
    }
}
