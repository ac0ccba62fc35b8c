//! Two versions of a program, compared class by class without running anything.
//!
//! [`compare`] finds the methods whose bodies differ in meaning ([`MethodChange`]), the members that were added,
//! removed or renamed, and the consequences for clients ([`ApiChange`]). [`Influence`] finds the methods from which
//! a change is visible: those that may run it, directly or through others.
//!
//! # Invariants
//!
//! - Freedoms of compilers are not changes: line numbers, the order of constants and members, the numbers of local
//!   variables, and the names of lambdas, synthetic methods and anonymous classes ([`mod@canonical`]).
//! - *Unchanged* is a proof: the method behaves as before if the methods that it names do. *Changed* is not: another
//!   body may behave the same.
//! - The same two programs give the same report, in the order of class names.

mod api;
pub mod canonical;
mod change;
mod comparison;
mod influence;
mod moved_classes;
mod renamed_members;
mod renaming;

pub use api::{ApiChange, Breakage, signature};
pub use change::{ClassChange, MethodChange, MethodFate, Status};
pub use comparison::{Comparison, compare, compare_jdks};
pub use influence::{Influence, MethodName};
pub use moved_classes::{MovedClass, moved_classes};
pub use renaming::{rename_classes, renamed};
