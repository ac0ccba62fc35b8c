//! Finds the branches of a method when it is first called.

use super::index::Index;
use super::limits::MOST_BRANCHES;
use super::method_knowledge::{MethodKnowledge, MethodTriples, general};
use super::state::WatcherState;
use crate::binding::Binding;
use crate::branch::Branch;
use cupping_machine::{Kind, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

impl WatcherState {
    /// Facts about a method.
    pub(super) fn known(&mut self, machine: &mut Machine, method: MethodId) -> &MethodKnowledge {
        let at = method.0 as usize;
        if self.known.len() <= at {
            self.known.resize_with(at + 1, || None);
        }
        if self.known[at].is_none() {
            let known = self.learn(machine, method);
            match &known {
                MethodKnowledge::Ignored => machine.set_watched(method, false),
                // A trace may meet its object in any method.
                MethodKnowledge::Tested(it)
                    if !it.is_waited_for && !self.looks && !self.is_replaced(machine, method) =>
                {
                    machine.report_rarely(method)
                }
                _ => {}
            }
            self.known[at] = Some(known);
        }
        self.known[at].as_ref().unwrap_or(&MethodKnowledge::Ignored)
    }

    /// Finds the branches of a method.
    pub(super) fn learn(&self, machine: &mut Machine, method: MethodId) -> MethodKnowledge {
        let loaded = machine.method(method).clone();
        let mut branches = Vec::new();
        for at in 0..self.branches.len() {
            if branches.len() >= MOST_BRANCHES {
                break;
            }
            let target = &self.triple(at).target;
            if *target.name != *loaded.name || *target.descriptor != *loaded.descriptor {
                continue;
            }
            let Ok(class) = machine.load(&target.class) else { continue };
            let fits = match machine.find_method(class, &target.name, &target.descriptor) {
                Some(found) if found == method => true,
                _ => {
                    !loaded.is_static()
                        && &*loaded.name != "<init>"
                        && machine.is_subtype(loaded.class, class)
                }
            };
            if fits {
                branches.push(at);
            }
        }
        let class = machine.class(loaded.class);
        if branches.is_empty() {
            let is_made = loaded.access.is_synthetic() || class.file.is_none() || class.from_jdk;
            return if is_made { MethodKnowledge::Ignored } else { MethodKnowledge::Untested };
        }
        let mut ways: FxHashMap<(u32, u32), u128> = FxHashMap::default();
        let mut labels = BTreeSet::new();
        for (place, branch) in branches.iter().enumerate() {
            let of = &self.branches[*branch];
            for step in of.path.steps.iter().filter(|_| !of.is_pathless) {
                *ways.entry(*step).or_default() |= 1 << place;
                labels.insert(step.1);
            }
        }
        let covered = self.coverage.class(&class.name).and_then(|(_, covered)| {
            covered.methods.iter().find(|it| it.name == loaded.name && it.descriptor == loaded.descriptor)
        });
        // A JUnit test has values, but no precondition that says which values are allowed. A triple that always
        // holds says what a call does, not which calls are allowed.
        let says_when = |it: &Branch| it.origin.is_none() && !it.is_always;
        let says_when = branches.iter().any(|at| says_when(&self.branches[*at]));
        let exhaustive = says_when
            && covered.is_some_and(|it| {
                !it.probes.is_empty() && it.probes.iter().all(|probe| labels.contains(&probe.number))
            });
        let kinds = std::iter::once(Kind::Reference).filter(|_| !loaded.is_static());
        let kinds: Vec<Kind> = kinds.chain(loaded.parameters.iter().copied()).collect();
        let name = format!("{}.{}", class.name.replace('/', "."), loaded.name);
        let looks = branches
            .iter()
            .any(|at| self.branches[*at].bindings.iter().any(|it| matches!(it, Binding::Trace(..))));
        let is_waited_for = branches.iter().any(|at| {
            let key = (self.branches[*at].case, self.branches[*at].triple);
            self.nested.contains(&key) || !self.triple(*at).post_nested.is_empty()
        });
        let all: Vec<&Branch> = branches.iter().map(|at| &self.branches[*at]).collect();
        let index = Index::of(&all, &kinds);
        let has_predicates = all.iter().any(|it| it.property.is_some());
        let general = general(&all);
        let pathless = all.iter().enumerate().filter(|(_, it)| it.is_pathless);
        let pathless = pathless.fold(0, |set, (place, _)| set | 1 << place);
        MethodKnowledge::Tested(Rc::new(MethodTriples {
            branches,
            ways,
            exhaustive,
            kinds,
            name,
            index,
            looks,
            has_predicates,
            general,
            pathless,
            is_waited_for,
        }))
    }
}
