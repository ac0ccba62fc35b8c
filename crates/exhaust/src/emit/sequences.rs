//! Searches for call sequences that reach a state: breadth first from the constructors, with states compared
//! by their text.

use super::builder::Builder;
use super::call_sequence::{SequenceCall, hidden_by, invoke, value};
use super::emitter::{Emitter, RunOutcome, SubjectPlace};
use super::state_text;
use crate::classes::Values;
use crate::error::Error;
use crate::target::parameter_types;
use cupping_case::{Action, Literal, Operand};
use cupping_machine::{Addr, MethodId, Snapshot, Value};
use cupping_relation::{Atom, Instance};
use std::collections::BTreeMap;

/// Limit on the calls tried per class.
const MOST_CALLS: usize = 40_000;
/// Limit on the states kept.
const MOST_STATES: usize = 4_000;
/// Limit on the argument combinations of one method.
const MOST_COMBINATIONS: usize = 40;
/// How much longer than the target state's text an intermediate state's text may be.
const SLACK: usize = 60;

impl Emitter<'_> {
    /// Constructs the input by calls, if a sequence is found and the method then behaves the same.
    pub(super) fn by_calls(
        &mut self,
        instance: &Instance,
        left: &RunOutcome,
        builder: &mut Builder,
    ) -> Result<Option<Vec<Operand>>, Error> {
        let plan = &self.specification.plan;
        let Some(receiver) = plan.receiver.clone() else { return Ok(None) };
        if !matches!(self.subject_place(), Some(SubjectPlace::Argument(0)))
            || self.specification.after.fields.iter().any(|(_, it)| it.is_static)
            || !self.sources.is_nameable(&receiver)
        {
            return Ok(None);
        }
        let mut arguments = Vec::new();
        for (parameter, id) in plan.parameters.clone().iter().zip(&self.specification.before.call.parameters)
        {
            let atom = Self::value_of(instance, Some(*id));
            match self.literal(instance, atom, &parameter.descriptor, &parameter.values) {
                Some(literal) => arguments.push(literal),
                None => return Ok(None),
            }
        }
        let input = self.write(instance)?;
        let object = input.arguments.first().map_or(0, |it| it.as_ref());
        let wanted = state_text::state(self.world, &self.sources.fields, object);
        self.sequences.wanted = self.sequences.wanted.max(wanted.len());
        if self.sequences.found.is_none() {
            let found = self.explore(&receiver, self.sequences.wanted + SLACK);
            self.sequences.found = Some(found);
        }
        let Some(calls) = self.sequences.found.as_ref().and_then(|it| it.get(&wanted)).cloned() else {
            return Ok(None);
        };
        if self.replay(&receiver, &calls, &arguments).as_ref() != Some(left) {
            return Ok(None);
        }
        let mut calls = calls.into_iter();
        let Some(first) = calls.next() else { return Ok(None) };
        let operands = |literals: Vec<Literal>| literals.into_iter().map(Operand::Literal).collect();
        let made = Action::Construct { constructor: first.method, args: operands(first.arguments) };
        let this = builder.assign(made, self.sources.variable_type(&receiver));
        for call in calls {
            let (method, args) = (call.method, operands(call.arguments));
            builder.step(Action::Invoke { method, receiver: Operand::Var(this), args }, None);
        }
        let mut all = vec![Operand::Var(this)];
        all.extend(arguments.into_iter().map(Operand::Literal));
        Ok(Some(all))
    }

    /// The literal of an atom for a declared type; none for objects.
    pub(super) fn literal(
        &self,
        instance: &Instance,
        atom: Option<u32>,
        descriptor: &str,
        values: &[Values],
    ) -> Option<Literal> {
        let Some(atom) = atom else { return Some(Literal::Null) };
        let integer = |value: i64, letter: u8| match letter {
            b'J' => Literal::Long(value),
            b'S' => Literal::Short(value as i16),
            b'B' => Literal::Byte(value as i8),
            b'C' => Literal::Char(value as u16),
            b'F' => Literal::Float(value as f32),
            b'D' => Literal::Double(value as f64),
            _ => Literal::Int(value as i32),
        };
        let letter = descriptor.as_bytes()[0];
        Some(match instance.atom(atom) {
            Atom::Int(value) if letter != b'L' => integer(*value, letter),
            Atom::Bool(value) if letter != b'L' => Literal::Boolean(*value),
            Atom::Bool(value) => Literal::Boxed(Box::new(Literal::Boolean(*value))),
            Atom::Int(value) => {
                let class = values.iter().find_map(|it| match it {
                    Values::Integers(class) => class.as_deref(),
                    _ => None,
                });
                let letter = match class {
                    Some("java/lang/Long") => b'J',
                    Some("java/lang/Float") => b'F',
                    Some("java/lang/Double") => b'D',
                    Some("java/lang/Short") => b'S',
                    Some("java/lang/Byte") => b'B',
                    Some("java/lang/Character") => b'C',
                    _ => b'I',
                };
                Literal::Boxed(Box::new(integer(*value, letter)))
            }
            Atom::Text(text) => Literal::String(text.encode_utf16().collect()),
            Atom::Only(sig) => {
                let constant = self.specification.before.constants.iter().find(|it| it.0 == *sig)?;
                if !self.sources.is_nameable(&constant.1) {
                    return None;
                }
                Literal::Constant { class: constant.1.as_str().into(), field: constant.2.as_str().into() }
            }
            Atom::Of(..) => return None,
        })
    }

    /// All states that calls reach within the limits, with their sequences.
    fn explore(&mut self, class: &str, longest: usize) -> BTreeMap<String, Vec<SequenceCall>> {
        let mut found: BTreeMap<String, Vec<SequenceCall>> = BTreeMap::new();
        let Some(file) = self.sources.class(class) else { return found };
        if file.access.is_abstract() {
            return found;
        }
        self.world.rewind();
        let id = self.world.classes[class];
        let mut constructors = Vec::new();
        let mut methods: Vec<(MethodId, SequenceCall)> = Vec::new();
        let under_test =
            self.specification.target.as_ref().map(|it| (it.name.clone(), it.descriptor.clone()));
        for (level, file) in self.sources.upwards(class).into_iter().enumerate() {
            for method in file.methods.iter().filter(|it| self.sources.is_callable(&file, it)) {
                let is_constructor = &*method.name == "<init>";
                let is_same = under_test.as_ref().is_some_and(|(name, descriptor)| {
                    **name == *method.name && **descriptor == *method.descriptor
                });
                if method.access.is_static()
                    || &*method.name == "<clinit>"
                    || is_same
                    || is_constructor && level > 0
                    || !is_constructor && hidden_by(&methods, &method.name, &method.descriptor)
                {
                    continue;
                }
                let machine = &self.world.machine;
                let Some(found) = machine.find_method(id, &method.name, &method.descriptor) else { continue };
                let reference = self.sources.reference(class, method);
                for arguments in self.combinations(&method.descriptor) {
                    let call = SequenceCall { method: reference.clone(), arguments };
                    match is_constructor {
                        true => constructors.push((found, call)),
                        false => methods.push((found, call)),
                    }
                }
            }
        }
        let start = self.world.machine.snapshot();
        let mut waiting: Vec<(Snapshot, Addr, Vec<SequenceCall>)> = Vec::new();
        for (method, call) in constructors {
            self.world.machine.restore(&start);
            let Ok(object) = self.world.machine.new_object(id) else { continue };
            if invoke(self.world, method, object, &call.arguments) {
                let state = state_text::state(self.world, &self.sources.fields, object);
                if state.len() <= longest && !found.contains_key(&state) {
                    found.insert(state, vec![call.clone()]);
                    waiting.push((self.world.machine.snapshot(), object, vec![call]));
                }
            }
        }
        let mut tried = 0;
        let mut at = 0;
        // The limit counts calls, so methods that do nothing or fail cannot prolong the search.
        while at < waiting.len() && tried < MOST_CALLS {
            let (snapshot, object, calls) = waiting[at].clone();
            at += 1;
            for (method, call) in &methods {
                tried += 1;
                self.world.machine.restore(&snapshot);
                if !invoke(self.world, *method, object, &call.arguments) {
                    continue;
                }
                let state = state_text::state(self.world, &self.sources.fields, object);
                if state.len() > longest || found.contains_key(&state) || found.len() >= MOST_STATES {
                    continue;
                }
                let mut more = calls.clone();
                more.push(call.clone());
                found.insert(state, more.clone());
                waiting.push((self.world.machine.snapshot(), object, more));
            }
        }
        self.world.rewind();
        found
    }

    /// The argument combinations to try for a method.
    fn combinations(&self, descriptor: &str) -> Vec<Vec<Literal>> {
        let mut all = vec![Vec::new()];
        for ty in parameter_types(descriptor) {
            let choices = self.choices(&ty);
            let mut more: Vec<Vec<Literal>> = Vec::new();
            for some in &all {
                for choice in &choices {
                    let mut longer = some.clone();
                    longer.push(choice.clone());
                    more.push(longer);
                }
            }
            more.truncate(MOST_COMBINATIONS);
            all = more;
        }
        all
    }

    fn choices(&self, ty: &str) -> Vec<Literal> {
        let integers = |make: fn(i64) -> Literal| self.sequences.integers.iter().map(move |it| make(*it));
        let boxed = |make: fn(i64) -> Literal| {
            let all = integers(make).map(|it| Literal::Boxed(Box::new(it)));
            // Null first: arguments that do not matter stay null where possible.
            std::iter::once(Literal::Null).chain(all).collect::<Vec<_>>()
        };
        let texts = self.specification.header.strings.iter();
        let texts = texts.map(|it| Literal::String(it.encode_utf16().collect()));
        match ty {
            "I" => integers(|it| Literal::Int(it as i32)).collect(),
            "J" => integers(Literal::Long).collect(),
            "S" => integers(|it| Literal::Short(it as i16)).collect(),
            "B" => integers(|it| Literal::Byte(it as i8)).collect(),
            "C" => integers(|it| Literal::Char(it as u16)).collect(),
            "Z" => vec![Literal::Boolean(false), Literal::Boolean(true)],
            "Ljava/lang/Integer;" | "Ljava/lang/Number;" => boxed(|it| Literal::Int(it as i32)),
            "Ljava/lang/Long;" => boxed(Literal::Long),
            "Ljava/lang/String;" => texts.chain([Literal::Null]).collect(),
            "Ljava/lang/Object;" | "Ljava/lang/Comparable;" => {
                let mut all = boxed(|it| Literal::Int(it as i32));
                all.extend(texts);
                all
            }
            "F" | "D" => Vec::new(),
            _ => vec![Literal::Null],
        }
    }

    /// The outcome of the method after these calls.
    fn replay(&mut self, class: &str, calls: &[SequenceCall], arguments: &[Literal]) -> Option<RunOutcome> {
        self.world.rewind();
        let id = self.world.classes[class];
        let object = self.world.machine.new_object(id).ok()?;
        for call in calls {
            let method = self.world.machine.find_method(id, &call.method.name, &call.method.descriptor)?;
            if !invoke(self.world, method, object, &call.arguments) {
                return None;
            }
        }
        let mut values = vec![Value::reference(object)];
        for literal in arguments {
            values.push(value(self.world, literal)?);
        }
        let ended = self.world.run(&values);
        Some(self.left(&values, &ended))
    }
}
