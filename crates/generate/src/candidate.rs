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
