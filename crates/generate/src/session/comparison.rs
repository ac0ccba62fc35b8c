//! A session that compares a class with another version of it.

use super::{PreparedClass, Session, solver_config};
use crate::case_writer::CaseWriter;
use crate::clock::Clock;
use crate::comparison::{ChangedMethod, ComparisonOutcome};
use crate::influence::Influence;
use crate::observe::Variations;
use crate::options::GenerateOptions;
use crate::outcome::{GenerateError, Progress};
use crate::provisions::string_literals;
use crate::search::{Opponent, Search};
use crate::versions::{Bases, ProgramVersion};
use cupping_classfile::Program;
use cupping_machine::{Machine, MethodId, SpaceId};
use cupping_solve::Solver;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

impl Session {
    /// Adds another version of the program, with which classes can be compared. It runs on the JDK of the first
    /// version. Must be called before any class is worked on.
    pub fn add_version(&mut self, program: Arc<Program>) -> SpaceId {
        self.machine.add_program(program)
    }

    /// Looks for calls of a class that distinguish another version of the program from this one. `changed` are
    /// the methods whose bodies differ; their classes are searched as well. The search for paths and their
    /// comparison alternate.
    ///
    /// # Errors
    ///
    /// [`GenerateError::Class`], also if the other version has no such class.
    pub fn compare(
        &mut self,
        class: &str,
        version: SpaceId,
        changed: &[ChangedMethod],
        options: &GenerateOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ComparisonOutcome, GenerateError> {
        let clock = Clock::start(options);
        let limit = options.budget.as_micros() as u64;
        let (pool, pool_work) = self.collaborators(class, options, &clock)?;
        let program = self.machine.program().clone();
        let is_ours = |name: &str| program.find(name).is_ok_and(|it| it.is_some());
        let others: BTreeSet<Box<str>> =
            changed.iter().map(|it| it.class.clone()).filter(|it| **it != *class && is_ours(it)).collect();
        let others: Vec<Box<str>> = others.into_iter().collect();
        let PreparedClass { map, mut subject, mut literals, .. } = self.prepare(class, &others, options)?;
        subject.add_foreign_makers(&mut self.machine);
        // A change may show in any call of an object.
        if options.methods.is_empty() {
            subject.add_inherited(&self.machine);
        }
        let prepared = self.machine.snapshot();
        let mut version = ProgramVersion::new(&mut self.machine, version, &self.booted, class)
            .map_err(|why| GenerateError::Class(format!("{class} in the new version: {why}")))?;
        // Constants that only the new version compares with are worth trying, too.
        for text in version.on(&mut self.machine, |machine| string_literals(machine, version.class(), 6)) {
            if !literals.contains(&text) {
                literals.push(text);
            }
        }
        self.machine.restore(&prepared);
        let declared = |machine: &mut Machine| -> Vec<Option<MethodId>> {
            let found = changed.iter().map(|it| {
                let class = machine.load(&it.class).ok()?;
                machine.declared_method(class, &it.name, &it.descriptor)
            });
            found.collect()
        };
        let changed_there = version.on(&mut self.machine, declared);
        let changed = declared(&mut self.machine);
        self.machine.restore(&prepared);
        let mut solver = Solver::new(solver_config(options));
        let influence = std::mem::take(&mut self.influence);
        let mut search =
            Search::new(&mut self.machine, &mut solver, options, &map, &subject, literals, influence);
        search.set_pool(pool, pool_work);
        search.clock = clock;
        search.aim_for(changed.iter().flatten().copied());
        let started = search.work().as_micros() as u64;
        search.allow(started + limit.saturating_sub(started) / 10);
        let run = search.run(progress);
        let base = search.base().clone();
        let (machine, _) = search.parts();
        version.warm_up(machine, &base);
        machine.restore(&base);
        let mut writer = CaseWriter::new(machine, &self.booted, &map, &subject);
        let varied = version.class();
        let variations = version.on(machine, |machine| Variations::new(machine, &self.booted, varied));
        machine.restore(&base);
        let mut opponent = Opponent {
            version: Rc::new(version),
            bases: Bases::new(self.booted.clone(), base),
            changed,
            changed_there,
            influence: Influence::default(),
            variations,
            started,
            limit,
        };
        let found = search.differences_from(&mut opponent, &mut writer, progress);
        let (work, elapsed) = (search.work(), search.clock.elapsed());
        let mut internal_errors = std::mem::take(&mut search.internal_errors);
        self.influence = std::mem::take(&mut search.influence);
        drop(search);
        internal_errors.append(&mut writer.internal_errors);
        run.map_err(GenerateError::Class)?;
        Ok(ComparisonOutcome {
            differences: found.differences,
            verdicts: found.verdicts,
            internal_errors,
            work,
            elapsed,
        })
    }
}
