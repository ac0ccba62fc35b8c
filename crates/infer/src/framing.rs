//! Elements outside of the frame of a call: the frame implies that they are unchanged.

use crate::claims::inward;
use crate::entailment::Premises;
use crate::formula::{Comparison, Formula, Frame};
use crate::term::Term;

/// Whether equality of elements follows from a known frame, because they lie before the index that was written.
pub fn is_framed(formula: &Formula, known: &[&Formula], premises: &Premises<'_>) -> bool {
    let is_equality = formula.as_equality().is_some();
    let (a, b) = if let Some((a, b)) = formula.as_equality() {
        (inward(a), inward(b))
    } else if let Formula::Prefix(prefix) = formula {
        (inward(&prefix.prefix), inward(&prefix.whole))
    } else {
        return false;
    };
    known.iter().any(|it| {
        let Formula::Frame(Frame { after, before, index }) = it else { return false };
        let before = inward(before);
        if let (Term::At(x, i, m), Term::At(y, j, n)) = (&a, &b) {
            let is_both = **x == *after && **y == before || **x == before && **y == *after;
            let place = Term::Linear(vec![(1, (**i).clone())], *m);
            let apart = Formula::compare(place, Comparison::Different, index.clone());
            return is_both && i == j && m == n && premises.entail(&apart, &|_| false);
        }
        let counts = match (&a, &b) {
            (Term::First(x, m), Term::First(y, n))
                if **x == *after && **y == before || **x == before && **y == *after =>
            {
                vec![m, n]
            }
            (Term::First(x, m), y) if **x == *after && *y == before || **x == before && *y == *after => {
                vec![m]
            }
            _ => return false,
        };
        let plain = |a: &Term, comparison, b: &Term| Formula::compare(a.clone(), comparison, b.clone());
        let is_short = |count: &Term| premises.entail(&plain(count, Comparison::AtMost, index), &|_| false);
        let is_fit = match (is_equality, &counts[..]) {
            (true, [m, n]) => premises.entail(&plain(m, Comparison::Equal, n), &|_| false),
            (true, _) => false,
            (false, [m, n]) => premises.entail(&plain(m, Comparison::AtMost, n), &|_| false),
            (false, _) => true,
        };
        is_fit && counts.first().is_some_and(|it| is_short(it))
    })
}
