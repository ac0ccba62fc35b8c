//! Builds triples from the recording of a test.
//!
//! A call must satisfy the assertions that the same frame makes after it, up to the next call that writes.
//! Calls in between only read, so they are part of the condition. A call that throws in a passing test must
//! throw.

use super::assertions::{Condition, conditions};
use super::code::{code_of, length_of};
use super::continuation::{ContinuationClass, Region};
use super::known_objects::KnownObjects;
use super::origin::{Says, origin, test_name};
use super::recorder::{Observed, Recording};
use super::triples::SuiteTriples;
use crate::binding::{Binding, path_to};
use crate::branch::{Branch, Restriction};
use crate::check::named;
use crate::dependence::{Captured, Given, Initial, Reads, StaticNames, capture, reached, value_at};
use crate::object_copy::{ObjectCopy, Owner};
use crate::path::{Path, RETURNED, THREW};
use crate::shape::{Shape, shape_of};
use crate::watcher::MOST_BRANCHES;
use cupping_classfile::{Action, ClassFile, Code, Instruction, StackType, instructions};
use cupping_contract::{CompiledCase, CompiledTriple, Method, Span};
use cupping_machine::memory::Version;
use cupping_machine::{Addr, Kind, Left, Machine, MethodId, Value};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Number of conditions of tests that must consist of a predicate before it counts as a general property.
const MIN_PREDICATES: usize = 2;

/// A method of a suite whose code the conditions continue.
struct Source {
    case: usize,
    made: usize,
    file: Arc<ClassFile>,
    code: Arc<Code>,
    returns: String,
    /// The locals loaded: whether as references, and whether otherwise.
    loads: BTreeMap<usize, (bool, bool)>,
}

/// Collects the triples of a suite.
pub(super) struct TripleBuilder {
    first: usize,
    depth: usize,
    cases: Vec<CompiledCase>,
    branches: Vec<Branch>,
    /// One generated class per test class.
    made: Vec<(String, ContinuationClass)>,
    sources: BTreeMap<Method, Option<Rc<Source>>>,
    /// Indices of the triples by call, position and end of the condition.
    triples: BTreeMap<TripleKey, usize>,
    /// Branches by testcase and triple.
    by_triple: BTreeMap<(usize, usize), Vec<usize>>,
    /// Per method, the number of branches with and without assertions.
    taken: BTreeMap<Method, (usize, usize)>,
    static_names: StaticNames,
}

/// The identity of a triple: callee, test, position in the test, end of its condition, the predicate that it
/// consists of, and expected exception.
type TripleKey = (Method, Method, u32, Option<u32>, Option<String>, Option<String>);

/// A call of a test, with what all its triples share.
struct Subject<'s> {
    recording: &'s Recording,
    observed: &'s Observed,
    /// Words of its test's frame that are objects.
    is_object: &'s [bool],
    kinds: Vec<Kind>,
    is_new: bool,
    /// The result, if it is an object.
    result: Option<Addr>,
    thrown: Option<String>,
    source: Rc<Source>,
    target: Method,
    /// What the call depends on, and how it is shown.
    call: Captured,
    restrictions: Vec<(usize, Restriction)>,
    path: Path,
    unsure: Option<&'static str>,
}

