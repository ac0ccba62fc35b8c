//! Builds triples from the recording of a test.
//!
//! A call must satisfy the assertions that the same frame makes after it, up to the next call that writes.
//! Calls in between only read, so they are part of the condition. A call that throws in a passing test must
//! throw.

use super::SuiteTriples;
use super::continuation::{ContinuationClass, Region};
use super::recorder::{Event, Observed, Predicate, Recording};
use crate::binding::{Binding, path_to, statics};
use crate::branch::{Branch, Origin, Restriction, join};
use crate::check::named;
use crate::object_copy::ObjectCopy;
use crate::path::{Path, RETURNED, THREW};
use crate::shape::{Shape, shape_of};
use crate::watcher::MOST_BRANCHES;
use cupping_classfile::{Action, Code, Instruction, StackType, instructions};
use cupping_contract::{CompiledCase, CompiledTriple, Method, Span};
use cupping_machine::{Addr, Kind, Left, Machine, MethodId, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The assertions that a call must satisfy.
struct Asserted {
    /// The instruction of the test before which the condition ends.
    until: Option<u32>,
    /// Number of reads before the last assertion.
    reads: usize,
    /// The suite's predicate, if the assertion is a general property rather than a comparison with the test's
    /// own values.
    property: Option<Predicate>,
}

/// A method of a suite whose code the conditions continue.
struct Source {
    case: usize,
    made: usize,
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
}

/// The identity of a triple: callee, test, position in the test, end of its condition, and expected
/// exception.
type TripleKey = (Method, Method, u32, Option<u32>, Option<String>);

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
        }
    }

    pub(super) fn finish(self) -> SuiteTriples {
        SuiteTriples {
            cases: self.cases,
            classes: self.made.into_iter().map(|(name, made)| (name, made.bytes())).collect(),
            branches: self.branches,
            ..SuiteTriples::default()
        }
    }

    /// Adds the triples of a test that has passed.
    pub(super) fn learn(&mut self, machine: &mut Machine, recording: &Recording) {
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
                self.call(machine, recording, number, how, thrown, is_object);
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
        let code = file.code(file.methods.get(loaded.index)?).ok()??.clone();
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
        Some(Source { case: self.cases.len() - 1, made, code, returns, loads })
    }

    fn call(
        &mut self,
        machine: &mut Machine,
        recording: &Recording,
        number: usize,
        how: Left,
        thrown: Option<String>,
        is_object: &[bool],
    ) {
        let observed = &recording.observed[number];
        let target = named(machine, observed.call.method);
        let most = self.taken.get(&target).copied().unwrap_or_default();
        if most.0 + most.1 >= MOST_BRANCHES {
            return;
        }
        let Some(source) = self.source(machine, observed.caller) else { return };
        let asserted = match how {
            // A call through a method reference is not in the test's code.
            Left::Returned(_) if observed.is_by_reference => None,
            Left::Returned(_) => assertions(recording, number, observed, &source.code),
            Left::Threw(_) => None,
        };
        // Calls without assertions must leave room for those with assertions.
        if asserted.is_none() && thrown.is_none() && most.1 >= MOST_BRANCHES / 2 {
            return;
        }
        let loaded = machine.method(observed.call.method).clone();
        let is_new = &*loaded.name == "<init>";
        let kinds: Vec<Kind> = std::iter::once(Kind::Reference)
            .filter(|_| !loaded.is_static())
            .chain(loaded.parameters.iter().copied())
            .collect();
        let from = observed.pc + length_of(&source.code, observed.pc);
        let next = source.code.bytecode.get(from as usize).copied().unwrap_or(0);
        let has_result = loaded.result != Kind::Void;
        // `pop` and `pop2`: the test ignores the result.
        let uses_result = has_result && !observed.is_by_reference && !matches!(next, 0x57 | 0x58);

        machine.restore_memory(&observed.before);
        let shapes = |machine: &Machine, reads: &crate::shape::Reads| -> Vec<Shape> {
            let values = kinds.iter().zip(&observed.arguments);
            values.map(|(kind, it)| shape_of(machine, *kind, it.bits, self.depth, Some(reads))).collect()
        };
        let now = shapes(machine, &recording.reads_of(observed.reads.0, observed.reads.1));
        let mut later = Vec::new();
        let mut bindings = Vec::new();
        if let Some(asserted) = &asserted {
            bindings = self.bindings(machine, &source, recording, observed, &kinds, is_object);
            let reads = recording.reads_of(observed.reads.0, asserted.reads);
            later = shapes(machine, &reads);
            if let Some(after) = &observed.after {
                machine.restore_memory(after);
                let behind = shapes(machine, &reads);
                // What the call itself writes is not part of the state before it.
                later.iter_mut().zip(&behind).for_each(|(shape, behind)| join(shape, behind));
            }
        }

        let position = |(at, shape): (usize, Shape)| (!(is_new && at == 0)).then_some((at, shape));
        let restrictions: Vec<(usize, Restriction)> = now
            .iter()
            .cloned()
            .enumerate()
            .filter_map(position)
            .map(|(at, shape)| (at, Restriction::Shape(shape)))
            .collect();
        let later: Vec<(usize, Shape)> = later
            .into_iter()
            .enumerate()
            .filter_map(position)
            .filter(|(at, shape)| now[*at] != *shape)
            .collect();

        let mut labels = observed.labels.clone();
        labels.push(if thrown.is_some() { THREW } else { RETURNED });
        let path = Path::of(&labels);

        let until = asserted.as_ref().and_then(|it| it.until);
        let key = (target.clone(), named(machine, observed.caller), observed.pc, until, thrown.clone());
        let known = self.triples.get(&key).copied();
        let case = &mut self.cases[source.case];
        let triple = match known {
            // The same position without assertions, as at the end of a loop, forms a triple of its own.
            Some(triple) if case.triples[triple].post.is_some() == asserted.is_some() => triple,
            _ => {
                let place = case.triples.len();
                let made = &mut self.made[source.made].1;
                let mut post = None;
                if asserted.is_some() {
                    let name = format!("p{}_{place}", source.case);
                    let result = match &*loaded.name {
                        "<init>" => Some(("Ljava/lang/Object;".to_owned(), false)),
                        _ if has_result => {
                            Some((target.descriptor.rsplit(')').next().unwrap_or("V").to_owned(), true))
                        }
                        _ => None,
                    };
                    let region = Region {
                        code: &source.code,
                        returns: &source.returns,
                        slots: (observed.locals, observed.slots.len().saturating_sub(observed.locals)),
                        result: result.as_ref().map(|(it, is_put)| (it.as_str(), *is_put)),
                        from,
                        until,
                    };
                    post = made.region(&name, &region).then_some(name);
                }
                let throws = thrown.as_ref().map(|class| {
                    let name = format!("x{}_{place}", source.case);
                    made.instance_of(&name, class);
                    name
                });
                let needed = bindings
                    .iter()
                    .enumerate()
                    .filter(|(_, it)| !matches!(it, Binding::Argument(_) | Binding::Constant(_)))
                    .map(|(at, _)| at)
                    .collect();
                case.triples.push(CompiledTriple {
                    span: Span { start: 0, end: 0 },
                    seen: bindings.len(),
                    target,
                    receiver: None,
                    arguments: vec![None; loaded.parameters.len()],
                    is_new,
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
                place
            }
        };
        let branch = Branch {
            case: self.first + source.case,
            triple,
            bindings,
            restrictions,
            assumed: Vec::new(),
            path,
            kinds,
            classes: observed.classes.iter().map(|it| machine.class(*it).name.replace('/', ".")).collect(),
            origin: Some(origin(
                machine,
                observed,
                &source,
                &loaded.name,
                asserted.as_ref(),
                thrown.as_deref(),
            )),
            later,
            uses_result,
            property: asserted.as_ref().and_then(|it| it.property).map(|(method, holds)| {
                let Method { class, name, .. } = named(machine, method);
                (format!("{class}.{name}"), holds)
            }),
        };
        // Repetitions of a call in a loop form one triple.
        let known = self.by_triple.entry((branch.case, branch.triple)).or_default();
        let is_same = |it: &Branch| it.restrictions == branch.restrictions && it.bindings == branch.bindings;
        match known.iter().find(|at| is_same(&self.branches[**at])) {
            Some(at) => self.branches[*at].path.merge(&branch.path),
            None => {
                known.push(self.branches.len());
                let taken = self.taken.entry(named(machine, observed.call.method)).or_default();
                let says_something = asserted.is_some() || thrown.is_some();
                *(if says_something { &mut taken.0 } else { &mut taken.1 }) += 1;
                self.branches.push(branch);
            }
        }
    }

    /// How to find the values of the test's slots in the program.
    fn bindings(
        &self,
        machine: &mut Machine,
        source: &Source,
        recording: &Recording,
        observed: &Observed,
        kinds: &[Kind],
        is_object: &[bool],
    ) -> Vec<Binding> {
        let references = kinds.iter().zip(&observed.arguments).enumerate();
        let roots: Vec<(usize, Addr)> = references
            .filter(|(_, (kind, value))| **kind == Kind::Reference && value.bits != 0)
            .map(|(at, (_, value))| (at, Value::as_ref(*value)))
            .collect();
        let top = u64::from(machine.memory().used());
        // Static fields of the suite's own classes do not exist in the program.
        let of_program = |machine: &Machine| {
            let all = statics(machine).into_iter();
            all.filter(|it| recording.is_under_test(&it.0)).collect::<Vec<_>>()
        };
        let mut known_statics = None;
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
                    } else if let Some(found) = known_statics
                        .get_or_insert_with(|| of_program(machine))
                        .iter()
                        .find(|(.., it)| *it == object)
                    {
                        Binding::Static(found.0.clone(), found.1.clone(), Vec::new())
                    } else {
                        ObjectCopy::of(machine, object, &roots)
                            .map_or(Binding::Unknown, |it| Binding::Copy(Rc::new(it)))
                    }
                }
                (true, false) => Binding::Constant(Shape::Null),
                _ => Binding::Constant(Shape::Bits(Kind::Long, *word)),
            });
        }
        bindings
    }
}

