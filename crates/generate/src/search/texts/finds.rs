//! Sentences that cover something new under test: they are shortened, then explored from there.

use super::changes::{text_of, with_text};
use crate::driver::{Inputs, PlanDriver};
use crate::input::Input;
use crate::plan::{Plan, PlanStep, Var};
use crate::search::{Job, Search};
use cupping_explore::{Driver, Exploration, ExplorationLimits, InvocationEnd, Path};
use cupping_machine::Kind;
use cupping_term::Model;
use std::rc::Rc;

/// Limit on the runs by which a sentence is shortened.
const MAX_RUNS: usize = 40;
/// Maximal length of a text that stays symbolic in the exploration of its path.
const MAX_FREE: usize = 40;
/// The cost of continuing from a sentence.
const COST: u32 = 14;

/// The values that an input has at first.
struct First {
    var: Var,
    values: Vec<u64>,
}

impl Search<'_> {
    /// The shortest variant found of a sentence that still runs the same new code, with parts of its texts
    /// deleted.
    pub(super) fn shortened(
        &mut self,
        plan: Rc<Plan>,
        fresh: &[(usize, u64)],
        end: Option<u64>,
        is_find: bool,
    ) -> Rc<Plan> {
        let mut best = plan;
        let mut runs = 0;
        for at in best.setup..best.steps.len() {
            let Some(PlanStep::Input { input, .. }) = best.steps.get(at) else { continue };
            let Some(text) = text_of(input) else { continue };
            let mut size = text.len().div_ceil(2);
            while size > 0 {
                let mut from = 0;
                while let Some((shorter, length)) = without(&best, at, from, size) {
                    if runs >= MAX_RUNS {
                        return best;
                    }
                    runs += 1;
                    let shorter = Rc::new(shorter);
                    let is_same = self.run_sentence(&shorter).is_some_and(|run| {
                        let runs_it = |(at, word): &(usize, u64)| {
                            run.hits.get(*at).is_some_and(|it| it & word == *word)
                        };
                        let has_end = end.is_none() || run.end == end;
                        has_end
                            && fresh.iter().all(runs_it)
                            && (!is_find || (run.is_complete && self.gains(&run.hits)))
                    });
                    if is_same {
                        best = shorter
                    } else {
                        from += size
                    }
                    if from >= length {
                        break;
                    }
                }
                size /= 2;
            }
        }
        best
    }

    /// Turns the path of a sentence into a candidate; returns whether it covers something new.
    pub(super) fn find_sentence(&mut self, plan: &Rc<Plan>) -> bool {
        let texts = plan.steps.iter().filter_map(|step| match step {
            PlanStep::Input { input, var } => Some((text_of(input)?, plan.variables[*var].name.clone())),
            _ => None,
        });
        let texts: Vec<_> = texts.collect();
        let (free, first) = freed(plan, self.options.max_elements);
        let is_short = texts.iter().map(|(text, _)| text.len()).sum::<usize>() <= MAX_FREE;
        let is_found = is_short && self.follow_sentence(Rc::new(free), &first).is_some();
        let is_found = is_found || self.follow_sentence(plan.clone(), &[]).is_some();
        if is_found {
            texts.into_iter().for_each(|(text, name)| self.keep_text(name, text));
        }
        is_found
    }

    /// Runs a sentence as an exploration would, and leaves the exploration waiting.
    fn follow_sentence(&mut self, plan: Rc<Plan>, first: &[First]) -> Option<()> {
        self.machine.restore(&self.base);
        let invokable = plan.under_test()?.clone();
        let receiver = match plan.steps.last()? {
            PlanStep::Call { arguments, .. } if invokable.has_receiver() => arguments.first().copied(),
            _ => None,
        };
        let mut driver = PlanDriver::new(plan);
        let (mut path, mut model) = (Path::default(), Model::new());
        loop {
            let mut bounds = Vec::new();
            if !driver.enter_next(self.machine, &Inputs::Symbolic, &mut bounds).ok()? {
                return None;
            }
            path = bounds.into_iter().fold(path, |path, bound| path.assume(bound));
            for First { var, values } in first {
                let symbols = &driver.slots[*var].symbols;
                for (at, symbol) in symbols.values.iter().enumerate() {
                    let bits = values.get(at).copied().unwrap_or(0);
                    model.set(*symbol, self.machine.terms().variable(*symbol).sort.wrap(bits as i64));
                }
                if let Some(symbol) = symbols.length {
                    model.set(symbol, values.len() as u64);
                }
            }
            self.machine.adopt_model(&model);
            driver.adopt(self.machine, &model);
            let is_last = driver.next + 1 == driver.plan.steps.len();
            let mut exploration = Exploration::new(ExplorationLimits::default());
            let mut tools = tools!(self);
            let made = exploration.start(&mut tools, driver, path, model);
            self.account(Default::default(), exploration.counters);
            if is_last {
                let job = Job { receiver, is_found: true, ..Job::of(invokable) };
                let before = self.goals.len();
                self.complete(&job, made);
                let is_new = self.goals.len() > before;
                if is_new && exploration.waiting() > 0 {
                    self.push(COST, Job { exploration: Some(exploration), ..job });
                }
                return is_new.then_some(());
            }
            if !matches!(made.driver.ended, Some(InvocationEnd::Returned(_))) {
                return None;
            }
            (driver, path, model) = (made.driver, made.path, made.model);
        }
    }
}

/// A sentence without a part of a text, and the original length of that text; `None` past its end.
fn without(plan: &Plan, step: usize, from: usize, size: usize) -> Option<(Plan, usize)> {
    let mut plan = plan.clone();
    let PlanStep::Input { input, .. } = plan.steps.get_mut(step)? else { return None };
    let mut text = text_of(input)?;
    let length = text.len();
    if from >= length {
        return None;
    }
    text.drain(from..(from + size).min(length));
    *input = with_text(input, text);
    Some((plan, length))
}

/// A sentence with its inputs symbolic again and their values as initial values.
fn freed(plan: &Plan, most: u32) -> (Plan, Vec<First>) {
    const ROOM: u32 = 2;
    let mut plan = plan.clone();
    let mut first = Vec::new();
    for step in &mut plan.steps {
        let PlanStep::Input { input, var } = step else { continue };
        let values: Vec<u64> = match &*input {
            Input::Text(units) => units.iter().map(|it| u64::from(*it)).collect(),
            Input::Elements(_, values) => values.clone(),
            Input::Fixed(_, bits) | Input::FixedBox(_, bits) => vec![*bits],
            _ => continue,
        };
        let max = most.max(values.len() as u32 + ROOM);
        *input = match &*input {
            Input::Text(_) => Input::string(max),
            Input::Elements(kind, _) if matches!(kind, Kind::Char | Kind::Byte) => {
                Input::Array { element: *kind, max }
            }
            Input::Fixed(kind, _) => Input::Primitive(*kind),
            Input::FixedBox(kind, _) => Input::Boxed(*kind),
            _ => continue,
        };
        first.push(First { var: *var, values });
    }
    (plan, first)
}
