//! Runs the tests of an earlier run first: their coverage is not searched for again, and their states are
//! extended like others (thesis §7.4).

use super::{Job, Search};
use crate::corpus::{Literals, Rebuild, RecalledTest, StepError};
use crate::driver::{Inputs, PlanDriver};
use crate::invokable::is_asked_for;
use crate::plan::PlanStep;
use cupping_case::{RecordedTest, TEST_FOLDER};
use cupping_explore::{Driver, Exploration, InvocationEnd, Path};
use cupping_term::Model;
use std::rc::Rc;

impl Search<'_> {
    /// Runs the tests of an earlier run.
    pub(super) fn recall(&mut self) {
        let name: Box<str> = Box::from(&*self.machine.class(self.subject.class).name);
        let corpus = self.options.corpus.clone();
        for remembered in corpus.get(&name).into_iter().flatten() {
            if !is_asked_for(&self.options.methods, &remembered.case.under_test) {
                self.recollection.others.push(remembered.clone());
            } else if let Err(why) = self.recall_one(remembered) {
                self.recollection.lost.push((remembered.name.clone(), why));
            }
        }
    }

    fn recall_one(&mut self, remembered: &RecordedTest) -> Result<(), StepError> {
        self.machine.restore(&self.base);
        let literals = Literals::Free { max: self.options.max_elements };
        let access = self.options.filter.access;
        let mut rebuild = Rebuild::new(self.machine, self.subject, access, literals);
        for step in &remembered.case.steps {
            rebuild.step(step)?;
        }
        let (plan, first, fresh) = (rebuild.plan, rebuild.first, rebuild.fresh);
        let under_test = plan.under_test().cloned().filter(|it| self.is_under_test(it));
        let invokable = under_test.ok_or("its method is no longer under test")?;
        let mut job = Job::of(invokable.clone());
        job.remembered = Some(Rc::new(RecalledTest { test: remembered.clone(), fresh }));
        if let Some(PlanStep::Call { arguments, .. }) = plan.steps.last()
            && invokable.has_receiver()
        {
            job.receiver = arguments.first().copied();
        }
        let mut driver = PlanDriver::new(Rc::new(plan));
        let (mut path, mut model) = (Path::default(), Model::new());
        loop {
            let mut bounds = Vec::new();
            match self.enter_next(&mut driver, &Inputs::Symbolic, &mut bounds) {
                Ok(true) => {}
                Ok(false) => return Err("it makes no call".into()),
                Err(trap) => return Err(self.machine.describe_trap(&trap)),
            }
            path = bounds.into_iter().fold(path, |path, bound| path.assume(bound));
            for (var, first) in &first {
                first.set(&driver.slots[*var], self.machine.terms(), &mut model);
            }
            self.machine.adopt_model(&model);
            driver.adopt(self.machine, &model);
            let is_last = driver.next + 1 == driver.plan.steps.len();
            let mut exploration = Exploration::new(cupping_explore::ExplorationLimits::default());
            let mut tools = tools!(self);
            let made = exploration.start(&mut tools, driver, path, model);
            self.account(Default::default(), exploration.counters);
            if is_last {
                let before = self.candidates.len();
                self.complete(&job, made);
                let effects = self.machine.effects();
                let escapes = effects.escapes_so_far(TEST_FOLDER);
                return if self.candidates.len() > before {
                    Ok(())
                } else if let Some(effect) = escapes.first() {
                    Err(format!("it is not safe to run: {effect}"))
                } else {
                    Err("a test can no longer express its outcome".into())
                };
            }
            if !matches!(made.driver.ended, Some(InvocationEnd::Returned(_))) {
                let step = made.driver.plan.steps.get(made.driver.next);
                return Err(match step {
                    Some(PlanStep::Call { invokable, .. }) => {
                        format!("{} no longer returns", invokable.reference.name)
                    }
                    _ => "a step no longer ends".into(),
                });
            }
            (driver, path, model) = (made.driver, made.path, made.model);
        }
    }
}
