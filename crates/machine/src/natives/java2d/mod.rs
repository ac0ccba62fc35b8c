//! Drawing on images without a screen: the native parts of `sun.java2d`.
//!
//! The JDK keeps general loops in Java for what is drawn in one colour (`sun.java2d.loops.GeneralRenderer`), and
//! these run as they are. What it has only as native code is here: compositing with an alpha mask, conversions
//! between formats of pixels, scaled and transformed images, and spans of shapes. The code was written from the
//! documented rules (Porter and Duff; `AlphaComposite`) and is compared with the JDK pixel by pixel
//! (`fixtures/java/awt`).
//!
//! Nothing is kept outside the machine's memory: a surface is read anew from its raster for each call.

mod blend;
mod blit;
mod clip;
mod format;
mod imaging;
mod lines;
mod loops;
mod mask;
mod palette;
mod parallelogram;
mod shape_spans;
mod surface;
mod transform;

use super::Native;

/// The rows of every file here.
pub(super) const FILES: &[&[Native]] = &[
    blit::NATIVES,
    clip::NATIVES,
    imaging::NATIVES,
    lines::NATIVES,
    loops::NATIVES,
    mask::NATIVES,
    parallelogram::NATIVES,
    shape_spans::NATIVES,
    surface::NATIVES,
    transform::NATIVES,
];
