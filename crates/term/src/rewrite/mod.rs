//! Rewriting while building. Each function looks at one operation and its already rewritten arguments and
//! gives the rule that applies with its result, or `None` where the term stays as it is.
//!
//! A rule builds only a bounded number of new terms and never walks down a chain of unbounded length.

use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

/// What a rule made of a term.
pub(crate) type Rewritten = Option<(Rule, TermId)>;

pub(crate) fn rewrite(_terms: &mut Terms, _op: Op, _sort: Sort, _args: [TermId; 3]) -> Rewritten {
    None
}
