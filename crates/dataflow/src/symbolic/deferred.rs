//! What may happen between two calls of a sequence on an object although no sequence can call it: lambdas, referenced
//! methods and methods of nested classes, whose holder may call them at any time, and what a call on another object of
//! the class does to this one. All of it together is one more call, after which the variables that it may define are
//! unknown.

use super::evaluator::Evaluator;
use super::path::{MethodSummary, PathEnd};
use std::collections::BTreeSet;

impl Evaluator<'_> {
    /// The summary of all deferred code; `None` if there is none that accesses a variable. `on_others` are methods that
    /// code of the class calls on other objects than its own. Methods that a sequence can call do no more here than
    /// there.
    pub fn summarize_deferred(&mut self, on_others: &BTreeSet<usize>) -> Option<MethodSummary> {
        let flat = self.flat;
        let deferred = flat.back.deferred.union(on_others).copied().filter(|method| !flat.is_entry[*method]);
        let nested = (0..flat.methods.len()).filter(|method| flat.is_nested(&flat.methods[*method]));
        let mut seen: BTreeSet<usize> = deferred.chain(nested).collect();
        let mut open: Vec<usize> = seen.iter().copied().collect();
        let all = self.accesses.all.iter().enumerate();
        let to_others = all.filter(|(_, access)| access.is_definition && !access.on_this);
        let mut found: BTreeSet<usize> = to_others.map(|(id, _)| id).collect();
        while let Some(next) = open.pop() {
            let body = flat.methods[next].clone();
            for at in 0..body.instructions.len() {
                found.extend(self.accesses.at(next, at));
                let callee = flat.callee(self.machine, &body, at).and_then(|callee| flat.method(callee));
                // Whoever catches what a method throws goes on from a state that no sequence reaches.
                let is_caught = body.guards(at).next().is_some();
                open.extend(callee.filter(|it| (is_caught || !flat.is_entry[*it]) && seen.insert(*it)));
            }
        }
        let method = self.accesses.all[*found.first()?].method;
        let definitions =
            found.iter().map(|id| &self.accesses.all[*id]).filter(|access| access.is_definition);
        let defined = definitions.map(|access| access.variable).collect();
        let mut state = self.start();
        self.forget(&mut state, &defined);
        state.may_access(&found.into_iter().collect::<Vec<_>>());
        state.is_exact = false;
        state.end = Some(PathEnd::Returned(None));
        let paths = vec![self.finish(state)];
        let (method, open) = (flat.methods[method].method, Vec::new());
        Some(MethodSummary { method, parameters: Vec::new(), paths, open, is_deferred: true })
    }
}
