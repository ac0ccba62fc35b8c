//! Makes models readable: small numbers, printable characters, whole floats.

use cupping_term::{Model, Sort, TermId, VarIndex};

use crate::chain::{Context, Goal};

/// Replaces values by more readable ones while all assertions hold, within the budget of evaluations.
///
/// Values equal to the hint's stay, so that the inputs of a path remain recognisable.
pub(crate) fn shrink(cx: &mut Context<'_>, goal: &Goal, model: &mut Model) {
    let mut budget = cx.limits.shrink_evaluations as usize;
    let mut used: Vec<VarIndex> =
        goal.assertions.iter().flat_map(|&a| cx.terms.variables(a)).copied().collect();
    used.sort_unstable();
    used.dedup();
    for variable in used {
        let value = model.get(variable);
        if value == goal.hint.get(variable) {
            continue;
        }
        let touched: Vec<TermId> = goal
            .assertions
            .iter()
            .copied()
            .filter(|&a| cx.terms.variables(a).binary_search(&variable).is_ok())
            .collect();
        let sort = cx.terms.variable(variable).sort;
        for candidate in candidates(sort, value) {
            if candidate == value || budget < touched.len() {
                break;
            }
            budget -= touched.len();
            model.set(variable, candidate);
            if cx.evaluator.all_hold(cx.terms, model, &touched) {
                break;
            }
            model.set(variable, value);
        }
    }
}

/// Preferred replacements for `value`, best first.
fn candidates(sort: Sort, value: u64) -> Vec<u64> {
    match sort {
        Sort::Bool => vec![0],
        Sort::Bv16 => {
            // This may be a char: a letter or a digit reads better than a control character.
            if (0x20..0x7f).contains(&value) {
                return vec![];
            }
            let mut near = vec![0, u64::from(b'a'), u64::from(b'0'), u64::from(b' ')];
            near.extend([sort.wrap(1), sort.wrap(-1), sort.wrap(sort.signed(value) / 256)]);
            near
        }
        Sort::F32 => float_candidates(f64::from(f32::from_bits(value as u32)))
            .map(|f| u64::from((f as f32).to_bits()))
            .collect(),
        Sort::F64 => float_candidates(f64::from_bits(value)).map(f64::to_bits).collect(),
        _ => {
            let n = sort.signed(value);
            let mut near: Vec<i64> = vec![0, 1, -1, 2, 3, 10, -2, 100];
            // Towards zero by halving, then the next smaller power of two and its neighbours.
            near.extend((1..sort.bits()).rev().map(|shift| n >> shift));
            near.extend((1..8).map(|back| n.saturating_sub(back * n.signum())));
            near.retain(|candidate| {
                candidate.unsigned_abs() < n.unsigned_abs() || n.checked_neg() == Some(*candidate)
            });
            near.into_iter().filter(|c| *c != n).map(|c| sort.wrap(c)).collect()
        }
    }
}

fn float_candidates(value: f64) -> impl Iterator<Item = f64> {
    let plain = [0.0, 1.0, -1.0, 2.0, 10.0, -10.0, 0.5, 100.0];
    let rounded = [
        value.trunc(),
        value.ceil(),
        value.floor(),
        (value * 10.0).round() / 10.0,
        (value * 100.0).round() / 100.0,
    ];
    let simple = plain.contains(&value) && !(value == 0.0 && value.is_sign_negative());
    plain.into_iter().chain(rounded).take(if simple { 0 } else { 13 })
}
