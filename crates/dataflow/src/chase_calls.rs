//! The calls with which a chase extends sequences: where each can be made, and what it may access.

use crate::analysis::Analysis;
use crate::deduce::CallableKind;
use crate::exercised_pairs::CodeOffset;
use crate::run::AnalysisRun;
use cupping_generate::{Invokable, SequenceState};
use cupping_machine::ClassId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The position of a call in a sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPosition {
    /// Before there is an object.
    First,
    /// On an object of this class: the class, a builder, or the type of a view.
    On(ClassId),
    /// Anywhere.
    Any,
}

/// A call that can extend a sequence.
pub(crate) struct ChaseCall {
    pub invokable: Rc<Invokable>,
    pub position: CallPosition,
    /// Whether it may make a second object of this class, because objects share static variables.
    again: Option<ClassId>,
    /// The accesses that it may execute, as far as calls within the class show; `None` if nothing is known.
    accesses: Option<Vec<usize>>,
}

impl ChaseCall {
    /// Whether it can be made on a state.
    pub fn is_possible(&self, state: &SequenceState) -> bool {
        let object = state.object_class();
        match self.position {
            CallPosition::First => object.is_none() || object == self.again && state.others() == 0,
            CallPosition::On(class) => object == Some(class),
            CallPosition::Any => true,
        }
    }
}

impl AnalysisRun<'_, '_> {
    /// The calls that can extend a sequence, those of builders last.
    pub(crate) fn possible_calls(&mut self) -> Vec<ChaseCall> {
        let analysis = &*self.analysis;
        let class = analysis.flat.class;
        let again = analysis.shares_state().then_some(class);
        let own = analysis.invokables.iter().zip(&analysis.kinds).map(|(invokable, kind)| {
            let position = match kind {
                CallableKind::Constructor => CallPosition::First,
                CallableKind::OnObject => CallPosition::On(class),
                CallableKind::Static => CallPosition::Any,
            };
            let method = analysis.flat.method(invokable.method);
            let accesses = method.map(|method| accesses_from(analysis, method));
            ChaseCall { invokable: invokable.clone(), position, again, accesses }
        });
        let mut calls: Vec<ChaseCall> = own.collect();
        let mut add = |invokable: &Rc<Invokable>, position| {
            calls.push(ChaseCall { invokable: invokable.clone(), position, again: None, accesses: None });
        };
        for builder in self.bench.builders().iter() {
            builder.makers.iter().for_each(|it| add(it, CallPosition::First));
            builder.steps.iter().for_each(|it| add(it, CallPosition::On(builder.class)));
        }
        for view in self.bench.views().iter() {
            view.steps.iter().for_each(|it| add(it, CallPosition::On(view.class)));
        }
        calls
    }

    /// Which calls may bring an open pair nearer: they may define a variable whose definition is not live, or use one
    /// whose definition is, for a pair that is searched for. Those about which nothing is known may, too. This decides
    /// the order only.
    pub(crate) fn hopeful(&self, alive: &[CodeOffset], calls: &[ChaseCall]) -> Rc<[bool]> {
        let analysis = &*self.analysis;
        let live: FxHashSet<usize> =
            alive.iter().flat_map(|place| analysis.exercised.defined_at(place)).copied().collect();
        let mut wanted = FxHashSet::default();
        for (number, pair) in analysis.pairs.iter().enumerate() {
            if self.is_open(number) || self.needs_exception(number) {
                wanted.insert(if live.contains(&number) { pair.usage } else { pair.definition });
            }
        }
        let is_hopeful = |call: &ChaseCall| {
            let accesses = call.accesses.as_ref();
            call.position == CallPosition::First
                || accesses.is_none_or(|all| all.iter().any(|access| wanted.contains(access)))
        };
        calls.iter().map(is_hopeful).collect()
    }
}

/// The accesses in a method and those that it calls.
fn accesses_from(analysis: &Analysis, method: usize) -> Vec<usize> {
    let mut open = vec![method];
    let mut methods: FxHashSet<usize> = open.iter().copied().collect();
    while let Some(method) = open.pop() {
        let callees = analysis.graph.calls[method].iter().flatten().map(|call| call.callee);
        open.extend(callees.filter(|callee| methods.insert(*callee)));
    }
    let all = analysis.accesses.all.iter().enumerate();
    all.filter(|(_, access)| methods.contains(&access.method)).map(|(number, _)| number).collect()
}
