//! The result of a rewrite.

use crate::arena::TermId;
use crate::rules::Rule;

/// The applied rule and its result.
pub(super) type RewriteResult = Option<(Rule, TermId)>;

pub(super) fn done(rule: Rule, result: TermId) -> RewriteResult {
    Some((rule, result))
}
