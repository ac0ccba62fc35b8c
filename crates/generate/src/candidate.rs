//! Candidates: completed paths that may become tests.

use crate::corpus::RecalledTest;
use crate::driver::PlanDriver;
use crate::exceptions::ThrownException;
use crate::plan::{Plan, PlanStep, Var};
use cupping_explore::{InvocationEnd, Path, Signature, TreeNode};
use cupping_machine::{ClassId, DefUse, Kind, MethodId};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A path that may become a test.
#[derive(Clone)]
pub struct Candidate {
    /// The sequence.
    pub plan: Rc<Plan>,
    /// The execution at its end, with the symbols of its inputs.
    pub driver: PlanDriver,
    /// The path condition.
    pub path: Path,
    /// The inputs.
    pub model: Model,
    /// Probes hit.
    pub hits: Rc<Vec<u64>>,
    /// Definition-use pairs exercised.
    pub pairs: Rc<BTreeSet<DefUse>>,
    /// How it ended.
    pub ended: InvocationEnd,
    /// If it ended with an exception: its class, and where it was thrown.
    pub thrown: Option<ThrownException>,
    /// Whether the invocation under test defines nothing, so that other tests can call it in assertions.
    pub is_pure: bool,
    /// The leaf in the tree of the method under test, if any decision was made.
    pub leaf: Option<TreeNode>,
    /// The signature of the control-flow path through its last invocation.
    pub control: Signature,
    /// The test of an earlier run that it repeats.
    pub remembered: Option<Rc<RecalledTest>>,
    /// Whether its inputs and calls must stay as they are, since it is meant to detect a mutant.
    pub keeps_inputs: bool,
}

impl Candidate {
    /// The method under test with the path through it.
    pub fn path_taken(&self) -> (MethodId, Signature) {
        (self.plan.under_test().map_or(MethodId(u32::MAX), |invokable| invokable.method), self.control)
    }
}

impl Candidate {
    /// The invocations in order with their arguments: primitives, `null`, and `…` for anything else.
    pub fn calls(&self) -> Vec<String> {
        let calls = self.plan.steps.iter().filter_map(|step| match step {
            PlanStep::Call { invokable, arguments, catches, .. } => Some((invokable, arguments, *catches)),
            _ => None,
        });
        let shown = calls.map(|(invokable, arguments, catches)| {
            let reference = &invokable.reference;
            let simple = reference.class.rsplit(['/', '$']).next().unwrap_or(&reference.class);
            let name = if invokable.is_constructor() { simple } else { &reference.name };
            let given = arguments.iter().skip(usize::from(invokable.has_receiver()));
            let given = given.zip(&invokable.parameters).map(|(var, it)| self.argument(*var, it.kind));
            let throws = if catches { " throws" } else { "" };
            format!("{name}({}){throws}", given.collect::<Vec<_>>().join(", "))
        });
        shown.collect()
    }

    /// The value of a plan's variable as a Java expression.
    fn argument(&self, var: Var, kind: Kind) -> String {
        let unknown = || "\u{2026}".to_owned();
        let Some(slot) = self.driver.slots.get(var) else { return unknown() };
        let known = slot.value.map(|value| value.bits);
        let bits = match slot.symbols.values.first() {
            Some(symbol) if kind != Kind::Reference => Some(self.model.get(*symbol)),
            _ => known,
        };
        let Some(bits) = bits else { return unknown() };
        match kind {
            Kind::Boolean => (bits & 1 != 0).to_string(),
            Kind::Byte => (bits as i8).to_string(),
            Kind::Short => (bits as i16).to_string(),
            Kind::Char => match char::from_u32(u32::from(bits as u16)) {
                Some(shown) if shown.is_ascii_graphic() || shown == ' ' => format!("'{shown}'"),
                _ => (bits as u16).to_string(),
            },
            Kind::Int => (bits as i32).to_string(),
            Kind::Long => format!("{}L", bits as i64),
            Kind::Float => format!("{:?}f", f32::from_bits(bits as u32)),
            Kind::Double => format!("{:?}", f64::from_bits(bits)),
            Kind::Reference if bits == 0 => "null".to_owned(),
            Kind::Reference | Kind::Void => unknown(),
        }
    }

