//! Fixpoint iteration: facts that hold before each instruction of a method on every path.

use super::{Domain, Flow, Frame, Site, step};
use crate::class_file::ClassFile;
use crate::graph::InstructionGraph;

/// The facts before each instruction of a method.
#[derive(Clone, Debug)]
pub struct Fixpoint<V> {
    /// States by instruction index; `None` if unreachable.
    pub before: Vec<Option<Frame<V>>>,
}

impl<V: Clone + PartialEq> Fixpoint<V> {
    /// Interprets a method from its first instruction on, including exception handlers, until nothing changes. A
    /// path ends at an instruction that the domain rejects. If stack heights differ at a merge, which the verifier
    /// rejects, the first one stays.
    pub fn of<D: Domain<Value = V>>(
        domain: &mut D,
        class: &ClassFile,
        method: &InstructionGraph,
        entry: Frame<V>,
    ) -> Fixpoint<V> {
        let mut found = Fixpoint { before: vec![None; method.instructions.len()] };
        let mut open = Vec::new();
        found.reach(domain, 0, &entry, &mut open);
        while let Some(at) = open.pop() {
            let Some(mut frame) = found.before[at].clone() else { continue };
            for handler in method.guards(at) {
                let site =
                    Site { class, instruction: &method.instructions[handler.target], index: handler.target };
                if let Ok(caught) = domain.caught(&site) {
                    let entered = Frame { locals: frame.locals.clone(), stack: vec![Some(caught)] };
                    found.reach(domain, handler.target, &entered, &mut open);
                }
            }
            let site = Site { class, instruction: &method.instructions[at], index: at };
            let Ok(flow) = step(domain, &mut frame, &site) else { continue };
            for next in method.next(at, &flow) {
                found.reach(domain, next, &frame, &mut open);
            }
        }
        found
    }

    fn reach<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        at: usize,
        frame: &Frame<V>,
        open: &mut Vec<usize>,
    ) {
        let Some(known) = self.before.get_mut(at) else { return };
        match known {
            None => *known = Some(frame.clone()),
            Some(known) => match join_frames(domain, known, frame) {
                Some(true) => {}
                _ => return,
            },
        }
        open.push(at);
    }
}

impl InstructionGraph {
    /// The numbers of the instructions that control reaches from one.
    pub fn next<V>(&self, at: usize, flow: &Flow<V>) -> Vec<usize> {
        match flow {
            Flow::All => self.targets[at].clone(),
            Flow::Next => vec![at + 1],
            Flow::To(pc) => self.at_offset(*pc).into_iter().collect(),
            Flow::Return(_) | Flow::Throw(_) | Flow::Stop => Vec::new(),
        }
    }
}

/// Keeps in the first frame what holds for both; returns whether that is less than before. `None`, and no change, if
/// their shapes differ.
pub fn join_frames<D>(domain: &mut D, known: &mut Frame<D::Value>, other: &Frame<D::Value>) -> Option<bool>
where
    D: Domain,
    D::Value: PartialEq,
{
    if known.stack.len() != other.stack.len() {
        return None;
    }
    known.locals.truncate(other.locals.len());
    let slots = known.locals.iter_mut().chain(&mut known.stack);
    let others = other.locals.iter().chain(&other.stack);
    let mut changed = false;
    for (slot, other) in slots.zip(others) {
        if slot != other {
            let joined = domain.join(slot.as_ref(), other.as_ref());
            changed |= *slot != joined;
            *slot = joined;
        }
    }
    Some(changed)
}
