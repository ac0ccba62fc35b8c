//! Deduction over calls on several objects. A static variable is shared by all objects of the class, so its definition
//! may be by a call on one object, and its use by a call on another. Here each call is on any object in any state: less
//! is known of it, so that a contradiction holds for any number of objects.

use super::compose::Composer;
use super::memory::Memory;
use super::sequence::CallableKind;
use crate::flattened_class::FlatClass;
use crate::symbolic::{END_OF_UNKNOWN, MethodSummary, Path, StateVariables};
use cupping_term::{Substitution, Terms, VarIndex};
use rustc_hash::FxHashSet;

/// The paths of methods without what they know and change of their object, with caches of their own.
pub struct SeveralObjects {
    /// The summaries.
    pub summaries: Vec<MethodSummary>,
    /// Their instantiated paths.
    pub composer: Composer,
    /// Their queries.
    pub memory: Memory,
}

impl SeveralObjects {
    /// Makes them from the summaries of calls on one object; `None` if no method is called on an object.
    pub fn of(
        terms: &mut Terms,
        flat: &FlatClass,
        variables: &StateVariables,
        summaries: &[MethodSummary],
        kinds: &[CallableKind],
    ) -> Option<SeveralObjects> {
        if !kinds.contains(&CallableKind::OnObject) {
            return None;
        }
        let mut own: FxHashSet<VarIndex> = FxHashSet::default();
        for (nth, _) in flat.variables.iter().enumerate().filter(|(_, variable)| !variable.is_static) {
            own.insert(variables.values[nth]);
            own.extend(variables.lengths[nth]);
        }
        let summaries = summaries.iter().map(|summary| MethodSummary {
            paths: summary.paths.iter().map(|path| without_object(terms, &own, path)).collect(),
            ..summary.clone()
        });
        let summaries = summaries.collect();
        Some(SeveralObjects { summaries, composer: Composer::default(), memory: Memory::default() })
    }
}

/// A path on which the variables of the object are unknown values.
fn without_object(terms: &mut Terms, own: &FxHashSet<VarIndex>, path: &Path) -> Path {
    let after: Vec<_> = path.after.iter().filter(|(variable, _)| !own.contains(variable)).copied().collect();
    let all = path.condition.iter().chain(after.iter().map(|(_, value)| value));
    let mut read: Vec<VarIndex> = all.flat_map(|term| terms.variables(*term).to_vec()).collect();
    read.retain(|variable| own.contains(variable));
    read.sort_unstable();
    read.dedup();
    let mut substitution = Substitution::default();
    for variable in read {
        let (name, sort) = (terms.variable(variable).name.clone(), terms.variable(variable).sort);
        let unknown = terms.new_variable(format!("{name}{END_OF_UNKNOWN}"), sort);
        substitution.set(terms, variable, unknown);
    }
    Path {
        condition: path.condition.iter().map(|term| substitution.apply(terms, *term)).collect(),
        after: after
            .into_iter()
            .map(|(variable, value)| (variable, substitution.apply(terms, value)))
            .collect(),
        is_exact: false,
        ..path.clone()
    }
}
