//! Projection: eliminates variables from a conjunction.
//!
//! Variables are eliminated one at a time if they equal a term, are bounded by terms (Fourier-Motzkin
//! elimination, exact over Java's integers), or only differ from terms. In all other cases projection fails,
//! and state subsumption (Symstra's, see `generate`) does without it.

use cupping_term::{Op, Sort, Substitution, Term, TermId, Terms, VarIndex};

/// Limit on the pairs of bounds that eliminating one variable may produce.
const MOST_PAIRS: usize = 64;

/// A conjunction over the kept variables that holds exactly where some values of the others satisfy
/// `constraints`; `None` if none is found.
pub fn project(
    terms: &mut Terms,
    constraints: &[TermId],
    keep: &dyn Fn(VarIndex) -> bool,
) -> Option<Vec<TermId>> {
    let mut open = constraints.to_vec();
    loop {
        let hidden = open.iter().flat_map(|c| terms.variables(*c)).copied().find(|v| !keep(*v));
        let Some(hidden) = hidden else { return Some(open) };
        let mentions = |terms: &Terms, term: TermId| terms.variables(term).contains(&hidden);
        let (about, mut others): (Vec<TermId>, Vec<TermId>) =
            open.into_iter().partition(|c| mentions(terms, *c));
        match definition(terms, hidden, &about) {
            Some((at, value)) => {
                let mut substitution = Substitution::default();
                if !substitution.set(terms, hidden, value) {
                    return None;
                }
                let rest = about.iter().enumerate().filter(|(other, _)| *other != at);
                others.extend(rest.map(|(_, c)| substitution.apply(terms, *c)));
            }
            None => others.extend(VariableBounds::of(terms, hidden, &about)?.eliminate(terms)?),
        }
        others.retain(|c| terms.as_constant(*c) != Some(1));
        open = others;
    }
}

/// The index of an equation that defines the variable, and its definition.
fn definition(terms: &Terms, hidden: VarIndex, about: &[TermId]) -> Option<(usize, TermId)> {
    let variable = terms.variable(hidden).term;
    about.iter().enumerate().find_map(|(at, constraint)| {
        let (a, b) = match *terms.get(*constraint) {
            Term::Apply { op: Op::Eq, args, .. } => (args[0], args[1]),
            _ => return None,
        };
        let other = if a == variable { b } else { a };
        let defines = (a == variable || b == variable) && !terms.variables(other).contains(&hidden);
        defines.then_some((at, other))
    })
}

/// A bound of a variable; the flag says that it is strict.
type Bound = (TermId, bool);

/// The constraints on a variable: terms below it, above it, and different from it.
struct VariableBounds {
    sort: Sort,
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    different: Vec<TermId>,
}

impl VariableBounds {
    fn of(terms: &Terms, hidden: VarIndex, about: &[TermId]) -> Option<VariableBounds> {
        let variable = terms.variable(hidden).term;
        let sort = terms.variable(hidden).sort;
        if !sort.is_bv() {
            return None;
        }
        let mut bounds = VariableBounds { sort, lower: Vec::new(), upper: Vec::new(), different: Vec::new() };
        for constraint in about {
            let (negated, inner) = match *terms.get(*constraint) {
                Term::Apply { op: Op::Not, args, .. } => (true, args[0]),
                _ => (false, *constraint),
            };
            let Term::Apply { op, args: [a, b, _], .. } = *terms.get(inner) else { return None };
            let other = if a == variable { b } else { a };
            if (a != variable && b != variable) || terms.variables(other).contains(&hidden) {
                return None;
            }
            // The negation of `x < t` is `t <= x`.
            let (is_left, strict) = match (op, negated) {
                (Op::Slt, false) => (a == variable, true),
                (Op::Sle, false) => (a == variable, false),
                (Op::Slt, true) => (b == variable, false),
                (Op::Sle, true) => (b == variable, true),
                (Op::Eq, true) => {
                    bounds.different.push(other);
                    continue;
                }
                _ => return None,
            };
            let side = if is_left { &mut bounds.upper } else { &mut bounds.lower };
            side.push((other, strict));
        }
        Some(bounds.sharpened())
    }

    /// `x <= t` and `x != t` give `x < t`.
    fn sharpened(mut self) -> VariableBounds {
        let VariableBounds { lower, upper, different, .. } = &mut self;
        different.retain(|t| {
            let mut met = false;
            for (bound, strict) in lower.iter_mut().chain(upper.iter_mut()) {
                met |= bound == t;
                *strict |= bound == t;
            }
            !met
        });
        self
    }

    fn eliminate(self, terms: &mut Terms) -> Option<Vec<TermId>> {
        let VariableBounds { sort, lower, upper, different } = self;
        let is_free = lower.is_empty() && upper.is_empty() && different.len() < 200;
        if !(different.is_empty() || is_free) {
            return None;
        }
        if lower.len() * upper.len() > MOST_PAIRS {
            return None;
        }
        let mut found = Vec::new();
        let least = 1u64 << (sort.bits() - 1);
        for (bounds, other_side, end) in [(&lower, &upper, least - 1), (&upper, &lower, least)] {
            if other_side.is_empty() {
                // Only a strict bound at the end of the range excludes all values.
                for (bound, _) in bounds.iter().filter(|(_, strict)| *strict) {
                    let end = terms.constant(sort, end);
                    let equal = terms.eq(*bound, end);
                    found.push(terms.not(equal));
                }
            }
        }
        for (low, low_strict) in &lower {
            for (high, high_strict) in &upper {
                if !low_strict && !high_strict {
                    found.push(terms.sle(*low, *high));
                    continue;
                }
                found.push(terms.slt(*low, *high));
                if *low_strict && *high_strict {
                    // The first comparison rules out overflow of the sum.
                    let one = terms.constant(sort, 1);
                    let next = terms.add(*low, one);
                    found.push(terms.slt(next, *high));
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests;
