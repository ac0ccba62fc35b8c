//! Which parts of a triple are evaluated by reading alone ([`crate::reader`]), and where their arguments come from.

use super::{OF_A_READING, Standing, State, triple_of};
use crate::bind::Binding;
use crate::branch::Branch;
use crate::host::CaseClass;
use crate::reader::{Reader, Reading};
use crate::shape::Shape;
use cupping_contract::CompiledTriple;
use cupping_machine::{Kind, Machine, Value};
use std::cell::Cell;
use std::rc::Rc;

/// Readings that came to nothing after which it is asked whether it is worth to try.
const PATIENCE: u32 = 64;

/// Where an argument of a condition comes from.
enum Source {
    Argument(usize),
    Bits(u64),
    /// A variable that is found by fields.
    Variable(usize),
    Result,
    Past(usize),
    /// Whether what this reads is no longer what it was.
    Modified(Plan, usize),
}

/// A condition that may be evaluated by reading.
pub(super) struct Plan {
    reading: Rc<Reading>,
    sources: Vec<Source>,
    done: Cell<u32>,
    given_up: Cell<u32>,
}

/// The parts of a triple that may be evaluated by reading.
#[derive(Default)]
pub(super) struct Plans {
    pub(super) pre: Option<Plan>,
    pub(super) post: Option<Plan>,
    /// What `old` and `modifies` keep, each a plain value of this kind; `None` if not all can be read.
    pub(super) past: Option<Vec<(Plan, Kind)>>,
}

impl Plans {
    pub(super) fn of(
        machine: &mut Machine,
        reader: &mut Reader,
        class: &CaseClass,
        branch: &Branch,
        triple: &CompiledTriple,
        result: Kind,
    ) -> Plans {
        // Tests for JUnit write as they assert.
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
    reader: &'m mut Reader,
    class: &'m CaseClass,
    branch: &'m Branch,
}

impl Maker<'_> {
    /// A method of the testcase, of its variables and some more; `needed` are the variables that it looks at, or all.
    fn plan(&mut self, name: &str, needed: Option<&[usize]>, more: Vec<Source>) -> Option<Plan> {
        let reading = self.reader.reading(self.machine, self.class.method(name)?)?;
        let bindings = self.branch.bindings.iter().enumerate();
        let sources: Option<Vec<Source>> = bindings
            .map(|(at, binding)| match binding {
                Binding::Argument(at) => Some(Source::Argument(*at)),
                Binding::Constant(Shape::Null) => Some(Source::Bits(0)),
                Binding::Constant(Shape::Bits(_, bits)) => Some(Source::Bits(*bits)),
                Binding::Field(..) | Binding::Static(..) => Some(Source::Variable(at)),
                _ => needed.is_some_and(|it| !it.contains(&at)).then_some(Source::Bits(0)),
            })
            .collect();
        let sources: Vec<Source> = sources?.into_iter().chain(more).collect();
        let (done, given_up) = Default::default();
        (sources.len() == reading.parameters()).then_some(Plan { reading, sources, done, given_up })
    }

    /// What a postcondition is given beside the variables.
    fn more(&mut self, triple: &CompiledTriple, result: Kind) -> Option<Vec<Source>> {
        let mut more = Vec::new();
        if triple.is_new {
            more.push(Source::Argument(0));
        } else if result != Kind::Void {
            more.push(Source::Result);
        }
        more.extend((0..triple.old.len()).map(Source::Past));
        for (at, (name, _)) in triple.modifies.iter().enumerate() {
            more.push(Source::Modified(self.plan(name, None, Vec::new())?, triple.old.len() + at));
        }
        Some(more)
    }

    fn past(&mut self, triple: &CompiledTriple) -> Option<Vec<(Plan, Kind)>> {
        let old = triple.old.iter().map(|name| (name, false, true));
        let modifies = triple.modifies.iter().map(|(name, is_object)| (name, *is_object, false));
        let all: Vec<(&String, bool, bool)> = old.chain(modifies).collect();
        let mut plans = Vec::new();
        for (name, is_object, is_old) in all {
            let kind = self.machine.method(self.class.method(name)?).result;
            // Of objects more is kept than the reference.
            if is_object || (is_old && kind == Kind::Reference) {
                return None;
            }
            plans.push((self.plan(name, None, Vec::new())?, kind));
        }
        Some(plans)
    }
}

/// What the arguments of a condition are taken from.
#[derive(Clone, Copy)]
pub(super) struct Given<'g> {
    pub(super) bindings: &'g [Binding],
    pub(super) arguments: &'g [Value],
    pub(super) result: Value,
    pub(super) standing: Option<&'g Standing>,
}

impl State {
    /// Makes the plans of a branch, the first time.
    pub(super) fn plan(&mut self, machine: &mut Machine, branch: usize) {
        if self.plans[branch].is_some() {
            return;
        }
        let of = &self.branches[branch];
        let Some(class) = &self.classes[of.case] else { return };
        let triple = triple_of(&self.compiled, of);
        let target = machine.load(&triple.target.class);
        let method = target
            .ok()
            .and_then(|class| machine.find_method(class, &triple.target.name, &triple.target.descriptor));
        let plans = match method {
            Some(method) => {
                let result = machine.method(method).result;
                Plans::of(machine, &mut self.reader.borrow_mut(), class, of, triple, result)
            }
            None => Plans::default(),
        };
        self.plans[branch] = Some(Rc::new(plans));
    }

    /// The value of a condition, if reading is enough.
    pub(super) fn read(&self, machine: &mut Machine, plan: &Plan, given: Given<'_>) -> Option<Value> {
        if plan.given_up.get() >= PATIENCE && plan.given_up.get() > plan.done.get() {
            return None;
        }
        let mut reader = self.reader.borrow_mut();
        let value = plan.value(machine, &mut reader, given);
        self.spend(OF_A_READING + reader.steps());
        let counter = if value.is_some() { &plan.done } else { &plan.given_up };
        counter.set(counter.get().saturating_add(1));
        value
    }
}

/// Arguments of a condition that are kept on the stack.
const FEW: usize = 12;

impl Plan {
    fn value(&self, machine: &mut Machine, reader: &mut Reader, given: Given<'_>) -> Option<Value> {
        let mut values = [Value::default(); FEW];
        let values = values.get_mut(..self.sources.len())?;
        for (value, source) in values.iter_mut().zip(&self.sources) {
            *value = match source {
                Source::Argument(at) => *given.arguments.get(*at)?,
                Source::Bits(bits) => Value::concrete(*bits),
                Source::Variable(at) => given.bindings.get(*at)?.value(machine, given.arguments, None)?,
                Source::Result => given.result,
                Source::Past(at) => Value::concrete(given.standing?.past.get(*at)?.bits()),
                Source::Modified(plan, at) => {
                    let now = plan.value(machine, reader, given)?;
                    Value::boolean(now.bits != given.standing?.past.get(*at)?.bits())
                }
            };
        }
        reader.value(machine, &self.reading, values)
    }
}
