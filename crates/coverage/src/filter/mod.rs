//! Filters exclude compiler-generated code from coverage. Each file has one filter, for a shape of code that
//! JaCoCo 0.8.6 recognises; those for Kotlin, Scala, Groovy and the Eclipse compiler are not here.

mod cursor;
mod filter_result;
mod finally;
mod generated;
mod resources;
mod string_switch;
mod synchronized;

use crate::body::CoveredBody;
pub(crate) use filter_result::FilterResult;

impl FilterResult {
    /// Applies all filters to a method.
    pub(super) fn of(body: &CoveredBody<'_>) -> FilterResult {
        let mut filtered = FilterResult::none(body.nodes.len());
        if generated::is_generated(body) {
            filtered.ignore(0, body.nodes.len());
            return filtered;
        }
        for filter in [synchronized::filter, resources::filter, finally::filter, string_switch::filter] {
            filter(body, &mut filtered);
        }
        filtered
    }
}
