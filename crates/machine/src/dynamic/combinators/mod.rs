//! Combinators of `MethodHandles`, each a shape whose fields are the handles it combines.

pub(super) mod arguments;
pub(super) mod control;
pub(super) mod producers;
pub(super) mod support;
pub(super) mod types;
