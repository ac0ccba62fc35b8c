//! Translates demands into the outcome and assertions of a case.

use super::builder::Builder;
use super::demand::Demand;
use super::emitter::Emitter;
use cupping_case::{Action, Assertion, Expectation, JavaType, Literal, Operand, Outcome, Probe, VarId};

impl Emitter<'_> {
    /// The outcome and assertions of a demand.
    pub(super) fn claims(
        &self,
        demand: Demand,
        builder: &mut Builder,
        result: Option<VarId>,
        subject: Option<VarId>,
    ) -> (Outcome, Vec<Assertion>) {
        let claim = |probe: Probe, expectation: Expectation| vec![Assertion { probe, expectation }];
        let text = |it: String| Literal::String(it.encode_utf16().collect());
        let fields: Vec<Box<str>> = self.sources.fields.iter().map(|it| it.as_str().into()).collect();
        let assertions = match demand {
            Demand::Returns => Vec::new(),
            Demand::Throws(class) => {
                return (Outcome::Threw { class: class.into(), message: None }, Vec::new());
            }
            Demand::Result(mut values) => match (result, values.len()) {
                (Some(result), 1) => {
                    let value = values.pop().unwrap_or(Literal::Null);
                    claim(Probe::Var(result), Expectation::Equals(value))
                }
                (Some(result), _) => claim(Probe::Var(result), Expectation::OneOf(values)),
                (None, _) => Vec::new(),
            },
            Demand::Observed(method, value) => match subject {
                Some(receiver) => {
                    let probe = Probe::Observer { receiver, method, arguments: Vec::new() };
                    claim(probe, Expectation::Equals(value))
                }
                None => Vec::new(),
            },
            Demand::State(mut states) => match (subject, states.len()) {
                (Some(of), 1) => {
                    let state = text(states.pop().unwrap_or_default());
                    claim(Probe::State { of, fields }, Expectation::Equals(state))
                }
                (Some(of), _) => {
                    let states = states.into_iter().map(text).collect();
                    claim(Probe::State { of, fields }, Expectation::OneOf(states))
                }
                (None, _) => Vec::new(),
            },
            Demand::NotState(state) => match subject {
                Some(of) => claim(Probe::State { of, fields }, Expectation::Differs(text(state))),
                None => Vec::new(),
            },
            Demand::Predicate => self.predicate_holds(builder, subject),
        };
        (Outcome::Returned, assertions)
    }

    /// `assertTrue(tree.repOk())`
    fn predicate_holds(&self, builder: &mut Builder, subject: Option<VarId>) -> Vec<Assertion> {
        let (Some(name), Some(this), Some(receiver)) =
            (self.predicate, subject, self.specification.plan.receiver.as_deref())
        else {
            return Vec::new();
        };
        let own = self.sources.upwards(receiver).into_iter().find_map(|file| {
            let plain =
                file.method(name, "()Z").map(|it| (it.access, self.sources.reference(&file.name, it)));
            let one = format!("(L{receiver};)Z");
            plain.or_else(|| {
                file.method(name, &one).map(|it| (it.access, self.sources.reference(&file.name, it)))
            })
        });
        let Some((access, method)) = own else { return Vec::new() };
        let truth = Expectation::Equals(Literal::Boolean(true));
        let is_open = !access.is_private() && self.sources.is_nameable(&method.class);
        if is_open && !access.is_static() {
            let probe = Probe::Observer { receiver: this, method, arguments: Vec::new() };
            return vec![Assertion { probe, expectation: truth }];
        }
        // Private and static predicates are called in a step of their own; observers must be public instance
        // methods.
        let holds = builder.variable(JavaType::Boolean);
        let action = match access.is_static() {
            true => Action::InvokeStatic { method, args: vec![Operand::Var(this)] },
            false => Action::Invoke { method, receiver: Operand::Var(this), args: Vec::new() },
        };
        builder.step(action, Some(holds));
        vec![Assertion { probe: Probe::Var(holds), expectation: truth }]
    }
}
