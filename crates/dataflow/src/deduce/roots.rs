//! The roots of a pair's tree: the paths that execute the use, with their conditions up to it (PCU).

use super::sequence::CallableKind;
use crate::accesses::Accesses;
use crate::pairs::Pair;
use crate::symbolic::MethodSummary;
use rustc_hash::FxHashSet;

/// A root: the call that executes the use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The called method.
    pub summary: usize,
    /// A path that executes the use.
    pub path: usize,
    /// Number of conjuncts of the path's condition up to the use.
    pub conditions: usize,
    /// Whether the same call executes the definition before the use without another in between (the paper's
    /// first two cases of one method being both).
    pub has_definition: bool,
}

/// The roots of a pair; those that include the definition come first.
pub fn roots(
    accesses: &Accesses,
    summaries: &[MethodSummary],
    kinds: &[CallableKind],
    pair: &Pair,
) -> Vec<Root> {
    let mut found: Vec<Root> = Vec::new();
    let mut known = FxHashSet::default();
    for (summary, of) in summaries.iter().enumerate() {
        for (path, p) in of.paths.iter().enumerate() {
            for (nth, event) in p.events.iter().enumerate() {
                if !event.accesses.contains(&pair.usage) {
                    continue;
                }
                // Find the last definition of the variable before the use.
                let (mut is_own, mut is_clear) = (false, true);
                // In a repeated part the definition may precede the use.
                let own = !event.is_certain && event.accesses.contains(&pair.definition);
                is_own |= own;
                for before in p.events[..nth].iter().rev() {
                    let of_variable = |id: &&usize| {
                        let access = &accesses.all[**id];
                        access.variable == pair.variable && access.is_definition
                    };
                    is_own |= before.accesses.contains(&pair.definition);
                    if before.is_certain && before.accesses.iter().find(of_variable).is_some() {
                        is_clear = false;
                        break;
                    }
                }
                let mut add = |has_definition| {
                    let root = Root { summary, path, conditions: event.conditions, has_definition };
                    let condition = p.condition.get(..event.conditions).unwrap_or(&p.condition);
                    if known.insert((summary, has_definition, condition)) {
                        found.push(root);
                    }
                };
                if is_own {
                    add(true);
                }
                // Nothing precedes a constructor, unless the variable is static.
                if is_clear && (kinds[summary] != CallableKind::Constructor || pair.is_static) {
                    add(false);
                }
            }
        }
    }
    found.sort_by_key(|root| {
        let path = &summaries[root.summary].paths[root.path];
        (!root.has_definition, !path.is_exact, root.conditions)
    });
    found
}
