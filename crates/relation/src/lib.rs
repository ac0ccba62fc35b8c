//! Relational specifications in TestEra's notation and in Alloy 6's: a model finder and an evaluator.
//!
//! A [`Model`] has signatures, fields and facts, read from a text ([`syntax`], [`Model::read`]) or declared
//! by calls. A [`Problem`] is a model within a [`Scope`]: an iterator over its instances, exactly one per
//! isomorphism class. [`evaluate()`] decides whether a formula holds in a given pair of states, and
//! [`explain()`] finds the parts that do not.
//!
//! The pipeline follows Kodkod (Torlak & Jackson): tokens → trees ([`syntax`]) → typed logic (`resolve`) →
//! circuits (`translate`, over the inputs from `bounds`) → clauses (`boolean::cnf`) → models (`sat`).
//! Symmetry breaking is in `symmetry`.
//!
//! - No input text makes this crate panic; errors point into the text.
//! - The instances form a complete set of representatives: every instance is isomorphic to exactly one of
//!   them.
//! - Integers are exact, without wrap-around: a value without an atom in the scope belongs to no set.

mod boolean;
mod bounds;
mod error;
mod evaluate;
mod instance;
mod logic;
mod model;
mod problem;
mod resolve;
mod sat;
mod spelling;
mod state_pairs;
mod successor_states;
mod symmetry;
pub mod syntax;
mod translate;
mod type_relations;
mod types;
mod universe;

pub use error::{Error, Result, Span};
pub use evaluate::{Failure, States, evaluate, explain};
pub use instance::{Instance, Structure};
pub use logic::{FieldId, FieldState, SigId};
pub use model::{Field, Model, Signature};
pub use problem::{Garbage, Problem, ProblemSize};
pub use resolve::{BoundName, Condition};
pub use spelling::nearest;
pub use state_pairs::{StatePairs, enlarged};
pub use types::Type;
pub use universe::{Atom, Scope, Universe};
