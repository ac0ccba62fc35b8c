//! Builds triples from the recording of a test.
//!
//! A call must satisfy the assertions that the same frame makes after it, up to the next call that writes.
//! Calls in between only read, so they are part of the condition. A call that throws in a passing test must
//! throw.

use super::assertions::conditions;
use super::code::code_of;
use super::continuation::ContinuationClass;
use super::origin::test_name;
use super::recorder::{ObservedCall, Recording};
use super::triples::SuiteTriples;
use crate::branch::{Branch, Restriction};
use crate::dependence::{DependenceCapture, StaticNames, UnchangedMemory};
use crate::method_names::named;
use crate::path::{Path, RETURNED, THREW};
use crate::shape::shape_of;
use crate::watcher::MOST_BRANCHES;
use cupping_classfile::{ClassFile, Code};
use cupping_contract::{CompiledCase, Method};
use cupping_machine::memory::Version;
use cupping_machine::{Addr, CallEnd, Kind, Machine, MethodId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Number of conditions of tests that must consist of a predicate before it counts as a general property.
const MIN_PREDICATES: usize = 2;

/// A method of a suite whose code the conditions continue.
pub(super) struct ContinuedMethod {
    pub(super) case: usize,
    pub(super) made: usize,
    pub(super) file: Arc<ClassFile>,
    pub(super) code: Arc<Code>,
    pub(super) returns: String,
}

/// Collects the triples of a suite.
pub(super) struct TripleBuilder {
    /// Distinguishes the names of its classes from those of other suites.
    pub(super) suite: usize,
    pub(super) depth: usize,
    pub(super) cases: Vec<CompiledCase>,
    pub(super) branches: Vec<Branch>,
    /// One generated class per test class.
    pub(super) made: Vec<(String, ContinuationClass)>,
    pub(super) sources: BTreeMap<Method, Option<Rc<ContinuedMethod>>>,
    /// Indices of the triples by call, position and end of the condition.
    pub(super) triples: BTreeMap<TripleKey, usize>,
    /// Branches by testcase and triple.
    pub(super) by_triple: BTreeMap<(usize, usize), Vec<usize>>,
    /// Per method, the number of branches with and without assertions.
    pub(super) taken: BTreeMap<Method, (usize, usize)>,
    pub(super) static_names: StaticNames,
    /// Classes with methods whose code is not that of the program to be watched.
    replaced_in: BTreeSet<String>,
}

/// The identity of a triple: callee, test, position in the test, end of its condition, the predicate that it
/// consists of, and expected exception.
pub(super) type TripleKey = (Method, Method, u32, Option<u32>, Option<String>, Option<String>);

/// A call of a test, with what all its triples share.
pub(super) struct Subject<'s> {
    pub(super) recording: &'s Recording,
    pub(super) observed: &'s ObservedCall,
    /// Words of its test's frame that are objects.
    pub(super) is_object: &'s [bool],
    pub(super) kinds: Vec<Kind>,
    pub(super) is_new: bool,
    /// The result, if it is an object.
    pub(super) result: Option<Addr>,
    pub(super) thrown: Option<String>,
    pub(super) source: Rc<ContinuedMethod>,
    pub(super) target: Method,
    /// What the call depends on, and how it is displayed.
    pub(super) call: DependenceCapture,
    pub(super) restrictions: Vec<(usize, Restriction)>,
    pub(super) path: Path,
    pub(super) unsure: Option<&'static str>,
}

impl TripleBuilder {
    pub(super) fn new(suite: usize, depth: usize, replaced: &BTreeSet<Method>) -> TripleBuilder {
        TripleBuilder {
            suite,
            depth,
            cases: Vec::new(),
            branches: Vec::new(),
            made: Vec::new(),
            sources: BTreeMap::new(),
            triples: BTreeMap::new(),
            by_triple: BTreeMap::new(),
            taken: BTreeMap::new(),
            static_names: StaticNames::default(),
            replaced_in: replaced.iter().map(|it| it.class.clone()).collect(),
        }
    }

    pub(super) fn finish(mut self) -> SuiteTriples {
        self.drop_weak_predicates();
        SuiteTriples {
            cases: self.cases,
            classes: self.made.into_iter().map(|(name, made)| (name, made.bytes())).collect(),
            branches: self.branches,
            ..SuiteTriples::default()
        }
    }

    /// Drops predicates that tests assert both ways, since they are questions rather than requirements, and
    /// predicates that a single condition asserts, since they may hold of that state alone.
    fn drop_weak_predicates(&mut self) {
        let mut asserted: BTreeMap<&str, (BTreeSet<bool>, usize)> = BTreeMap::new();
        for (predicate, holds) in self.branches.iter().filter_map(|it| it.property.as_ref()) {
            let known = asserted.entry(predicate).or_default();
            known.0.insert(*holds);
            known.1 += 1;
        }
        let weak = asserted.iter().filter(|(_, (ways, count))| ways.len() > 1 || *count < MIN_PREDICATES);
        let weak: BTreeSet<String> = weak.map(|(name, _)| (*name).to_owned()).collect();
        self.branches.retain(|it| it.property.as_ref().is_none_or(|(name, _)| !weak.contains(name)));
    }

