//! Plans: the parts of a triple that can be evaluated by reading alone ([`crate::reader`]), and the sources of their
//! arguments.

use super::active_branch::ActiveBranch;
use crate::binding::Binding;
use crate::branch::Branch;
use crate::conditions::CaseClass;
use crate::object_copy::CopiedObjects;
use crate::reader::{ConditionReader, TranslatedMethod};
use crate::shape::Shape;
use cupping_contract::CompiledTriple;
use cupping_machine::{Kind, Machine, Value};
use std::cell::Cell;
use std::rc::Rc;

/// The source of a condition's argument.
enum ArgumentSource {
    Argument(usize),
    Bits(u64),
    /// A variable found through fields.
    Variable(usize),
    Result,
    OldValue(usize),
    /// Whether the value that this plan reads has changed.
    Modified(ArgumentPlan, usize),
}

/// A condition that can be evaluated by reading.
pub(super) struct ArgumentPlan {
    reading: Rc<TranslatedMethod>,
    sources: Vec<ArgumentSource>,
    pub(super) done: Cell<u32>,
    pub(super) given_up: Cell<u32>,
}

/// The parts of a triple that can be evaluated by reading.
#[derive(Default)]
pub(super) struct Plans {
    pub(super) pre: Option<ArgumentPlan>,
    pub(super) post: Option<ArgumentPlan>,
    /// The old values and `modifies` clauses, each a plain value of this kind; `None` if one of them cannot
    /// be read.
    pub(super) past: Option<Vec<(ArgumentPlan, Kind)>>,
}

impl Plans {
    pub(super) fn of(
        machine: &mut Machine,
        reader: &mut ConditionReader,
        class: &CaseClass,
        branch: &Branch,
        triple: &CompiledTriple,
        result: Kind,
    ) -> Plans {
        // The conditions of JUnit triples write.
        if branch.origin.is_some() {
            return Plans::default();
        }
        let mut maker = Maker { machine, reader, class, branch };
        let past = maker.past(triple);
        let pre = if triple.pre_nested.is_empty() {
            maker.plan(&triple.pre, Some(&triple.pre_names), Vec::new())
        } else {
            None
        };
        let is_plain = triple.throws.is_none() && triple.post_nested.is_empty();
        let post = match (&triple.post, &past) {
            (Some(post), Some(_)) if is_plain => {
                maker.more(triple, result).and_then(|more| maker.plan(post, Some(&triple.post_names), more))
            }
            _ => None,
        };
        Plans { pre, post, past }
    }
}

struct Maker<'m> {
    machine: &'m mut Machine,
    reader: &'m mut ConditionReader,
    class: &'m CaseClass,
    branch: &'m Branch,
}

impl Maker<'_> {
    /// The plan of a testcase's method over the variables and further sources. `needed` are the variables
    /// that it reads; `None` means all.
    fn plan(
        &mut self,
        name: &str,
        needed: Option<&[usize]>,
        more: Vec<ArgumentSource>,
    ) -> Option<ArgumentPlan> {
        let reading = self.reader.reading(self.machine, self.class.method(name)?)?;
        let bindings = self.branch.bindings.iter().enumerate();
        let sources: Option<Vec<ArgumentSource>> = bindings
            .map(|(at, binding)| match binding {
                Binding::Argument(at) => Some(ArgumentSource::Argument(*at)),
                Binding::Constant(Shape::Null) => Some(ArgumentSource::Bits(0)),
                Binding::Constant(Shape::Bits(_, bits)) => Some(ArgumentSource::Bits(*bits)),
                Binding::Field(..) | Binding::Static(..) => Some(ArgumentSource::Variable(at)),
                _ => needed.is_some_and(|it| !it.contains(&at)).then_some(ArgumentSource::Bits(0)),
            })
            .collect();
        let sources: Vec<ArgumentSource> = sources?.into_iter().chain(more).collect();
        let (done, given_up) = Default::default();
        (sources.len() == reading.parameters()).then_some(ArgumentPlan { reading, sources, done, given_up })
    }

    /// The sources that a postcondition has in addition to the variables.
    fn more(&mut self, triple: &CompiledTriple, result: Kind) -> Option<Vec<ArgumentSource>> {
        let mut more = Vec::new();
        if triple.is_new {
            more.push(ArgumentSource::Argument(0));
        } else if result != Kind::Void {
            more.push(ArgumentSource::Result);
        }
        more.extend((0..triple.old.len()).map(ArgumentSource::OldValue));
        for (at, (name, _)) in triple.modifies.iter().enumerate() {
            more.push(ArgumentSource::Modified(self.plan(name, None, Vec::new())?, triple.old.len() + at));
        }
        Some(more)
    }

    fn past(&mut self, triple: &CompiledTriple) -> Option<Vec<(ArgumentPlan, Kind)>> {
        let old = triple.old.iter().map(|name| (name, false, true));
        let modifies = triple.modifies.iter().map(|(name, is_object)| (name, *is_object, false));
        let all: Vec<(&String, bool, bool)> = old.chain(modifies).collect();
        let mut plans = Vec::new();
        for (name, is_object, is_old) in all {
            let kind = self.machine.method(self.class.method(name)?).result;
            // An old object needs more than its reference.
            if is_object || (is_old && kind == Kind::Reference) {
                return None;
            }
            plans.push((self.plan(name, None, Vec::new())?, kind));
        }
        Some(plans)
    }
}

/// The values from which a plan takes its arguments.
#[derive(Clone, Copy)]
pub(super) struct PlanValues<'g> {
    pub(super) bindings: &'g [Binding],
    pub(super) arguments: &'g [Value],
    pub(super) result: Value,
    pub(super) active: Option<&'g ActiveBranch>,
}

/// Limit on the arguments that fit a stack buffer.
const FEW: usize = 12;

impl ArgumentPlan {
    pub(super) fn value(
        &self,
        machine: &mut Machine,
        reader: &mut ConditionReader,
        given: PlanValues<'_>,
    ) -> Option<Value> {
        let mut values = [Value::default(); FEW];
        let values = values.get_mut(..self.sources.len())?;
        for (value, source) in values.iter_mut().zip(&self.sources) {
            *value = match source {
                ArgumentSource::Argument(at) => *given.arguments.get(*at)?,
                ArgumentSource::Bits(bits) => Value::concrete(*bits),
                ArgumentSource::Variable(at) => given.bindings.get(*at)?.value(
                    machine,
                    given.arguments,
                    None,
                    &[],
                    &mut CopiedObjects::default(),
                )?,
                ArgumentSource::Result => given.result,
                ArgumentSource::OldValue(at) => Value::concrete(given.active?.past.get(*at)?.bits()),
                ArgumentSource::Modified(plan, at) => {
                    let now = plan.value(machine, reader, given)?;
                    Value::boolean(now.bits != given.active?.past.get(*at)?.bits())
                }
            };
        }
        reader.value(machine, &self.reading, values)
    }
}
