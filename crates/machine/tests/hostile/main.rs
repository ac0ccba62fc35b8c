//! Hostile class files: what the verifier accepts and refuses, and what must never happen, whatever the bytes.

mod assemble;
#[path = "../common/mod.rs"]
mod common;
mod differential;
mod fuzz;
mod mutate;
mod run;
mod texts;
mod verifier;