    /// Adds the triples of a test that has passed, as far as it was run.
    /// `start` is the memory before it, of which `top` words were in use.
    pub(super) fn learn(&mut self, machine: &mut Machine, recording: &Recording, start: &Version, top: Addr) {
        // No collection runs during a test, so an address that is an object at the end was never a different object
        // before.
        let words: Vec<u64> = recording.observed.iter().flat_map(|it| it.slots.iter().copied()).collect();
        let is_object = machine.objects_among(&words);
        let thrown: Vec<Option<String>> = recording
            .observed
            .iter()
            .map(|it| match it.how {
                Some(CallEnd::Threw(thrown)) => Some(machine.class_name_of(thrown).to_owned()),
                _ => None,
            })
            .collect();
        let end = machine.memory_version();
        let mut rest = &is_object[..];
        for (number, (observed, thrown)) in recording.observed.iter().zip(thrown).enumerate() {
            let (is_object, others) = rest.split_at(observed.slots.len());
            rest = others;
            if let Some(how) = observed.how {
                self.call(machine, recording, number, how, thrown, is_object, (start, top));
            }
        }
        machine.restore_memory(&end);
    }

    /// The test method that makes a call.
    fn source(&mut self, machine: &Machine, caller: MethodId) -> Option<Rc<ContinuedMethod>> {
        let method = named(machine, caller);
        if let Some(known) = self.sources.get(&method) {
            return known.clone();
        }
        let source = self.find_source(machine, caller, &method).map(Rc::new);
        self.sources.insert(method, source.clone());
        source
    }

    fn find_source(
        &mut self,
        machine: &Machine,
        caller: MethodId,
        method: &Method,
    ) -> Option<ContinuedMethod> {
        let loaded = machine.method(caller);
        let file = machine.class(loaded.class).file.clone()?;
        let code = code_of(machine, caller)?;
        let made = match self.made.iter().position(|(_, made)| made.is_for(&method.class)) {
            Some(made) => made,
            None => {
                let name = format!("Cupping$Suite{}${}", self.suite, self.cases.len());
                self.made.push((name.clone(), ContinuationClass::new(&name, &method.class, &file)?));
                self.made.len() - 1
            }
        };
        let variables = (0..code.max_locals + code.max_stack).map(|slot| {
            let variable = code.local_variables.iter().find(|it| it.slot == slot);
            let name = variable.map_or_else(|| format!("slot {slot}"), |it| it.name.to_string());
            (name, true)
        });
        self.cases.push(CompiledCase {
            name: test_name(&method.class, &method.name),
            specification: usize::MAX,
            is_always: false,
            is_returning: false,
            class: self.made[made].0.clone(),
            variables: variables.collect(),
            steps: Vec::new(),
            triples: Vec::new(),
        });
        let returns = method.descriptor.rsplit(')').next().unwrap_or("V").to_owned();
        Some(ContinuedMethod { case: self.cases.len() - 1, made, file, code, returns })
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        machine: &mut Machine,
        recording: &Recording,
        number: usize,
        how: CallEnd,
        thrown: Option<String>,
        is_object: &[bool],
        (start, top): (&Version, Addr),
    ) {
        let observed = &recording.observed[number];
        let target = named(machine, observed.call.method);
        let most = self.taken.get(&target).copied().unwrap_or_default();
        if most.0 + most.1 >= MOST_BRANCHES {
            return;
        }
        let Some(source) = self.source(machine, observed.caller) else { return };
        let conditions = match how {
            // A call through a method reference is not in the test's code.
            CallEnd::Returned(_) if !observed.is_by_reference => {
                let mut classes = observed.classes.iter().map(|it| &*machine.class(*it).name);
                let goes_on = classes.any(|it| self.replaced_in.contains(it));
                conditions(recording, number, observed, &source.code, goes_on)
            }
            _ => Vec::new(),
        };
        // Calls without assertions must leave room for those with assertions.
        if conditions.is_empty() && thrown.is_none() && most.1 >= MOST_BRANCHES / 2 {
            return;
        }
        let Some(reads) = recording.reads_of(observed.reads.0, observed.reads.1) else { return };
        let loaded = machine.method(observed.call.method).clone();
        let receiver = std::iter::once(Kind::Reference).filter(|_| !loaded.is_static());
        let kinds: Vec<Kind> = receiver.chain(loaded.parameters.iter().copied()).collect();
        let is_new = &*loaded.name == "<init>";

        machine.restore_memory(&observed.before);
        let initial = UnchangedMemory::since(machine, start, top);
        let call = self.captured(
            machine,
            recording,
            observed,
            &kinds,
            is_new,
            &reads,
            &FxHashSet::default(),
            &initial,
        );
        let restrictions =
            observed.arguments.iter().zip(&kinds).enumerate().filter(|(at, _)| !(is_new && *at == 0));
        let restrictions = restrictions
            .map(|(at, (value, kind))| {
                let shape = shape_of(machine, *kind, value.bits, self.depth, Some(&reads));
                (at, Restriction::Shape(shape))
            })
            .collect();
        let mut labels = observed.labels.clone();
        labels.push(if thrown.is_some() { THREW } else { RETURNED });
        let subject = Subject {
            recording,
            observed,
            is_object,
            kinds,
            is_new,
            result: match how {
                CallEnd::Returned(value) if loaded.result == Kind::Reference => Some(value.as_ref()),
                _ => None,
            },
            thrown,
            source,
            target,
            call,
            restrictions,
            path: Path::of(&labels),
            unsure: recording.unsure_in(observed.reads.0, observed.reads.1),
        };
        if conditions.is_empty() {
            self.triple(machine, &subject, None, &initial);
        }
        for condition in &conditions {
            self.triple(machine, &subject, Some(condition), &initial);
        }
    }
}
