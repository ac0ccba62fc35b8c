//! Helpers: the effects of methods on their array arguments. `store(cells, i, v)` defines the contents of `cells` as
//! `cells[i] = v` does.

use crate::body::AnalysedBody;
use cupping_classfile::interpreter::{Domain, Fixpoint, Frame, FrameMismatch, Site};
use cupping_classfile::{Action, Constant, Invocation, Opcode, StackType, descriptor};
use cupping_machine::{Machine, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Helpers that call helpers are followed to this depth.
const MAX_DEPTH: usize = 4;

/// The effect of a method on an array argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArrayEffect {
    /// It stores elements.
    pub stores: bool,
    /// It loads elements.
    pub loads: bool,
    /// Whether it uses the reference in another way: stores it, returns it, or passes it on.
    pub keeps: bool,
}

impl ArrayEffect {
    /// The effect of code that is not followed.
    const UNKNOWN: ArrayEffect = ArrayEffect { stores: false, loads: false, keeps: true };

    fn add(&mut self, other: ArrayEffect) {
        self.stores |= other.stores;
        self.loads |= other.loads;
        self.keeps |= other.keeps;
    }
}

/// A method, and the local variable of a parameter.
type Parameter = (MethodId, u16);

/// The effects that are known, by parameter.
#[derive(Default)]
pub(crate) struct ArrayParameters {
    known: FxHashMap<Parameter, ArrayEffect>,
    /// Facts found so far about the helpers of the current call.
    so_far: FxHashMap<Parameter, ArrayEffect>,
    /// The parameters visited in this round.
    seen: FxHashSet<Parameter>,
}

impl ArrayParameters {
    /// The effect of a call on the array in one of its argument slots, counted from the first argument. Mutually
    /// recursive helpers are visited until nothing more becomes known.
    pub fn of_call(
        &mut self,
        machine: &mut Machine,
        body: &AnalysedBody,
        at: usize,
        slot: usize,
    ) -> ArrayEffect {
        loop {
            self.seen.clear();
            let before = self.so_far.clone();
            let found = self.called(machine, body, at, slot, MAX_DEPTH);
            if self.so_far == before {
                self.known.extend(self.so_far.drain());
                return found;
            }
        }
    }

    fn called(
        &mut self,
        machine: &mut Machine,
        body: &AnalysedBody,
        at: usize,
        slot: usize,
        depth: usize,
    ) -> ArrayEffect {
        let Some((method, has_receiver)) = fixed_callee(machine, body, at) else {
            return ArrayEffect::UNKNOWN;
        };
        let Ok(local) = u16::try_from(slot + usize::from(has_receiver)) else { return ArrayEffect::UNKNOWN };
        let parameter = (method, local);
        if let Some(known) = self.known.get(&parameter) {
            return *known;
        }
        let mut found = self.so_far.get(&parameter).copied().unwrap_or_default();
        if !self.seen.insert(parameter) {
            return found;
        }
        if depth == 0 {
            self.seen.remove(&parameter);
            return ArrayEffect::UNKNOWN;
        }
        match AnalysedBody::of(machine, method) {
            Some(callee) => found.add(self.effect(machine, &callee, local, depth - 1)),
            None => found = ArrayEffect::UNKNOWN,
        }
        self.so_far.insert(parameter, found);
        found
    }

    fn effect(
        &mut self,
        machine: &mut Machine,
        body: &AnalysedBody,
        local: u16,
        depth: usize,
    ) -> ArrayEffect {
        let mut locals = vec![Some(false); usize::from(body.code.max_locals)];
        let Some(own) = locals.get_mut(usize::from(local)) else { return ArrayEffect::UNKNOWN };
        *own = Some(true);
        let mut domain = ParameterDomain { is_mixed: false };
        let entry = Frame { locals, stack: Vec::new() };
        let frames = Fixpoint::of(&mut domain, &body.file, &body.graph, entry);
        let mut found = ArrayEffect { keeps: domain.is_mixed, ..ArrayEffect::default() };
        for at in 0..body.instructions.len() {
            let Some(before) = &frames.before[at] else { continue };
            let stack = &before.stack;
            let is_array = |from_top: usize| {
                stack.len().checked_sub(from_top).is_some_and(|place| stack[place] == Some(true))
            };
            match body.instructions[at].action() {
                Action::ArrayLoad(_) => found.loads |= is_array(2),
                Action::ArrayStore(element) => {
                    let slots = usize::from(element.stack_type().slots());
                    found.stores |= is_array(2 + slots);
                    found.keeps |= slots == 1 && is_array(1);
                }
                Action::CheckCast | Action::Shuffle | Action::Store => {}
                Action::Invoke(_) => {
                    let slots = called_slots(body, at);
                    let first = stack.len().saturating_sub(slots);
                    for slot in (0..slots).filter(|slot| stack.get(first + slot) == Some(&Some(true))) {
                        let effect = self.called(machine, body, at, slot, depth);
                        found.add(effect);
                    }
                    // As a receiver: `array.clone()`.
                    let pops = body.pops(at);
                    found.keeps |= pops > slots && is_array(pops);
                }
                _ => found.keeps |= (1..=body.pops(at)).any(is_array),
            }
        }
        found
    }
}

/// The slots of a call's arguments, without the receiver.
fn called_slots(body: &AnalysedBody, at: usize) -> usize {
    let descriptor = match body.constant(at) {
        Some(Constant::Method { descriptor, .. } | Constant::InvokeDynamic { descriptor, .. }) => descriptor,
        _ => return 0,
    };
    usize::from(descriptor::argument_slots(&descriptor).unwrap_or_default())
}

/// The method that an instruction calls, if no subclass can override it, and whether it has a receiver. JDK classes
/// are left to their summaries.
fn fixed_callee(machine: &mut Machine, body: &AnalysedBody, at: usize) -> Option<(MethodId, bool)> {
    let Action::Invoke(how) = body.instructions[at].action() else { return None };
    let Constant::Method { class, name, descriptor, .. } = body.constant(at)? else { return None };
    let class = machine.load(&class).ok()?;
    if machine.class(class).from_jdk {
        return None;
    }
    let method = machine.find_method(class, &name, &descriptor)?;
    let is_fixed = how == Invocation::Static
        || body.instructions[at].opcode == Opcode::Invokespecial
        || machine.method(method).is_private();
    (is_fixed && &*name != "<init>").then_some((method, how != Invocation::Static))
}

/// Whether a value is the parameter under analysis.
struct ParameterDomain {
    /// Whether it met another value where paths join.
    is_mixed: bool,
}

impl Domain for ParameterDomain {
    type Value = bool;
    type Refusal = FrameMismatch;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<bool, FrameMismatch> {
        Ok(false)
    }

    fn load(&mut self, _: &Site<'_>, _: u16, value: Option<&bool>) -> Result<bool, FrameMismatch> {
        Ok(value.copied().unwrap_or_default())
    }

    fn join(&mut self, known: Option<&bool>, other: Option<&bool>) -> Option<bool> {
        self.is_mixed |= known == Some(&true) || other == Some(&true);
        Some(false)
    }
}