impl TripleBuilder {
    pub(super) fn new(first: usize, depth: usize) -> TripleBuilder {
        TripleBuilder {
            first,
            depth,
            cases: Vec::new(),
            branches: Vec::new(),
            made: Vec::new(),
            sources: BTreeMap::new(),
            triples: BTreeMap::new(),
            by_triple: BTreeMap::new(),
            taken: BTreeMap::new(),
            static_names: StaticNames::default(),
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

    /// A predicate that tests assert both ways asks for something rather than requires it, and one that a single
    /// condition asserts may hold of that state alone.
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

    /// Adds the triples of a test that has passed.
    /// `start` is the memory before it, of which `top` words were in use.
    pub(super) fn learn(&mut self, machine: &mut Machine, recording: &Recording, start: &Version, top: Addr) {
        // No collection runs during a test, so an address that is an object at the end was never a different
        // one before.
        let words: Vec<u64> = recording.observed.iter().flat_map(|it| it.slots.iter().copied()).collect();
        let is_object = machine.objects_among(&words);
        let thrown: Vec<Option<String>> = recording
            .observed
            .iter()
            .map(|it| match it.how {
                Some(Left::Threw(thrown)) => Some(machine.class_name_of(thrown).to_owned()),
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
    fn source(&mut self, machine: &Machine, caller: MethodId) -> Option<Rc<Source>> {
        let method = named(machine, caller);
        if let Some(known) = self.sources.get(&method) {
            return known.clone();
        }
        let source = self.find_source(machine, caller, &method).map(Rc::new);
        self.sources.insert(method, source.clone());
        source
    }

    fn find_source(&mut self, machine: &Machine, caller: MethodId, method: &Method) -> Option<Source> {
        let loaded = machine.method(caller);
        let file = machine.class(loaded.class).file.clone()?;
        let code = code_of(machine, caller)?;
        let made = match self.made.iter().position(|(_, made)| made.is_for(&method.class)) {
            Some(made) => made,
            None => {
                let name = format!("Cupping$Suite{}", self.first + self.cases.len());
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
            class: self.made[made].0.clone(),
            variables: variables.collect(),
            steps: Vec::new(),
            triples: Vec::new(),
        });
        let mut loads: BTreeMap<usize, (bool, bool)> = BTreeMap::new();
        for instruction in instructions(&code.bytecode).flatten() {
            if let Some((slot, is_reference)) = load(&instruction) {
                let known = loads.entry(slot).or_default();
                *known = (known.0 | is_reference, known.1 | !is_reference);
            }
        }
        let returns = method.descriptor.rsplit(')').next().unwrap_or("V").to_owned();
        Some(Source { case: self.cases.len() - 1, made, file, code, returns, loads })
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        machine: &mut Machine,
        recording: &Recording,
        number: usize,
        how: Left,
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
            Left::Returned(_) if !observed.is_by_reference => {
                conditions(recording, number, observed, &source.code)
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
        let initial = Initial::since(machine, start, top);
        let call = self.captured(machine, observed, &kinds, is_new, &reads, &FxHashSet::default(), &initial);
        let restrictions = observed.arguments.iter().zip(&kinds).enumerate().filter(|(at, _)| !(is_new && *at == 0));
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
                Left::Returned(value) if loaded.result == Kind::Reference => Some(value.as_ref()),
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

    /// What was read of the present state.
    #[allow(clippy::too_many_arguments)]
    fn captured(
        &mut self,
        machine: &Machine,
        observed: &Observed,
        kinds: &[Kind],
        is_new: bool,
        reads: &Reads,
        overwritten: &FxHashSet<(Addr, u32)>,
        initial: &Initial,
    ) -> Captured {
        let arguments: Vec<(usize, Kind, Value)> = kinds
            .iter()
            .zip(&observed.arguments)
            .enumerate()
            .filter(|(at, _)| !(is_new && *at == 0))
            .map(|(at, (kind, value))| (at, *kind, *value))
            .collect();
        let has_receiver = !machine.method(observed.call.method).is_static();
        capture(
            machine,
            &mut self.static_names,
            &Given { arguments: &arguments, has_receiver, reads, overwritten, initial },
        )
    }

    /// What the call and a condition after it read of the state before the call, without what the call overwrote.
    /// The memory is that before the call, before and after.
    fn wider(
        &mut self,
        machine: &mut Machine,
        subject: &Subject<'_>,
        until: usize,
        initial: &Initial,
    ) -> Option<Captured> {
        let Subject { recording, observed, .. } = subject;
        let own = recording.reads_of(observed.reads.0, observed.reads.1)?;
        let all = recording.reads_of(observed.reads.0, until)?;
        let later: Vec<(Addr, u32)> = all
            .locations(machine, observed.top)
            .into_iter()
            .filter(|(object, key)| match key & cupping_machine::ELEMENT {
                0 => !own.has_field(*object, *key),
                _ => !own.has_element(*object, key & !cupping_machine::ELEMENT),
            })
            .collect();
        let values = |machine: &Machine| -> Vec<_> {
            later.iter().map(|(object, key)| value_at(machine, *object, *key)).collect()
        };
        let before = values(machine);
        machine.restore_memory(observed.after.as_ref()?);
        let after = values(machine);
        machine.restore_memory(&observed.before);
        let changed = later.iter().zip(before.iter().zip(&after)).filter(|(_, (before, after))| before != after);
        let overwritten = changed.map(|(location, _)| *location).collect();
        Some(self.captured(machine, observed, &subject.kinds, subject.is_new, &all, &overwritten, initial))
    }

    /// Adds the triple of a call with one of the conditions after it.
    fn triple(
        &mut self,
        machine: &mut Machine,
        subject: &Subject<'_>,
        condition: Option<&Condition>,
        initial: &Initial,
    ) {
        let Subject { recording, observed, source, .. } = subject;
        let predicate = condition.and_then(|it| Some(&recording.predicates[it.predicate?]));
        if predicate.is_some_and(|it| !self.is_general(machine, subject, &it.arguments)) {
            return;
        }
        let wider = match condition {
            Some(condition) => match self.wider(machine, subject, condition.reads, initial) {
                Some(wider) => Some(wider),
                None => return,
            },
            None => None,
        };
        let bindings = match &wider {
            Some(wider) => self.bindings(machine, subject, wider),
            None => Vec::new(),
        };
        let property = predicate.map(|it| {
            let Method { class, name, .. } = named(machine, it.method);
            (format!("{class}.{name}"), it.holds)
        });
        let Some(triple) = self.compiled(machine, subject, condition, &bindings, property.as_ref()) else { return };
        let says = match (condition, &subject.thrown, &property) {
            (_, Some(thrown), _) => Says::Throws(thrown),
            (Some(_), None, Some((name, _))) => Says::Predicate(name.rsplit('.').next().unwrap_or(name)),
            (Some(_), None, None) => Says::Assertions,
            (None, None, _) => Says::Returns,
        };
        let loaded = machine.method(observed.call.method);
        let next = observed.pc + length_of(&source.code, observed.pc);
        let next = source.code.bytecode.get(next as usize).copied().unwrap_or(0);
        // `pop` and `pop2`: the test ignores the result.
        let uses_result =
            loaded.result != Kind::Void && !observed.is_by_reference && !matches!(next, 0x57 | 0x58);
        let unsure = match condition {
            Some(condition) => recording.unsure_in(observed.reads.0, condition.reads),
            None => subject.unsure,
        };
        let branch = Branch {
            case: self.first + source.case,
            triple,
            bindings,
            restrictions: subject.restrictions.clone(),
            assumed: Vec::new(),
            path: subject.path.clone(),
            kinds: subject.kinds.clone(),
            classes: observed.classes.iter().map(|it| machine.class(*it).name.replace('/', ".")).collect(),
            origin: Some(origin(machine, observed, &source.code, &says)),
            dependence: Some(Rc::new(subject.call.dependence.clone())),
            wider: wider.map(|it| Rc::new(it.dependence)),
            unsure,
            uses_result,
            property,
        };
        self.add(branch, subject, condition.is_some() || subject.thrown.is_some());
    }

    /// Repetitions of a call in a loop form one triple.
    fn add(&mut self, branch: Branch, subject: &Subject<'_>, says_something: bool) {
        let known = self.by_triple.entry((branch.case, branch.triple)).or_default();
        let is_same = |it: &Branch| {
            it.restrictions == branch.restrictions
                && it.bindings == branch.bindings
                && it.dependence == branch.dependence
                && it.wider == branch.wider
        };
        match known.iter().find(|at| is_same(&self.branches[**at])) {
            Some(at) => self.branches[*at].path.merge(&branch.path),
            None => {
                known.push(self.branches.len());
                let taken = self.taken.entry(subject.target.clone()).or_default();
                *(if says_something { &mut taken.0 } else { &mut taken.1 }) += 1;
                self.branches.push(branch);
            }
        }
    }

    /// Whether a predicate concerns only what the call is about: its arguments, its result, and what these reach.
    /// The memory is that before the call, before and after.
    fn is_general(&self, machine: &mut Machine, subject: &Subject<'_>, arguments: &[(Kind, Value)]) -> bool {
        let Subject { observed, result, .. } = subject;
        let Some(after) = &observed.after else { return false };
        machine.restore_memory(after);
        let roots = subject.kinds.iter().zip(&observed.arguments).filter(|(kind, _)| **kind == Kind::Reference);
        let roots = roots.map(|(_, value)| value.as_ref()).chain(*result);
        let reached = reached(machine, roots).unwrap_or_default();
        let is_about = |(kind, value): &(Kind, Value)| {
            let object = value.as_ref();
            *kind == Kind::Reference
                && object != 0
                && (Some(object) == *result
                    || reached.contains(&object) && machine.class_name_of(object) != "java/lang/String")
        };
        let is_general = !arguments.is_empty() && arguments.iter().all(is_about);
        machine.restore_memory(&observed.before);
        is_general
    }

    /// The number of the triple of a call with this condition, made if it is new.
    fn compiled(
        &mut self,
        machine: &Machine,
        subject: &Subject<'_>,
        condition: Option<&Condition>,
        bindings: &[Binding],
        property: Option<&(String, bool)>,
    ) -> Option<usize> {
        let Subject { observed, source, target, thrown, is_new, .. } = subject;
        let loaded = machine.method(observed.call.method);
        let until = condition.and_then(|it| it.until);
        let predicate = property.map(|it| it.0.clone());
        let caller = named(machine, observed.caller);
        let key = (target.clone(), caller, observed.pc, until, thrown.clone(), predicate);
        let known = self.triples.get(&key).copied();
        let case = &mut self.cases[source.case];
        // The same position without assertions, as at the end of a loop, forms a triple of its own.
        if let Some(triple) = known.filter(|it| case.triples[*it].post.is_some() == condition.is_some()) {
            return Some(triple);
        }
        let place = case.triples.len();
        let made = &mut self.made[source.made].1;
        let mut post = None;
        if let Some(condition) = condition {
            let name = format!("p{}_{place}", source.case);
            let result = match (is_new, loaded.result) {
                (true, _) => Some(("Ljava/lang/Object;".to_owned(), false)),
                (false, Kind::Void) => None,
                _ => Some((target.descriptor.rsplit(')').next().unwrap_or("V").to_owned(), true)),
            };
            let region = Region {
                file: &source.file,
                code: &source.code,
                returns: &source.returns,
                slots: (observed.locals, observed.slots.len().saturating_sub(observed.locals)),
                result: result.as_ref().map(|(it, is_put)| (it.as_str(), *is_put)),
                from: observed.pc + length_of(&source.code, observed.pc),
                until,
                without: &condition.without,
            };
            post = made.region(&name, &region).then_some(name);
            // A predicate without its condition says nothing.
            if post.is_none() && property.is_some() {
                return None;
            }
        }
        let throws = thrown.as_ref().map(|class| {
            let name = format!("x{}_{place}", source.case);
            made.instance_of(&name, class);
            name
        });
        let is_found = |it: &Binding| matches!(it, Binding::Argument(_) | Binding::Constant(_));
        let needed = bindings.iter().enumerate().filter(|(_, it)| !is_found(it)).map(|(at, _)| at).collect();
        case.triples.push(CompiledTriple {
            span: Span { start: 0, end: 0 },
            seen: bindings.len(),
            target: target.clone(),
            receiver: None,
            arguments: vec![None; loaded.parameters.len()],
            is_new: *is_new,
            pre_span: Span { start: 0, end: 0 },
            pre: String::new(),
            pre_nested: Vec::new(),
            pre_names: Vec::new(),
            pre_is_true: true,
            run: String::new(),
            throws,
            post,
            post_nested: Vec::new(),
            post_names: needed,
            old: Vec::new(),
            modifies: Vec::new(),
        });
        self.triples.insert(key, place);
        Some(place)
    }

    /// How to find the values of the test's slots in the program. The memory is that before the call.
    fn bindings(&self, machine: &Machine, subject: &Subject<'_>, wider: &Captured) -> Vec<Binding> {
        let Subject { recording, observed, source, is_object, .. } = subject;
        let references = subject.kinds.iter().zip(&observed.arguments).enumerate();
        let roots: Vec<(usize, Addr)> = references
            .filter(|(_, (kind, value))| **kind == Kind::Reference && value.bits != 0)
            .map(|(at, (_, value))| (at, Value::as_ref(*value)))
            .collect();
        // Static fields of the suite's own classes do not exist in the program.
        let mut known = None;
        let mut known = || {
            known
                .get_or_insert_with(|| {
                    let all = KnownObjects::new(machine, &roots, &wider.numbers, |it| recording.is_under_test(it));
                    Rc::new(all)
                })
                .clone()
        };
        let top = u64::from(machine.memory().used());
        let mut bindings = Vec::with_capacity(observed.slots.len());
        for (slot, word) in observed.slots.iter().enumerate() {
            let is_object = is_object[slot] && *word < top;
            let (as_reference, as_number) = match source.loads.get(&slot) {
                _ if slot >= observed.locals => (is_object, !is_object),
                Some(known) => *known,
                None => (false, false),
            };
            let object = *word as Addr;
            bindings.push(match (as_reference, as_number) {
                (false, false) => Binding::Constant(Shape::Null),
                (true, _) if is_object => {
                    if let Some((root, way)) = path_to(machine, &roots, object) {
                        if way.is_empty() { Binding::Argument(root) } else { Binding::Field(root, way) }
                    } else if let Shape::Text(units) = shape_of(machine, Kind::Reference, *word, 0, None) {
                        Binding::Constant(Shape::Text(units))
                    } else {
                        let known = known();
                        match known.owner(machine, object) {
                            Owner::Argument(at) => Binding::Argument(at),
                            Owner::Matched(number) => Binding::Matched(number),
                            Owner::Static(class, field) => Binding::Static(class, field, Vec::new()),
                            Owner::Unknown => Binding::Unknown,
                            Owner::Test => ObjectCopy::of(machine, object, &|it| known.owner(machine, it))
                                .map_or(Binding::Unknown, |it| Binding::Copy(Rc::new(it))),
                        }
                    }
                }
                (true, false) => Binding::Constant(Shape::Null),
                _ => Binding::Constant(Shape::Bits(Kind::Long, *word)),
            });
        }
        bindings
    }
}

/// The local variable that an instruction loads, and whether it loads a reference.
fn load(instruction: &Instruction) -> Option<(usize, bool)> {
    // `iinc` also reads its local.
    matches!(instruction.action(), Action::Load | Action::Increment).then_some(())?;
    Some((usize::from(instruction.local()?), instruction.stack_type() == Some(StackType::Reference)))
}
