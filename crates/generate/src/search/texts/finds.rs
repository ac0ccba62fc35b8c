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
/// Calls of a sentence of which none is left out.
const FEW_CALLS: usize = 3;
/// The cost of continuing from a sentence.
const COST: u32 = 14;

/// The values that an input has at first.
struct First {
    var: Var,
    values: Vec<u64>,
}

impl Search<'_> {
    /// The shortest variant found of a sentence that still runs the same new code, with parts deleted of the texts that
    /// were changed.
    pub(super) fn shortened(
        &mut self,
        plan: Rc<Plan>,
        original: Option<&Rc<Plan>>,
        fresh: &[(usize, u64)],
        end: Option<u64>,
        is_find: bool,
    ) -> Rc<Plan> {
        let mut best = plan;
        let mut runs = 0;
        for at in best.setup..best.steps.len() {
            let Some(PlanStep::Input { input, .. }) = best.steps.get(at) else { continue };
            let Some(text) = text_of(input) else { continue };
            let known = original.and_then(|it| it.steps.get(at));
            if matches!(known, Some(PlanStep::Input { input: known, .. }) if known == input) {
                continue;
            }
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
                        let has_end = end.is_none() || run.end == end;
                        has_end && run.runs(fresh) && (!is_find || (run.is_complete && self.gains(&run.hits)))
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

    /// A sentence without calls that it does not need to run this code: the texts of many calls are changed in vain.
    pub(super) fn without_idle_calls(&mut self, plan: Rc<Plan>, fresh: &[(usize, u64)]) -> Rc<Plan> {
        if fresh.is_empty() || plan.calls() <= FEW_CALLS {
            return plan;
        }
        let mut best = plan;
        let Some(end) = self.run_sentence(&best).map(|run| run.end) else { return best };
        let mut at = best.steps.len() - 1;
        while at > best.setup {
            at -= 1;
            let is_call = best.steps.get(at).is_some_and(PlanStep::is_effect);
            let shorter = if is_call { best.without(at) } else { None };
            let Some(shorter) = shorter.filter(|it| it.methods().last() == best.methods().last()) else {
                continue;
            };
            let shorter = Rc::new(shorter);
            let run = self.run_sentence(&shorter);
            let is_same = run.is_some_and(|run| run.is_complete && run.end == end && run.runs(fresh));
            if is_same {
                best = shorter;
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
            if !self.enter_next(&mut driver, &Inputs::Symbolic, &mut bounds).ok()? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_case::JavaType;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    /// A plan of these inputs.
    fn plan(inputs: Vec<Input>) -> Plan {
        let mut plan = Plan::default();
        for input in inputs {
            plan.input(input, JavaType::class("java/lang/Object"), "it");
        }
        plan
    }

    fn input(plan: &Plan, at: usize) -> &Input {
        let PlanStep::Input { input, .. } = &plan.steps[at] else { panic!("it has inputs only") };
        input
    }

    #[test]
    fn a_part_of_one_text_is_left_out() {
        let sentence = plan(vec![Input::Text(units("other")), Input::Text(units("abcdef"))]);
        for (from, size, rest) in [(0, 3, "def"), (2, 2, "abef"), (4, 9, "abcd"), (0, 6, "")] {
            let (shorter, length) = without(&sentence, 1, from, size).expect("it begins within the text");
            assert_eq!(input(&shorter, 1), &Input::Text(units(rest)), "{size} from {from}");
            assert_eq!(input(&shorter, 0), &Input::Text(units("other")));
            assert_eq!(length, 6, "the length is that of the whole text");
        }
    }

    #[test]
    fn nothing_is_left_out_of_what_is_no_text() {
        let sentence = plan(vec![Input::Text(units("ab")), Input::Fixed(Kind::Int, 7)]);
        assert!(without(&sentence, 0, 2, 1).is_none(), "behind the end");
        assert!(without(&sentence, 1, 0, 1).is_none(), "of a number");
        assert!(without(&sentence, 2, 0, 1).is_none(), "behind the last step");
    }

    #[test]
    fn freed_inputs_are_symbolic_and_begin_with_their_values() {
        let sentence = plan(vec![
            Input::Text(units("ab")),
            Input::Null,
            Input::Fixed(Kind::Int, 7),
            Input::FixedBox(Kind::Long, 8),
            Input::Elements(Kind::Byte, vec![65, 66, 67]),
        ]);
        let (free, first) = freed(&sentence, 6);
        assert_eq!(input(&free, 0), &Input::string(6));
        assert_eq!(input(&free, 1), &Input::Null);
        assert_eq!(input(&free, 2), &Input::Primitive(Kind::Int));
        assert_eq!(input(&free, 3), &Input::Boxed(Kind::Long));
        assert_eq!(input(&free, 4), &Input::Array { element: Kind::Byte, max: 6 });
        let first: Vec<(Var, Vec<u64>)> = first.into_iter().map(|it| (it.var, it.values)).collect();
        assert_eq!(first, [(0, vec![97, 98]), (2, vec![7]), (3, vec![8]), (4, vec![65, 66, 67])]);
    }

    #[test]
    fn a_freed_text_may_grow_beyond_the_usual_limit() {
        let long = "a".repeat(20);
        let (free, _) = freed(&plan(vec![Input::Text(units(&long))]), 6);
        assert!(matches!(input(&free, 0), Input::String { max, .. } if *max > 20), "{:?}", input(&free, 0));
    }

    #[test]
    fn arrays_of_numbers_keep_their_values() {
        let numbers = Input::Elements(Kind::Int, vec![1, 2]);
        let (free, first) = freed(&plan(vec![numbers.clone()]), 6);
        assert_eq!(input(&free, 0), &numbers);
        assert!(first.is_empty());
    }
}
