//! Checks without a specification: the inputs are the objects that satisfy a Java predicate (`repOk`), and
//! the predicate must hold again after the call.

use crate::abstraction::{capture, read_back};
use crate::candidates::{CandidateOptions, Candidates, SearchCounters, Share, still_holds};
use crate::check::{Cause, CheckLimits, CheckResult, Example, keep, outcome_of};
use crate::error::{Error, other};
use crate::predicate_scope::PredicateScope;
use crate::specification::Specification;
use crate::target::MethodUnderTest;
use crate::world::{RunEnd, World};
use cupping_classfile::{Program, descriptor};
use cupping_machine::{Addr, MethodId, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// A predicate, and the method to run on the objects that satisfy it.
#[derive(Debug)]
pub struct Predicate {
    /// The class, its fields and the method under test, in the form of a specification.
    pub specification: Specification,
    /// The scope.
    pub scope: PredicateScope,
    /// Whether integers that the predicate only compares are symbolic. Otherwise all their values are
    /// enumerated.
    pub symbolic: bool,
    /// Whether the search learns nogoods from failures.
    pub learns: bool,
    name: String,
    given: PredicateSource,
}

/// The source of a predicate. Each thread reads it again, since formulas cannot be shared between threads.
#[derive(Clone, Debug)]
struct PredicateSource {
    predicate: String,
    method: Option<String>,
    scope: String,
    lines: Vec<String>,
}

impl Predicate {
    /// Reads `com.acme.Tree.repOk`, the method under test if there is one, and the scope. `lines` are further
    /// header lines such as `exclude` and `type`.
    pub fn read(
        program: &Program,
        predicate: &str,
        method: Option<&str>,
        scope: &str,
        lines: &[String],
    ) -> Result<Predicate, Error> {
        let Some((class, name)) = predicate.rsplit_once('.') else {
            return Err(other(format!("{predicate}: write the predicate as CLASS.METHOD")));
        };
        let mut text = format!("class {class}\n");
        if let Some(method) = method {
            text += &format!("method {method}\n");
        }
        for line in lines {
            text += &format!("{line}\n");
        }
        let mut specification = Specification::beside(predicate, &text, program, None, true)?;
        specification.notes.retain(|it| !it.starts_with("there is no postcondition"));
        let bounds = PredicateScope::read(scope)?;
        let known = |name: &str| {
            let field = |it: &str| {
                let plan = &specification.plan;
                let own = plan.classes.classes.values().flat_map(|it| &it.fields).map(|it| it.name.as_str());
                let own = own.chain(specification.before.model.fields().map(|(_, it)| it.name.as_str()));
                own.chain(plan.parameters.iter().map(|it| it.name.as_str())).any(|name| name == it)
            };
            name == "int"
                || name.ends_with("length")
                || specification.before.model.find_signature(name).is_some()
                || field(name.rsplit('.').next().unwrap_or(name))
        };
        if let Some(unknown) = bounds.names().find(|it| !known(it)) {
            return Err(other(format!("--scope {unknown}: no class, field or parameter has this name")));
        }
        let given = PredicateSource {
            predicate: predicate.to_owned(),
            method: method.map(str::to_owned),
            scope: scope.to_owned(),
            lines: lines.to_vec(),
        };
        Ok(Predicate {
            specification,
            scope: bounds,
            symbolic: true,
            learns: true,
            name: name.to_owned(),
            given,
        })
    }

    /// The name of the predicate.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn method(&self, world: &World) -> Result<MethodId, Error> {
        let receiver = self.class();
        let class = world.classes[receiver];
        let machine = &world.machine;
        let of = |descriptor: &str| machine.find_method(class, &self.name, descriptor);
        of("()Z").or_else(|| of(&format!("(L{receiver};)Z"))).ok_or_else(|| {
            other(format!("{} has no predicate `boolean {}()`", receiver.replace('/', "."), self.name))
        })
    }

    /// The class of the predicate.
    fn class(&self) -> &str {
        let plan = &self.specification.plan;
        let made = plan.result.as_ref().filter(|_| plan.constructs);
        let made = made.and_then(|it| descriptor::class_name(&it.0));
        plan.receiver.as_deref().or(made).unwrap_or_default()
    }

    fn ways(&self, share: Share) -> CandidateOptions {
        CandidateOptions { symbols: self.symbolic, learns: self.learns, share }
    }

    /// Counts the structures that satisfy the predicate.
    pub fn count(
        &self,
        world: &mut World,
        progress: impl FnMut(SearchCounters) -> bool,
    ) -> Result<SearchCounters, Error> {
        self.count_share(world, Share::whole(), progress)
    }

    /// Counts the structures of a share of the search.
    pub fn count_share(
        &self,
        world: &mut World,
        share: Share,
        mut progress: impl FnMut(SearchCounters) -> bool,
    ) -> Result<SearchCounters, Error> {
        let predicate = self.method(world)?;
        let mut candidates =
            Candidates::new(&self.specification, world, predicate, &self.scope, self.ways(share))?;
        candidates.each(world, false, |_, so_far| Ok(progress(so_far.tried)))?;
        Ok(candidates.tried)
    }

    /// Counts with several threads, each with its own machine. The result does not depend on their number.
    pub fn count_by(
        &self,
        threads: u32,
        program: &Arc<Program>,
        world: &mut World,
        mut progress: impl FnMut(SearchCounters) -> bool,
    ) -> Result<SearchCounters, Error> {
        let stopped = AtomicBool::new(false);
        let valid = AtomicU64::new(0);
        let (given, symbolic, learns) = (&self.given, self.symbolic, self.learns);
        let part = |share: Share, divided: Receiver<()>| -> Result<SearchCounters, Error> {
            // A search too short to be divided closes the channel.
            if divided.recv().is_err() {
                return Ok(SearchCounters::default());
            }
            let PredicateSource { predicate, method, scope, lines } = given;
            let own = Predicate::read(program, predicate, method.as_deref(), scope, lines)?;
            let mut world = World::boot(program.clone(), &own.specification)?;
            let predicate = own.method(&world)?;
            let ways = CandidateOptions { symbols: symbolic, learns, share };
            let mut search = Candidates::new(&own.specification, &mut world, predicate, &own.scope, ways)?;
            search.each(&mut world, false, |_, _| {
                valid.fetch_add(1, Ordering::Relaxed);
                Ok(!stopped.load(Ordering::Relaxed))
            })?;
            Ok(search.tried)
        };
        let predicate = self.method(world)?;
        let whole = Share::whole();
        let ways = self.ways(whole.clone());
        let mut search = Candidates::new(&self.specification, world, predicate, &self.scope, ways)?;
        thread::scope(|scope| {
            let part = &part;
            let mut others = Vec::new();
            for share in (1..threads).map(|_| whole.other()) {
                let (sender, divided) = mpsc::channel();
                search.notify_division(sender);
                others.push(scope.spawn(move || part(share, divided)));
            }
            let ended = search.each(world, false, |_, so_far| {
                let all = so_far.tried.valid + valid.load(Ordering::Relaxed);
                Ok(progress(SearchCounters { valid: all, ..so_far.tried }))
            });
            let mut tried = search.tried;
            // Dropping the search closes the channel, so that no thread waits forever; the other threads stop
            // if this one did.
            stopped.store(!matches!(ended, Ok(true)), Ordering::Relaxed);
            drop(search);
            for other in others {
                let of_other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                tried.candidates += of_other.candidates;
                tried.valid += of_other.valid;
            }
            ended.map(|_| tried)
        })
    }

    /// The first structures, as instances.
    pub fn show(&self, world: &mut World, most: usize) -> Result<Vec<cupping_relation::Instance>, Error> {
        let predicate = self.method(world)?;
        let mut candidates =
            Candidates::new(&self.specification, world, predicate, &self.scope, self.ways(Share::whole()))?;
        let mut shown = Vec::new();
        candidates.each(world, true, |world, so_far| {
            let arguments = vec![Value::reference(so_far.receiver()); 1];
            shown.push(capture(world, &self.specification, &arguments).0);
            Ok(shown.len() < most)
        })?;
        Ok(shown)
    }

    /// Runs the method under test on all structures.
    pub fn check(
        &self,
        world: &mut World,
        limits: CheckLimits,
        progress: impl FnMut(&CheckResult) -> bool,
    ) -> Result<(CheckResult, SearchCounters), Error> {
        self.check_share(world, limits, Share::whole(), progress)
    }

    /// Runs the method under test on the structures of a share of the search.
    pub fn check_share(
        &self,
        world: &mut World,
        limits: CheckLimits,
        share: Share,
        mut progress: impl FnMut(&CheckResult) -> bool,
    ) -> Result<(CheckResult, SearchCounters), Error> {
        let predicate = self.method(world)?;
        if world.method.is_none() {
            return Err(other("there is no method to run; name one with --method"));
        }
        let is_first = share.is_first();
        let mut candidates =
            Candidates::new(&self.specification, world, predicate, &self.scope, self.ways(share))?;
        let mut checked = CheckResult { is_complete: true, ..CheckResult::default() };
        let is_beside = |it: &MethodUnderTest| it.is_static && !it.drives;
        let skipped = usize::from(self.specification.target.as_ref().is_some_and(is_beside));
        let mut each = |world: &mut World, so_far: &Candidates| {
            let all = so_far.arguments(world)?;
            let start = world.machine.snapshot();
            for arguments in all {
                let is_over = checked.inputs >= limits.limit
                    || world.work >= limits.work
                    || checked.failed() >= limits.stop_after;
                if is_over || !progress(&checked) {
                    checked.is_complete = false;
                    return Ok(false);
                }
                checked.inputs += 1;
                world.machine.restore(&start);
                // A static method does not take the object.
                let ended = world.run(&arguments[skipped..]);
                let (cause, outcome) = outcome_of(world, &ended);
                let cause = cause.or_else(|| {
                    let after = world.machine.snapshot();
                    let holds = self
                        .left(world, so_far.receiver(), &ended)
                        .into_iter()
                        .try_for_each(|it| still_holds(world, predicate, it));
                    world.machine.restore(&after);
                    holds.err().map(Cause::Predicate)
                });
                let Some(cause) = cause else {
                    checked.passed += 1;
                    continue;
                };
                // The states are only read for a counterexample.
                let effects = world.machine.effects();
                let after = world.machine.snapshot();
                world.machine.restore(&start);
                let (instance, input) = capture(world, &self.specification, &arguments);
                world.machine.restore(&after);
                let pair = read_back(world, &self.specification, &instance, &input, &ended);
                keep(
                    &mut checked,
                    limits.examples,
                    cause,
                    Example::new(0, pair, outcome, Vec::new(), effects),
                );
            }
            world.machine.restore(&start);
            Ok(true)
        };
        if self.specification.constructs() {
            if is_first {
                each(world, &candidates)?;
            }
        } else {
            candidates.each(world, true, each)?;
        }
        checked.sort();
        Ok((checked, candidates.tried))
    }

    /// The objects that must satisfy the predicate after a call: the receiver, and the result of a static
    /// method or constructor.
    fn left(&self, world: &World, receiver: Addr, ended: &RunEnd) -> Vec<Addr> {
        let mut all = vec![receiver];
        let plan = &self.specification.plan;
        let is_static = self.specification.target.as_ref().is_some_and(|it| it.is_static);
        if let (RunEnd::Returned(bits), Some((descriptor, _))) = (ended, &plan.result)
            && (is_static || plan.constructs)
            && descriptor.starts_with('L')
            && *bits != 0
            && world.machine.is_subtype(world.machine.class_of(*bits as Addr), world.classes[self.class()])
        {
            all.push(*bits as Addr);
        }
        all.retain(|it| *it != 0);
        all.dedup();
        all
    }
}
