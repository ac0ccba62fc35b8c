//! Relational specifications: TestEra's notation and Alloy 6's, solved and evaluated.
//!
//! A [`Model`] has signatures, fields and facts, from a text ([`syntax`], [`Model::read`]) or declared one by one. A
//! [`Problem`] is a model within a [`Scope`]: an iterator over its instances, exactly one of each isomorphism class.
//! [`evaluate()`] says whether a formula holds in a given pair of states, and [`explain()`] which parts of it do not.
//!
//! From text to instances: tokens → trees ([`syntax`]) → typed logic (`resolve`) → circuits (`translate`, over the
//! inputs that `bounds` makes) → clauses (`boolean::cnf`) → models (`sat`). What breaks symmetries is in `symmetry`.
//!
//! - No text makes this room panic; errors point into it.
//! - Two instances given out are never isomorphic, and no instance is without an isomorphic one that is given out.
//! - Integers are exact, not modulo a width: what has no atom in the scope is in no set.

mod after;
mod boolean;
mod bounds;
mod error;
mod evaluate;
mod instance;
mod logic;
mod model;
mod pair;
mod problem;
mod resolve;
mod sat;
mod symmetry;
pub mod syntax;
mod translate;
mod types;
mod universe;

pub use error::{Error, Result, Span};
pub use evaluate::{Failure, States, evaluate, explain};
pub use instance::{Instance, Structure};
pub use logic::{FieldId, SigId, When};
pub use model::{Field, Model, Signature};
pub use pair::{Pairs, enlarged};
pub use problem::{Effort, Garbage, Problem};
pub use resolve::{Condition, Given, nearest};
pub use types::Type;
pub use universe::{Atom, Scope, Universe};
