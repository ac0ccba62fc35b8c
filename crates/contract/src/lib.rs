//! The contract language of the project: TestJava (Gray & Mycroft, *System tests from unit tests*, §2 and Figure 1).
//!
//! A specification holds *triples*, `(pre) requiredBy call ensure (post)`, in testcases of the class they are about:
//!
//! ```text
//! test Guide {
//!     testcase left {
//!         requirement Guide g = new Guide();
//!         requirement int d < 0;
//!         (g.ready()) requiredBy g.direction(d) ensure (result.equals("left") && modifies(g.turns));
//!     }
//! }
//! ```
//!
//! This room reads it ([`read`]), says what is wrong with it in the user's own file ([`Diagnostic`]), lays it out
//! ([`format()`]), and has the JDK's `javac` compile the Java in it (`compile`): every condition becomes a static method of
//! a class that is made for the testcase, so that whoever has a JVM can evaluate it over any values.
//!
//! - There is no Java front end here: what stands between the words of TestJava is cut out by its brackets and handed to
//!   `javac`. What `javac` says is told of the place in the specification that the text came from.
//! - No text makes it panic.

mod ast;
mod cache;
mod compile;
mod compiled;
mod diagnose;
mod diagnostic;
mod format;
mod java;
mod javac;
mod names;
mod parse;
mod raw;
mod signature;
mod targets;
mod token;

pub use ast::{
    Bound, Call, Condition, Order, Parameter, Requirement, Specification, Statement, Test, Testcase, Triple,
};
pub use compile::{CompileError, Compiler};
pub use compiled::{Compiled, CompiledCase, CompiledTriple, Method, Setup, Within};
pub use diagnostic::{Diagnostic, Source, Span};
pub use format::format;
pub use parse::read;
pub use token::{Kind, Token, tokens};