/// The assertions after a call. For a call that writes, all up to the next call that writes; for a call that
/// only reads, the next ones, which concern its result.
fn assertions(recording: &Recording, number: usize, observed: &Observed, code: &Code) -> Option<Asserted> {
    let events = recording.frames.get(&observed.frame)?;
    let at = events.iter().position(|it| matches!(it, Event::Call(call) if *call == number))?;
    let behind = observed.pc + length_of(code, observed.pc);
    // `istore` to `astore_3`: the result is kept in a local and may be asserted later, several times.
    let is_kept = code.bytecode.get(behind as usize).is_some_and(|it| matches!(it, 0x36..=0x4e));
    let mut found: Option<Asserted> = None;
    for event in &events[at + 1..] {
        let other = match event {
            Event::Asserted(pc, reads, property) => {
                let all = found.as_ref().is_none_or(|it| it.property.is_some());
                let until = (!observed.has_written).then(|| pc + length_of(code, *pc));
                found = Some(Asserted { until, reads: *reads, property: property.filter(|_| all) });
                if !observed.has_written && !is_kept {
                    return found;
                }
                continue;
            }
            Event::Call(other) => &recording.observed[*other],
            Event::Other(pc) => return found.map(|it| Asserted { until: it.until.or(Some(*pc)), ..it }),
        };
        if !observed.has_written && found.is_some() {
            return found;
        }
        if other.has_written || !matches!(other.how, Some(Left::Returned(_))) {
            return found.map(|it| Asserted { until: it.until.or(Some(other.pc)), ..it });
        }
    }
    found
}

