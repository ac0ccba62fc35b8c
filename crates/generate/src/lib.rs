//! Invocation sequences, exploration, choice of tests.