    /// Whether the test catches what a call throws, and goes on.
    pub fn catches(&self) -> bool {
        self.plan.steps.iter().any(|step| matches!(step, PlanStep::Call { catches: true, .. }))
    }

    /// The fields that the test itself sets, by class and index.
    pub fn fields_set(&self) -> impl Iterator<Item = (ClassId, usize)> {
        self.plan.steps.iter().filter_map(|step| match step {
            PlanStep::SetField { field, .. } => Some(*field),
            _ => None,
        })
    }

    /// The classes whose constructors it calls, by internal name.
    pub fn constructed(&self) -> impl Iterator<Item = &str> {
        self.plan.steps.iter().filter_map(|step| match step {
            PlanStep::Call { invokable, .. } if invokable.is_constructor() => {
                Some(&*invokable.reference.class)
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use crate::testing::{candidate, invokable};
    use cupping_case::JavaType;
    use cupping_machine::Value;
    use cupping_term::VarIndex;

    /// A call of a method of `p.Box` with these values, and the receiver.
    fn called(descriptor: &str, values: &[Value]) -> Candidate {
        let mut plan = Plan::default();
        let method = Rc::new(invokable("p/Box", "put", descriptor));
        let vars: Vec<Var> =
            (0..=values.len()).map(|_| plan.variable(JavaType::class("p/Box"), "it")).collect();
        plan.call(&method, vars, "");
        let mut candidate = candidate(plan);
        for (slot, value) in candidate.driver.slots[1..].iter_mut().zip(values) {
            slot.value = Some(*value);
        }
        candidate
    }

    #[test]
    fn arguments_are_shown_as_java_writes_them() {
        let numbers = [Value::int(-1), Value::long(5), Value::float(1.5), Value::double(0.0)];
        assert_eq!(called("(IJFD)V", &numbers).calls(), ["put(-1, 5L, 1.5f, 0.0)"]);
        let small = [Value::int(1), Value::int(-128), Value::int(-300)];
        assert_eq!(called("(ZBS)V", &small).calls(), ["put(true, -128, -300)"]);
        let characters = [0x61, 0x20, 0x0a, 0x20ac].map(Value::int);
        assert_eq!(called("(CCCC)V", &characters).calls(), ["put('a', ' ', 10, 8364)"]);
    }

    #[test]
    fn of_objects_only_null_is_shown() {
        let objects = [Value::reference(0), Value::reference(64)];
        let calls = called("(Ljava/lang/String;Ljava/lang/String;)V", &objects).calls();
        assert_eq!(calls, ["put(null, \u{2026})"]);
        assert_eq!(called("()V", &[]).calls(), ["put()"], "the receiver is no argument");
    }

    #[test]
    fn a_symbol_has_its_value_in_the_model() {
        let mut one = called("(I)V", &[Value::int(3)]);
        one.driver.slots[1].symbols.values.push(VarIndex(4));
        assert_eq!(one.calls(), ["put(0)"]);
        one.model.set(VarIndex(4), 0xffff_fffe);
        assert_eq!(one.calls(), ["put(-2)"]);
    }

    #[test]
    fn constructors_have_the_simple_name_of_their_class() {
        let mut plan = Plan::default();
        plan.input(Input::Null, JavaType::class("p/Box"), "it");
        plan.call(&Rc::new(invokable("p/Map$Entry", "<init>", "()V")), vec![], "entry");
        plan.call(&Rc::new(invokable("p/Map$Entry", "drop", "()V")), vec![1], "");
        if let Some(PlanStep::Call { catches, .. }) = plan.steps.last_mut() {
            *catches = true;
        }
        let candidate = candidate(plan);
        assert_eq!(candidate.calls(), ["Entry()", "drop() throws"]);
        assert!(candidate.catches());
        assert_eq!(candidate.constructed().collect::<Vec<_>>(), ["p/Map$Entry"]);
    }

    #[test]
    fn a_plan_without_a_call_at_its_end_has_no_method_under_test() {
        let nothing = candidate(Plan::default());
        assert_eq!(nothing.path_taken(), (MethodId(u32::MAX), 0));
        assert!(!nothing.catches());
    }
}
