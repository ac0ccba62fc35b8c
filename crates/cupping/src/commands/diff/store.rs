//! What the result of a class depends on, so that it can be kept.

use super::arguments::Arguments;
use super::plan::{SearchPlan, Unit};
use super::versions::Versions;
use crate::frame::store_context::StoreContext;
use cupping_jobs::Digest;
use cupping_report::files::Author;
use std::sync::Arc;

/// The context of the store, if results are kept. Both versions count, and for each class the changes that it is
/// searched for.
///
/// # Errors
///
/// As [`StoreContext::wanted_for`].
pub fn keeping(
    args: &Arguments,
    author: &Author,
    versions: &Versions,
    plan: &SearchPlan,
) -> Result<Option<StoreContext>, String> {
    let style = args.emission.style.header()?.unwrap_or_default();
    let options = format!("{} {}{style}", author.options, args.no_confirm);
    let programs = [Arc::clone(&versions.old), Arc::clone(&versions.new)];
    let inputs: Vec<_> = args.specification.iter().cloned().collect();
    let mut keeping = StoreContext::wanted_for(&args.store, "diff", &options, &inputs, &programs)?;
    if let Some(keeping) = &mut keeping {
        for (class, unit) in &plan.units {
            keeping.depends_on(class, Digest::of(shown(plan, unit).as_bytes()));
        }
    }
    Ok(keeping)
}

/// What a class is searched for, as text.
fn shown(plan: &SearchPlan, unit: &Unit) -> String {
    let mut lines = vec![format!("moves {}", plan.has_moves)];
    for at in &unit.changed {
        let method = &plan.changed[*at];
        lines.push(format!("{} {}{}", method.class, method.name, method.descriptor));
    }
    lines.extend(unit.methods.iter().cloned());
    lines.join("\n")
}
