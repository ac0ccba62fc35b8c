//! The calls that stubs receive: what the code under test tells its collaborators.

use super::observer::{Observer, Volatility};
use crate::input::primitive_literal;
use crate::plan::{Plan, PlanStep};
use crate::realization::Realization;
use crate::stub::Stub;
use cupping_case::{
    Assertion, Expectation, ExpectedValue, JavaType, Literal, Probe, RecordedMethod, VarId,
    parse_method_descriptor,
};
use cupping_explore::InvocationEnd;
use cupping_machine::{Addr, MAX_RECORDED_CALLS, Machine, Snapshot, StubCall, Value};
use std::rc::Rc;

/// Limit on the calls of a stub that are asserted.
const MAX_CALLS: usize = 8;
/// Limit on the methods without a result that record their calls although nothing calls them.
const MAX_SILENT: usize = 4;
/// Characters of a text that is part of a call, at most.
const MAX_TEXT: usize = 60;

/// A stub of a test and the calls that it has received.
pub(super) struct Recorded {
    pub(super) id: VarId,
    pub(super) stub: Rc<Stub>,
    pub(super) calls: Vec<StubCall>,
    /// How many of them preceded the invocation under test.
    pub(super) earlier: usize,
}

impl Observer<'_> {
    /// Asserts the calls of methods without a result that the invocation under test has made on stubs. That it has
    /// made none, and what it has passed to methods with a result, is asserted where this shows a fault.
    pub(super) fn calls(
        &mut self,
        realized: &Realization,
        ids: &[Option<VarId>],
        known: &[(VarId, Addr)],
        before: &Snapshot,
    ) {
        let last = realized.plan.steps.last().and_then(PlanStep::defines);
        for (var, stub) in stubs(&realized.plan) {
            if last == Some(var) && !matches!(realized.ended, InvocationEnd::Returned(_)) {
                continue;
            }
            let (Some(id), Some(object)) = (ids[var], realized.driver.object(var)) else { continue };
            let calls = self.machine.stub_calls(object).filter(|it| it.len() < MAX_RECORDED_CALLS);
            let Some(calls) = calls else { continue };
            let earlier = if last == Some(var) { 0 } else { self.earlier(object, before) };
            let recorded = Recorded { id, stub, calls, earlier };
            match self.volatility {
                Volatility::Confirmed(asserted) => {
                    self.confirm_calls(asserted, &recorded);
                    asserted.into_iter().flatten().for_each(|it| self.confirm_captured(it, &recorded, known));
                }
                _ => {
                    self.say_calls(&recorded);
                    self.captured(&recorded, known);
                }
            }
        }
    }

    /// The number of calls that a stub had received before the invocation under test.
    fn earlier(&mut self, object: Addr, before: &Snapshot) -> usize {
        let here = self.machine.snapshot();
        self.machine.restore(before);
        let calls = self.machine.stub_calls(object);
        self.machine.restore(&here);
        calls.map_or(0, |it| it.len())
    }

    fn confirm_calls(&mut self, asserted: [&[Assertion]; 2], recorded: &Recorded) {
        for it in asserted.into_iter().flatten() {
            if let Probe::Calls { of, methods } = &it.probe
                && *of == recorded.id
            {
                let texts = recorded.texts(self, methods);
                self.assertions.push(called(recorded.id, methods.clone(), texts));
            }
        }
    }

    fn say_calls(&mut self, recorded: &Recorded) {
        let Recorded { stub, calls, earlier, id } = recorded;
        let is_called = |method: &usize| calls.iter().any(|it| it.method == *method);
        let commands: Vec<usize> = (0..stub.methods.len()).filter(|it| stub.is_command(*it)).collect();
        let is_few = commands.len() <= MAX_SILENT;
        let commands: Vec<usize> = commands.into_iter().filter(|it| is_few || is_called(it)).collect();
        if !commands.is_empty() {
            let methods = recorded.methods(self, &commands);
            let texts = recorded.texts(self, &methods);
            let is_told = calls[*earlier..].iter().any(|it| commands.contains(&it.method));
            if texts.len() <= MAX_CALLS {
                let assertion = called(*id, methods, texts);
                match is_told {
                    true => self.assertions.push(assertion),
                    false => self.unchanged.push(assertion),
                }
            }
        }
        let queries: Vec<usize> = (0..stub.methods.len()).filter(is_called).collect();
        let methods = recorded.methods(self, &queries);
        let mut asked = queries.iter().zip(&methods);
        if calls.len() <= MAX_CALLS && asked.any(|(at, it)| !stub.is_command(*at) && !it.shown.is_empty()) {
            let texts = recorded.texts(self, &methods);
            self.unchanged.push(called(*id, methods, texts));
        }
    }
}

