//! Each element compares in one way with a number.
//!
//! Chance: 2⁻ᵉ for *e* distinct pairs of element and number.

use super::template::{Parts, Proposal, Template, all_by_chance, all_sequences, is_part};
use crate::formula::{self, Comparison};
use crate::sort::Sort;
use crate::table::Table;
use crate::term::Term;
use crate::value::Value;
use rustc_hash::FxHashSet;

/// The template.
pub struct ElementComparison;

impl Template for ElementComparison {
    fn name(&self) -> &'static str {
        "each element"
    }

    fn about(&self) -> &'static str {
        "each element <, <=, >, >=, == x, or is a constant or in a range from -1, 0 or 1; 2^-e"
    }

    fn parts(&self) -> Parts {
        Parts::All
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let comparisons = [
            Comparison::Equal,
            Comparison::Less,
            Comparison::Greater,
            Comparison::AtMost,
            Comparison::AtLeast,
        ];
        for seq in all_sequences(table) {
            let Sort::Elements(element) = &seq.sort else { continue };
            let number = **element == Sort::Number;
            let columns = table.columns.iter().filter(|it| {
                number
                    && it.sort == Sort::Number
                    && !is_part(&it.term, &seq.term)
                    && !(it.is_old() && seq.is_old())
                    && !it.term.has_same_base(&seq.term)
            });
            // Constant elements need no further formula.
            let mut all = seq.values.iter().filter_map(|it| it.elements()).flatten();
            let one = all.next();
            let is_uniform = all.all(|it| Some(it) == one);
            let columns = columns.filter(|_| !is_uniform);
            let mut others: Vec<(Term, Vec<Value>)> =
                columns.map(|it| (it.term.clone(), it.values.clone())).collect();
            let first = seq.values.iter().filter_map(|it| it.elements()).flatten().next();
            let constants = match (number, first) {
                (true, Some(first)) => vec![first.clone(), Value::Int(-1), Value::Int(0), Value::Int(1)],
                (false, Some(first @ (Value::Null | Value::Bool(_)))) => vec![first.clone()],
                _ => Vec::new(),
            };
            for constant in constants {
                others.push((Term::Constant(constant.clone()), vec![constant; seq.values.len()]));
            }
            for (term, values) in others {
                let mut pairs = FxHashSet::default();
                let holds = |comparison: Comparison, pairs: &mut FxHashSet<String>| {
                    seq.values.iter().zip(&values).all(|(all, with)| {
                        all.elements().unwrap_or_default().iter().all(|element| {
                            pairs.insert(format!("{element:?} {with:?}"));
                            comparison.holds(element, with) != Some(false)
                        })
                    })
                };
                let is_constant = matches!(term, Term::Constant(_));
                let is_foreign = match &term {
                    Term::Constant(_) | Term::Parameter(..) | Term::Result => false,
                    Term::Field(..) => seq.is_old(),
                    other => {
                        let own = size_of(other).is_some_and(|it| Some(it) == container(&seq.term));
                        !own || other.any(&mut |it| matches!(it, Term::Old(_))) != seq.is_old()
                    }
                };
                for comparison in comparisons {
                    let is_ordered = comparison != Comparison::Equal;
                    // Elements may be indices of their own array. Their order relative to other sizes, other
                    // elements or another state is an accident. The ends of a type occur because they are tried.
                    let is_end = matches!(&term, Term::Constant(it) if it.number().is_some_and(|it| it.abs() >= 1 << 30));
                    if is_ordered && (!number || is_foreign || is_end)
                        || is_constant && matches!(comparison, Comparison::Less | Comparison::Greater)
                    {
                        continue;
                    }
                    pairs.clear();
                    if holds(comparison, &mut pairs) && !pairs.is_empty() {
                        let seen: usize =
                            seq.values.iter().filter_map(|it| it.elements()).map(<[Value]>::len).sum();
                        let n = if is_constant && !is_ordered { seen } else { pairs.len() };
                        let formula = formula::ElementComparison {
                            elements: seq.term.clone(),
                            comparison,
                            value: term.clone(),
                        }
                        .into();
                        out.push(Proposal { formula, chance: all_by_chance(0.5, n) });
                        break;
                    }
                }
            }
        }
    }
}

/// The term whose size a term is.
fn size_of(term: &Term) -> Option<&Term> {
    match term {
        Term::Length(of) => Some(now(of)),
        Term::Old(of) => size_of(of),
        Term::Linear(terms, _) => terms.iter().find_map(|it| size_of(&it.1)),
        _ => None,
    }
}

/// The term whose elements a sequence has.
fn container(seq: &Term) -> Option<&Term> {
    match seq {
        Term::Elements(of) => Some(now(of)),
        Term::Old(of) | Term::First(of, _) | Term::Rest(of, _) => container(of),
        _ => None,
    }
}

fn now(term: &Term) -> &Term {
    if let Term::Old(of) = term { of } else { term }
}
