//! `left == right`, `left < right` and the like: two values compare in one way.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Comparison, Formula};
use crate::assignment::Assignment;
use crate::claims::{is_congruent, is_weaker, read_from};
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::typing::{is_elements, type_of};
use crate::value::Value;

/// Two values compare in one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The left side.
    pub left: Term,
    /// The comparison.
    pub comparison: Comparison,
    /// The right side.
    pub right: Term,
}

impl FormulaKind for Compare {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        self.comparison.holds(&self.left.value(execution, phase), &self.right.value(execution, phase))
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.left, &self.right]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        Formula::compare(term(&self.left), self.comparison, term(&self.right))
    }

    fn negation(&self) -> Formula {
        if let (Comparison::Equal, Term::Constant(Value::Bool(truth))) = (self.comparison, &self.right) {
            return Formula::equal(self.left.clone(), Term::Constant(Value::Bool(!truth)));
        }
        Formula::compare(self.left.clone(), self.comparison.opposite(), self.right.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let (left, right) = (state.value(&self.left), state.value(&self.right));
        Ok(state.compare(&left, self.comparison, &right))
    }

    fn text(&self) -> String {
        format!("{} {} {}", self.left, self.comparison.sign(), self.right)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(writer.compare(&self.left, self.comparison, &self.right))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        let is_object = |it: &Term| {
            let ty = type_of(writer.subject, writer.method, it);
            !is_elements(it) && ty.is_reference() && !ty.is_string()
        };
        let asks_identity =
            self.left.is_past() != self.right.is_past() && is_object(&self.left) && is_object(&self.right);
        if asks_identity { None } else { writer.guarded(self) }
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        writer.compare(&self.left, self.comparison, &self.right)
    }

    fn is_arithmetic(&self) -> bool {
        true
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        let (left, right) = (assignment.number(&self.left)?, assignment.number(&self.right)?);
        Some(self.comparison.admits(left.cmp(&right)))
    }

    fn tie(&self) -> Tie {
        if self.comparison == Comparison::Equal { Tie::Equality } else { Tie::Loose }
    }

    fn is_restated(&self, known: &[&Formula]) -> bool {
        let (a, b) = (&self.left, &self.right);
        match (self.comparison, b) {
            (Comparison::Different, Term::Constant(Value::Null)) => is_known_object(a, known),
            (Comparison::Equal, Term::Old(old)) if **old == *a => is_kept_whole(a, known),
            (Comparison::Equal, _) => self.is_restated_equality(known) || self.follows_from_elements(known),
            _ => self.follows_from_elements(known),
        }
    }

    fn container_of(&self, part: &Term, in_order: bool) -> Option<&Term> {
        if self.comparison != Comparison::Equal {
            return None;
        }
        let (a, b) = (&self.left, &self.right);
        match b {
            Term::Append(all, _) if **all == *part => return Some(a),
            Term::Prepend(_, all) if **all == *part && !in_order => return Some(a),
            Term::Reverse(all) if !in_order => {
                return if a == part { Some(all) } else { (**all == *part).then_some(a) };
            }
            _ => {}
        }
        if a == part { Some(b) } else { (b == part).then_some(a) }
    }

    fn bound(&self) -> Option<(&Term, &Value)> {
        match (self.comparison, &self.right) {
            (Comparison::AtMost | Comparison::AtLeast, Term::Constant(bound)) => Some((&self.left, bound)),
            _ => None,
        }
    }

    fn is_trivial(&self) -> bool {
        self.left == self.right
            && matches!(self.comparison, Comparison::Equal | Comparison::AtLeast | Comparison::AtMost)
    }

    fn is_incidental(&self) -> bool {
        // The fact that a slice is the whole array, or that two indices meet, is stated by formulas about numbers.
        self.comparison == Comparison::Equal && self.left.has_same_base(&self.right)
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![("left", self.left.json()), ("comparison", self.comparison.json()), ("right", self.right.json())]
    }
}

impl RecordedKind for Compare {
    const NAME: &'static str = "compare";

    fn read(fields: &Fields<'_>) -> Result<Compare, String> {
        let (left, right) = (fields.term("left")?, fields.term("right")?);
        Ok(Compare { left, comparison: fields.comparison("comparison")?, right })
    }
}

impl Compare {
    /// Whether an equality follows from equalities of the parts of its sides.
    fn is_restated_equality(&self, known: &[&Formula]) -> bool {
        let (a, b) = (&self.left, &self.right);
        let equal = |a: &Term, b: &Term| {
            let is = |a: &Term, b: &Term| known.iter().any(|it| it.as_equality() == Some((a, b)));
            is(a, b) || is(b, a)
        };
        if is_congruent(a, b, &equal) || self.follows_from_elements(known) {
            return true;
        }
        // Keeps one of the two ways to state that there is one more element.
        if let Term::Append(part, _) | Term::Prepend(_, part) = b
            && known.iter().filter_map(|it| it.as_equality()).any(|(x, longer)| {
                x == a && matches!(longer, Term::Append(own, _) | Term::Prepend(_, own) if own == part)
            })
        {
            return true;
        }
        // Equal objects have equal elements, lengths and fields.
        let (Some(inner_a), Some(inner_b)) = (read_from(a), read_from(b)) else { return false };
        (a.size() > 2 || b.size() > 2)
            // An object that is identical before and after may have changed its content.
            && a.is_past() == b.is_past()
            && a.size() - inner_a.size() == b.size() - inner_b.size()
            && equal(&inner_a, &inner_b)
    }

    /// Whether a side is an element of a sequence each of whose elements is known to compare this way.
    fn follows_from_elements(&self, known: &[&Formula]) -> bool {
        let is_one = |element: &Term, comparison: Comparison, value: &Term| {
            let Term::At(seq, index, offset) = element else { return false };
            known.iter().any(|it| {
                let Formula::ElementComparison(each) = it else { return false };
                let is_in = each.elements == **seq
                    || *offset == -1 && each.elements == Term::First(seq.clone(), index.clone());
                is_in
                    && (each.value == *value && each.comparison == comparison
                        || is_weaker(comparison, value, each.comparison, &each.value))
            })
        };
        is_one(&self.left, self.comparison, &self.right)
            || is_one(&self.right, self.comparison.flipped(), &self.left)
    }
}

/// Whether a term is known not to be `null`: it is a constant, or its class or its values are known.
fn is_known_object(term: &Term, known: &[&Formula]) -> bool {
    known.iter().any(|it| {
        let is_constant = match it.as_equality() {
            Some((x, Term::Constant(value))) => x == term && *value != Value::Null,
            _ => false,
        };
        let has_class = matches!(it, Formula::Class(class) if class.object == *term);
        let is_listed =
            matches!(it, Formula::OneOf(one) if one.term == *term && !one.values.contains(&Value::Null));
        is_constant || has_class || is_listed
    })
}

/// Whether a term is unchanged because all its parts are.
fn is_kept_whole(term: &Term, known: &[&Formula]) -> bool {
    let is_unchanged = |it: &Term| {
        known.iter().any(|known| {
            known.as_unchanged() == Some(it)
                || matches!(known.as_equality(), Some((x, Term::Constant(_))) if x == it)
        })
    };
    match term {
        Term::First(seq, index) | Term::At(seq, index, _) => {
            let index = match &**index {
                Term::Linear(terms, _) if terms.len() == 1 => &terms[0].1,
                other => other,
            };
            is_unchanged(seq) && is_unchanged(index)
        }
        // An identical array has the same length.
        Term::Length(of) => is_unchanged(of) && matches!(**of, Term::Field(..)),
        _ => false,
    }
}
