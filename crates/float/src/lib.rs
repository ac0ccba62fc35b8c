//! The functions of Java's `Math` and `StrictMath`, to the last bit and independent of the host.
//!
//! [`fdlibm`] has the algorithms that define `StrictMath`; [`correct_rounding`] has the functions of `Math` for
//! which HotSpot has its own code. Only operations that IEEE 754 rounds correctly are used.

pub mod correct_rounding;
pub mod fdlibm;
