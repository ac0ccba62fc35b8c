//! Collects assertions while the end of a run is observed.

use crate::influence::Influence;
use cupping_case::{Assertion, Case, Effects, Expectation, JavaType, Member, Operand, Probe, VarId};
use cupping_machine::{Addr, Machine, Value};

/// How assertions are treated in a run that read the clock, randomness or an identity hash code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Volatility<'a> {
    /// The run makes no assertions, except that files exist.
    Dropped,
    /// All are made. The caller checks them in varied runs.
    Compared,
    /// All are made whose probe is one of these, to be compared with them. Other observers need not run.
    Confirmed([&'a [Assertion]; 2]),
}

/// The observation of the end of one run.
pub(super) struct Observer<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) influence: &'a mut Influence,
    pub(super) package: &'a str,
    pub(super) volatility: Volatility<'a>,
    /// Whether the run or an observer read a value that differs from run to run.
    pub(super) is_volatile: bool,
    pub(super) assertions: Vec<Assertion>,
    /// See [`super::Observation::unchanged`].
    pub(super) unchanged: Vec<Assertion>,
    /// See [`super::Observation::unchanged_hits`].
    pub(super) unchanged_hits: Vec<(Probe, Vec<u64>)>,
    pub(super) hits: Vec<u64>,
    /// Effects of the case's run and of the asserted observers.
    pub(super) effects: Effects,
    /// The shutdown hooks of the case's run, whose effects are among those of the run.
    pub(super) hooks: Vec<Addr>,
    /// Arguments of the test's calls, the last call first; observers may take them.
    pub(super) passed: Vec<PassedArgument>,
    /// The objects that the test has in variables.
    pub(super) known: Vec<(VarId, Addr)>,
}

/// What a test passes to a call.
pub(super) struct PassedArgument {
    /// The type of the parameter.
    pub(super) ty: JavaType,
    /// As the test writes it.
    pub(super) operand: Operand,
    /// The object, of a variable.
    pub(super) value: Option<Value>,
}

/// The variable that holds an object.
pub(super) fn known_var(known: &[(VarId, Addr)], object: Addr) -> Option<VarId> {
    known.iter().find(|(_, other)| *other == object).map(|(var, _)| *var)
}

impl<'a> Observer<'a> {
    /// An observer of the end of a run, at which the machine is. It knows nothing of the test's variables yet.
    pub(super) fn of(
        machine: &'a mut Machine,
        influence: &'a mut Influence,
        case: &Case,
        package: &'a str,
        volatility: Volatility<'a>,
    ) -> Observer<'a> {
        let is_volatile = machine.registers().volatile_reads > 0;
        let hooks = machine.hooks();
        Observer {
            machine,
            influence,
            package,
            volatility,
            is_volatile,
            assertions: Vec::new(),
            unchanged: Vec::new(),
            unchanged_hits: Vec::new(),
            hits: Vec::new(),
            effects: case.effects.clone(),
            hooks,
            passed: Vec::new(),
            known: Vec::new(),
        }
    }
}

impl Observer<'_> {
    /// Whether values may be asserted that were read since the count of volatile reads was `reads`; also
    /// records such reads.
    pub(super) fn is_stable(&mut self, reads: u32) -> bool {
        let has_read = self.machine.registers().volatile_reads > reads;
        self.is_volatile |= has_read;
        !has_read || self.volatility != Volatility::Dropped
    }

    /// Whether nobody needs an observer's result.
    pub(super) fn is_idle(&self, probe: &Probe) -> bool {
        match self.volatility {
            Volatility::Confirmed(asserted) => {
                asserted.iter().flat_map(|it| it.iter()).all(|it| it.probe != *probe)
            }
            Volatility::Dropped | Volatility::Compared => false,
        }
    }

    /// Whether somebody may need the result of an observer of this name, by itself or in a chain.
    pub(super) fn may_be_asserted(&self, name: &str) -> bool {
        let Volatility::Confirmed(asserted) = self.volatility else { return true };
        let is_it = |it: &Member| matches!(it, Member::Method { method, .. } if &*method.name == name);
        asserted.iter().flat_map(|it| it.iter()).any(|it| match &it.probe {
            Probe::Observer { method, .. } => &*method.name == name,
            Probe::Chain { members, .. } => members.iter().any(is_it),
            _ => false,
        })
    }

    /// Whether observers have had effects since there were these. If assertions are to be confirmed, that has been
    /// asked: on another computer, all runs have more, since its language and zone are not those of the start.
    pub(super) fn has_more_effects(&self, than: &Effects) -> bool {
        !self.is_confirming() && self.effects != *than
    }

    /// Whether the run is another one than that of which assertions were made first.
    pub(super) fn is_confirming(&self) -> bool {
        matches!(self.volatility, Volatility::Confirmed(_))
    }

    pub(super) fn say(&mut self, probe: Probe, expectation: Expectation) {
        self.assertions.push(Assertion { probe, expectation });
    }
}