impl Recorded {
    /// These methods, with the parameters whose values can be shown in all calls.
    fn methods(&self, observer: &Observer<'_>, which: &[usize]) -> Vec<RecordedMethod> {
        let method = |at: &usize| {
            let (id, _) = self.stub.methods[*at];
            let descriptor = self.stub.descriptors[*at].clone();
            let (parameters, _) = parse_method_descriptor(&descriptor)?;
            let is_shown = |(index, ty): &(usize, JavaType)| {
                let mut calls = self.calls.iter().filter(|it| it.method == *at).peekable();
                match calls.peek() {
                    Some(_) => calls.all(|it| observer.text_of(ty, it.arguments[*index].1).is_some()),
                    None => !ty.is_reference() || ty.is_string(),
                }
            };
            let shown = parameters.into_iter().enumerate().filter(is_shown).map(|(index, _)| index).collect();
            Some(RecordedMethod { name: Box::from(&*observer.machine.method(id).name), descriptor, shown })
        };
        which.iter().filter_map(method).collect()
    }

    /// The calls of these methods.
    fn texts(&self, observer: &Observer<'_>, methods: &[RecordedMethod]) -> Vec<String> {
        let text = |call: &StubCall| {
            let (id, _) = *self.stub.methods.get(call.method)?;
            let (name, descriptor) =
                (&*observer.machine.method(id).name, &self.stub.descriptors[call.method]);
            let method = methods.iter().find(|it| *it.name == *name && it.descriptor == *descriptor)?;
            let (parameters, _) = parse_method_descriptor(&method.descriptor)?;
            let value = |index: &usize| {
                let text = observer.text_of(&parameters[*index], call.arguments[*index].1);
                text.unwrap_or_else(|| "?".into())
            };
            Some(method.text(&method.shown.iter().map(value).collect::<Vec<_>>()))
        };
        self.calls.iter().filter_map(text).collect()
    }
}

/// The stubs of a plan with their variables.
fn stubs(plan: &Plan) -> Vec<(usize, Rc<Stub>)> {
    let made = |step: &PlanStep| match step {
        PlanStep::Stub { stub, var, .. } => Some((*var, stub.clone())),
        PlanStep::Call { invokable, result, .. } => Some(((*result)?, invokable.stub.clone()?)),
        _ => None,
    };
    plan.steps.iter().filter_map(made).collect()
}

fn called(of: VarId, methods: Vec<RecordedMethod>, texts: Vec<String>) -> Assertion {
    let literal = |text: String| ExpectedValue::Literal(Literal::String(text.encode_utf16().collect()));
    let expected = ExpectedValue::List(texts.into_iter().map(literal).collect());
    Assertion { probe: Probe::Calls { of, methods }, expectation: Expectation::EqualsValue(expected) }
}

impl Observer<'_> {
    /// A value as Java concatenates it with a text, if this is the same on each JVM and says all about the value.
    pub(super) fn text_of(&self, ty: &JavaType, value: Value) -> Option<String> {
        if !ty.is_reference() {
            let kind = crate::invokable::kind_of(ty);
            return primitive(&primitive_literal(kind, kind.narrow(value.bits)));
        }
        match self.literal(value.as_ref()) {
            Some(Literal::Null) => Some("null".into()),
            Some(Literal::String(units)) => {
                String::from_utf16(&units).ok().filter(|_| units.len() <= MAX_TEXT)
            }
            Some(Literal::Boxed(inner)) => primitive(&inner),
            _ => constant(self.machine, value.as_ref()),
        }
    }
}

/// A number, character or truth value as text.
fn primitive(literal: &Literal) -> Option<String> {
    // Beyond these bounds Java uses exponents.
    let is_plain = |value: f64| value == 0.0 || (1e-3..1e7).contains(&value.abs());
    match literal {
        Literal::Boolean(value) => Some(value.to_string()),
        Literal::Byte(value) => Some(value.to_string()),
        Literal::Short(value) => Some(value.to_string()),
        Literal::Char(value) => char::from_u32(u32::from(*value)).map(String::from),
        Literal::Int(value) => Some(value.to_string()),
        Literal::Long(value) => Some(value.to_string()),
        Literal::Float(value) => is_plain(f64::from(*value)).then(|| format!("{value:?}")),
        Literal::Double(value) => is_plain(*value).then(|| format!("{value:?}")),
        _ => None,
    }
}

/// The name of a constant of an enum that shows as its name.
fn constant(machine: &Machine, object: Addr) -> Option<String> {
    let class = machine.class_of(object);
    let of_enum = machine.loaded("java/lang/Enum")?;
    let is_named = |class| {
        let declared = machine.find_method(class, "toString", "()Ljava/lang/String;");
        declared.is_some_and(|it| machine.method(it).class == of_enum)
    };
    if !machine.is_subtype(class, of_enum) || !is_named(class) {
        return None;
    }
    let offset = machine.field_offset(of_enum, "name")?;
    String::from_utf16(&machine.string_units(machine.field(object, offset) as Addr)).ok()
}
