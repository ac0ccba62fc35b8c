//! Operations on paths, as a set that snapshots share.

use cupping_case::Effect;

/// Effects of a run; its clone costs nothing.
pub type EffectSet = imbl::GenericOrdSet<Effect, imbl::shared_ptr::RcK>;
