//! `invokedynamic`, dynamic constants, method handles, variable handles and proxies.
//!
//! The machine implements the JDK's bootstrap methods that javac uses: the call site becomes a call of a
//! generated (*synthetic*) method, so shadows pass through it as through any code. Method handles are objects
//! of synthetic subclasses of `MethodHandle`, one for each *shape*: the code of the class is the behaviour of
//! the handle, its fields are the operands.

mod adapters;
mod assemble;
mod bootstrap;
mod call_record;
mod call_recording;
mod call_site;
mod combinators;
mod concat;
mod convert;
mod factory;
mod glue;
mod handle;
mod handle_calls;
mod lambda;
mod lookup;
mod lookup_object;
mod loops;
mod member;
mod method_handle;
mod method_type;
mod names;
mod proxy;
mod recipe;
mod record;
mod reflect;
mod reveal;
mod shape;
mod signature;
mod site;
mod stub;
mod stub_result;
mod switch;
mod synthetic;
mod tables;
mod var_handle;
mod variable;

use crate::natives::Native;
pub use call_record::StubCall;
pub use call_recording::MAX_RECORDED_CALLS;
pub use stub_result::StubResult;
pub(crate) use tables::{GeneratedClasses, Tables};

/// Rows for the table of natives.
pub(crate) const NATIVES: &[&[Native]] = &[
    factory::NATIVES,
    method_handle::NATIVES,
    handle_calls::NATIVES,
    combinators::arguments::NATIVES,
    combinators::control::NATIVES,
    combinators::producers::NATIVES,
    combinators::types::NATIVES,
    lookup::NATIVES,
    loops::NATIVES,
    reveal::NATIVES,
    method_type::NATIVES,
    proxy::NATIVES,
    var_handle::NATIVES,
];
