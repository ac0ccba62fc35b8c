//! The contract language TestJava (Gray & Mycroft, *System tests from unit tests*, §2 and Figure 1).
//!
//! A specification has *triples*, `(pre) requiredBy call ensure (post)`, in testcases of a class under test:
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
//! This crate parses specifications ([`read`]), reports errors in terms of the user's file ([`Diagnostic`]),
//! formats them ([`format()`]), and has the JDK's `javac` compile the Java in them (`compile`): every
//! condition becomes a static method of a class generated for the testcase, so that any JVM can evaluate it
//! over any values.
//!
//! - There is no Java front end here: Java code between TestJava's keywords is delimited by brackets and
//!   passed to `javac`. Messages of `javac` are mapped back to the specification.
//! - No input text makes it panic.

mod ast;
mod cache;
mod class_bytes;
mod compile;
mod compiled_specifications;
mod compiler;
mod diagnostic;
mod format;
mod java;
mod javac;
mod javac_messages;
mod names;
mod parse;
mod targets;
mod token;

pub use ast::{
    Bound, Condition, Order, Parameter, Requirement, Specification, Statement, TestDeclaration, Testcase,
    Triple, TripleCall,
};
pub use compiled_specifications::{
    BoundMethods, CompiledCase, CompiledSpecifications, CompiledTriple, Method, Setup,
};
pub use compiler::{CompileError, Compiler};
pub use diagnostic::{Diagnostic, Span, SpecificationSource};
pub use format::format;
pub use parse::read;
pub use token::{Token, TokenKind, tokens};
