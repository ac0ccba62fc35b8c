//! The forkable Java virtual machine.
