//! Whether an object of the class was ever made. If not, that is why its pairs are open, whatever the layers say.

use crate::analysis::{Analysis, PairVerdict};
use cupping_generate::Continuation;
use std::collections::BTreeSet;

/// What came of the attempts to make an object.
#[derive(Default)]
pub(crate) struct ObjectsMade {
    is_any: bool,
    /// The classes of exceptions that constructors and factories threw, by internal name.
    thrown: BTreeSet<String>,
    /// Whether one needed more work than there was.
    ran_out: bool,
    /// Whether one was called at all.
    is_tried: bool,
}

impl ObjectsMade {
    /// Notes that there is an object.
    pub fn note_object(&mut self) {
        self.is_any = true;
    }

    /// Notes the calls of a constructor or factory; `ran_out` if one needs more work.
    pub fn note(&mut self, found: &[Continuation], ran_out: bool) {
        self.is_tried = true;
        self.ran_out |= ran_out;
        for continuation in found {
            self.is_any |= continuation.goes_on && continuation.thrown_class().is_none();
            self.thrown.extend(continuation.thrown_class().map(str::to_owned));
        }
    }

    /// Why there is no object; `None` if there is one, or if that was not tried.
    fn why_none(&self) -> Option<String> {
        if self.is_any || !self.is_tried {
            return None;
        }
        let thrown: Vec<String> = self.thrown.iter().map(|class| class.replace('/', ".")).collect();
        let why = match (thrown.is_empty(), self.ran_out) {
            (false, false) => format!("calls of constructors and factories threw ({})", thrown.join(", ")),
            (false, true) => {
                format!("constructors and factories threw ({}) or took too long", thrown.join(", "))
            }
            (true, true) => "constructors and factories take longer than the budget allows".to_owned(),
            (true, false) => "no call of a constructor or factory returned on the machine".to_owned(),
        };
        Some(format!("no object of the class could be made: {why}"))
    }

    /// Gives open pairs that need an object this reason, if there was none.
    pub fn explain(&self, analysis: &mut Analysis) {
        let Some(why) = self.why_none() else { return };
        // A constructor that throws exercises pairs, too; whatever has more calls may have an object.
        let has_more = |(pair, verdict): (usize, &PairVerdict)| {
            let calls = if let PairVerdict::Covered { calls, .. } = verdict { calls.len() } else { 0 };
            calls > 1 && !analysis.pairs[pair].is_static
        };
        if analysis.verdicts.iter().enumerate().any(has_more) {
            return;
        }
        for pair in 0..analysis.pairs.len() {
            if analysis.is_open(pair) && needs_object(analysis, pair) {
                analysis.verdicts[pair] = PairVerdict::Inconclusive(why.clone());
            }
        }
    }
}

/// Whether a pair is of an object's variable, or one of its accesses is in a method of an object.
fn needs_object(analysis: &Analysis, pair: usize) -> bool {
    let of = &analysis.pairs[pair];
    !of.is_static
        || [of.definition, of.usage].iter().any(|access| {
            let method = &analysis.flat.methods[analysis.accesses.all[*access].method];
            !method.is_static && !method.is_constructor()
        })
}
