//! Paths as persistent lists of decisions: paths with a common prefix share it.

use cupping_machine::{DecisionKind, MethodId, Site};
use cupping_term::TermId;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A decision on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathDecision {
    /// Its site.
    pub site: Site,
    /// Its kind.
    pub kind: DecisionKind,
    /// The side taken, as in [`cupping_machine::Decision::side`].
    pub side: u32,
    /// The branch constraint (thesis §3.1): a `Bool` term that holds on this path.
    pub constraint: TermId,
}

/// The site of assumptions.
const ASSUMED: Site = Site { method: MethodId(u32::MAX), at: 0 };

impl PathDecision {
    /// Whether it is an assumption, which no code decided.
    pub fn is_assumption(&self) -> bool {
        self.site == ASSUMED
    }
}

/// A sequence of decisions, cheap to clone. The conjunction of its constraints is the path condition.
#[derive(Clone, Debug, Default)]
pub struct Path(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    taken: PathDecision,
    length: usize,
    signature: Signature,
    before: Path,
}

/// A hash of a sequence of sides: paths of one program from one state have the same signature if they take
/// the same sides.
pub type Signature = u64;

impl Drop for Link {
    /// Free long paths in a loop, since recursion could exhaust the stack.
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(link) = next {
            match Rc::try_unwrap(link) {
                Ok(mut owned) => next = owned.before.0.take(),
                Err(_) => break,
            }
        }
    }
}

impl Path {
    /// The path extended by a decision.
    #[must_use]
    pub fn with(&self, taken: PathDecision) -> Path {
        let signature = self.signature_with(taken.site, taken.side);
        Path(Some(Rc::new(Link { taken, length: self.len() + 1, signature, before: self.clone() })))
    }

    /// The path with an assumption that no decision made, such as a bound of an input.
    #[must_use]
    pub fn assume(&self, constraint: TermId) -> Path {
        self.with(PathDecision { site: ASSUMED, kind: DecisionKind::Branch, side: 1, constraint })
    }

    /// The signature of the sides taken so far.
    pub fn signature(&self) -> Signature {
        self.0.as_ref().map_or(0, |link| link.signature)
    }

    /// The signature of the path extended by this side.
    pub fn signature_with(&self, site: Site, side: u32) -> Signature {
        let mut hasher = FxHasher::default();
        (self.signature(), site, side).hash(&mut hasher);
        hasher.finish()
    }

    /// Number of decisions.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.length)
    }

    /// Whether nothing has been decided.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The decisions from first to last.
    pub fn decisions(&self) -> Vec<PathDecision> {
        let mut decisions = Vec::with_capacity(self.len());
        let mut at = self;
        while let Some(link) = &at.0 {
            decisions.push(link.taken);
            at = &link.before;
        }
        decisions.reverse();
        decisions
    }

    /// Whether the path condition contains a constraint.
    pub fn has(&self, constraint: TermId) -> bool {
        let mut at = self;
        while let Some(link) = &at.0 {
            if link.taken.constraint == constraint {
                return true;
            }
            at = &link.before;
        }
        false
    }

    /// The path condition: the constraints from first to last.
    pub fn condition(&self) -> Vec<TermId> {
        self.decisions().iter().map(|taken| taken.constraint).collect()
    }
}
