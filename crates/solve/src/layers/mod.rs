//! The layers, one per file, and their order in the chain.

mod cache;
mod differences;
mod distance;
mod floats;
mod inverse;
mod orderings;
mod sat;
mod search;
mod simplify;
mod slice;
mod z3;

pub use cache::Cache;
pub use orderings::Order;
pub use sat::Sat;
pub use search::Search;
pub use simplify::Simplify;
pub use slice::Slice;
pub use z3::Z3;

use crate::chain::Layer;

/// The whole chain, cheapest first.
#[must_use]
pub fn all() -> Vec<Box<dyn Layer>> {
    vec![
        Box::new(Simplify),
        Box::new(Slice),
        Box::new(Cache::default()),
        Box::new(Order),
        Box::new(Search),
        Box::new(Sat),
        Box::new(Z3::default()),
    ]
}