/// Length of the invoke instruction in bytes.
fn length_of(code: &Code, pc: u32) -> u32 {
    // `invokeinterface` and `invokedynamic`.
    if matches!(code.bytecode.get(pc as usize), Some(0xb9 | 0xba)) { 5 } else { 3 }
}

/// The origin of a triple, and the text of its assertions.
fn origin(
    machine: &Machine,
    observed: &Observed,
    source: &Source,
    name: &str,
    asserted: Option<&Asserted>,
    thrown: Option<&str>,
) -> Origin {
    let method = named(machine, observed.caller);
    let class = machine.class(machine.method(observed.caller).class);
    let file = class.file.as_ref().and_then(|it| it.source_file.clone()).unwrap_or_else(|| "Unknown".into());
    let line = source.code.line_at(observed.pc);
    let shown = line.map_or(String::new(), |it| format!(":{it}"));
    let place = format!("{file}{shown} {}", test_name(&method.class, &method.name));
    let name = if name == "<init>" { "new" } else { name };
    let text = match (asserted, thrown) {
        (_, Some(thrown)) => format!("{name}(…) throws {}", thrown.replace('/', ".")),
        (Some(_), _) => format!("{name}(…) and the assertions after it"),
        _ => format!("{name}(…) returns"),
    };
    Origin { place, text }
}

fn test_name(class: &str, method: &str) -> String {
    // The body of a lambda is part of the test that contains it.
    let parts: Vec<&str> = method.split('$').collect();
    let method = if let ["lambda", name, ..] = parts[..] { name } else { method };
    format!("{}.{method}", class.rsplit('/').next().unwrap_or(class).replace('$', "."))
}

/// The local variable that an instruction loads, and whether it loads a reference.
fn load(instruction: &Instruction) -> Option<(usize, bool)> {
    // `iinc` also reads its local.
    matches!(instruction.action(), Action::Load | Action::Increment).then_some(())?;
    Some((usize::from(instruction.local()?), instruction.stack_type() == Some(StackType::Reference)))
}
