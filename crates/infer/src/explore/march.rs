//! Marches: one call, made again and again.
//!
//! What fills up, or begins again, does so after many calls with large arguments. Random sequences are short, and
//! most of their arguments are refused or small.

use super::explorer::Explorer;
use crate::random::Random;
use crate::sequence::Invocation;
use crate::trace::Execution;

/// The largest number of calls of a march.
const LONGEST: usize = 64;
/// The number of argument lists that are drawn for a march until one is accepted.
const MOST_DRAWN: usize = 6;
/// Limit on the memory that a march takes, in words: where it is scarce, observers fail.
const MOST_GROWTH: u32 = 8_192;
/// The number of other calls at its end.
const AFTER: usize = 3;

impl Explorer<'_> {
    /// Repeats calls that change the object, each with the same arguments, and makes a few others at the end; keeps
    /// those that break something. Makes about so many calls; returns how many.
    pub(super) fn march(
        &mut self,
        calls: usize,
        end: u64,
        movers: &[usize],
        random: &mut Random,
        breaks: &mut dyn FnMut(&Execution) -> bool,
    ) -> usize {
        let mut left = calls;
        let with_arguments: Vec<usize> =
            movers.iter().copied().filter(|it| !self.subject.methods[*it].parameters.is_empty()).collect();
        let movers = if with_arguments.is_empty() { movers } else { &with_arguments };
        while left > LONGEST && self.work < end && !(self.limits.interrupted)() {
            left -= 1;
            let Some(method) = random.one(movers).copied() else { break };
            let Some(mut object) = self.begin(random).map(Some) else { continue };
            let invokable = self.subject.methods[method].clone();
            let mut accepted = None;
            for _ in 0..MOST_DRAWN {
                left -= 1;
                let Some(arguments) = self.random_arguments(method, random) else { break };
                let call = Invocation { invokable: invokable.clone(), arguments };
                if self.step_with(call.clone(), method, &mut object, breaks).1 {
                    accepted = Some(call);
                    break;
                }
            }
            let Some(call) = accepted else { continue };
            let (most, used) = (LONGEST.min(left), self.machine.memory().used());
            for _ in 0..most {
                left -= 1;
                if !self.step_with(call.clone(), method, &mut object, breaks).1
                    || self.machine.memory().used().saturating_sub(used) > MOST_GROWTH
                {
                    break;
                }
            }
            if let Some(state) = &object {
                self.extremes.note(state, || self.machine.snapshot());
            }
            for _ in 0..AFTER.min(left) {
                left -= 1;
                let Some(other) = random.one(movers).copied() else { break };
                self.step(other, &mut object, random, breaks);
            }
        }
        calls - left
    }
}
