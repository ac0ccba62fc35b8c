//! Observers: methods without effects that show the state of an object. Observers with a parameter are called
//! with values that the test has passed: `getOption("a")` after `addOption("a")`.

use super::changes::has_changed;
use super::observer::{Observer, known_var};
use super::values::build_literal;
use crate::invokable::{Invokable, has_present_types, hides_inherited, is_nameable, kind_of};
use cupping_case::{
    Assertion, Expectation, JavaType, MethodRef, Operand, Probe, VarId, parse_method_descriptor,
};
use cupping_coverage::merge;
use cupping_machine::{Addr, ClassId, Kind, Machine, MethodId, Snapshot, Value};
use std::collections::BTreeSet;

/// Observers asserted of one object, at most.
const MAX_OBSERVERS: usize = 6;
/// Observers called on one object, at most.
const MAX_CALLED: usize = 40;
/// Limit on the observers that take an argument.
const MAX_ASKED: usize = 8;
/// Different arguments of one observer, at most.
const MAX_ARGUMENTS: usize = 2;
/// Fuel of one observer.
const FUEL: u64 = 100_000;

/// JDK types without an `equals` by value, with the method that returns their contents.
const CONTENTS: [(&str, &str, &str); 16] = [
    ("java/lang/StringBuilder", "toString", "()Ljava/lang/String;"),
    ("java/lang/StringBuffer", "toString", "()Ljava/lang/String;"),
    ("java/lang/CharSequence", "toString", "()Ljava/lang/String;"),
    ("java/io/StringWriter", "toString", "()Ljava/lang/String;"),
    ("java/io/CharArrayWriter", "toString", "()Ljava/lang/String;"),
    ("java/io/ByteArrayOutputStream", "toByteArray", "()[B"),
    ("java/util/StringJoiner", "toString", "()Ljava/lang/String;"),
    ("java/util/regex/Pattern", "pattern", "()Ljava/lang/String;"),
    ("java/util/concurrent/atomic/AtomicInteger", "get", "()I"),
    ("java/util/concurrent/atomic/AtomicLong", "get", "()J"),
    ("java/util/concurrent/atomic/AtomicBoolean", "get", "()Z"),
    ("java/util/Collection", "toArray", "()[Ljava/lang/Object;"),
    ("java/util/stream/Stream", "toArray", "()[Ljava/lang/Object;"),
    ("java/util/stream/IntStream", "toArray", "()[I"),
    ("java/util/stream/LongStream", "toArray", "()[J"),
    ("java/util/stream/DoubleStream", "toArray", "()[D"),
];

/// Which observers of an object are asserted.
#[derive(Clone, Copy)]
pub(super) enum Extent<'a> {
    /// All, up to a limit: the object is new.
    All,
    /// Those whose result differs from that in this state, before the invocation under test.
    Changed(&'a Snapshot),
    /// Those whose result differs from that of this object: it is a changed copy of it.
    Unlike(Addr),
    /// None: the invocation under test changes nothing.
    None,
}

/// What an observer is asked with; the value, if it is a variable.
pub(super) type Argument = (Operand, Option<Value>);

/// An observer of an object, or of static state.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) method: MethodId,
    pub(super) reference: MethodRef,
    pub(super) result: JavaType,
    /// At most one, with its object if it is a variable.
    pub(super) argument: Option<Argument>,
    /// Whether it is called on no object.
    pub(super) is_static: bool,
    /// Whether it may change the object: then it is the last call of the test.
    pub(super) disturbs: bool,
}

/// Whether an object is the class loader of the class path or of the JDK: whoever runs tests may have others.
fn is_loader_of_environment(machine: &Machine, object: Addr) -> bool {
    object != 0 && machine.class(machine.class_of(object)).name.starts_with("jdk/internal/loader/")
}

impl Observer<'_> {
    /// Says what the observers of an object show.
    pub(super) fn object(&mut self, id: VarId, declared: &JavaType, object: Addr, extent: Extent<'_>) {
        let JavaType::Class(name) = declared else { return };
        if super::files::is_path_of_environment(self.machine, declared, object)
            || is_loader_of_environment(self.machine, object)
        {
            return;
        }
        let Ok(declared_class) = self.machine.load(name) else { return };
        if object == 0 || !is_nameable(self.machine, declared_class, self.package) {
            return;
        }
        let dynamic = self.machine.class_of(object);
        let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
        for candidate in self.observers(declared_class, dynamic) {
            if changed.len() + unchanged.len() == MAX_CALLED {
                break;
            }
            let arguments = candidate.argument.iter().map(|(operand, _)| operand.clone()).collect();
            let method = candidate.reference.clone();
            let probe = Probe::Observer { receiver: id, method, arguments };
            if self.is_idle(&probe) {
                continue;
            }
            let (hits, effects) = (self.hits.clone(), self.effects.clone());
            let Some(now) = self.call(&candidate, dynamic, object) else { continue };
            let is_changed = match extent {
                _ if changed.len() == MAX_OBSERVERS => false,
                Extent::All => true,
                Extent::None => false,
                Extent::Changed(before) => {
                    self.call_before(before, &candidate, dynamic, object).as_ref() != Some(&now)
                }
                // The text repeats what others show.
                Extent::Unlike(_) if &*candidate.reference.name == "toString" && !changed.is_empty() => false,
                Extent::Unlike(other) => self.call_apart(&candidate, dynamic, other).as_ref() != Some(&now),
            };
            let assertion = Assertion { probe, expectation: now };
            if is_changed {
                changed.push(assertion);
            } else if !self.has_more_effects(&effects) {
                self.unchanged_hits.push((assertion.probe.clone(), std::mem::replace(&mut self.hits, hits)));
                unchanged.push(assertion);
            } else {
                (self.hits, self.effects) = (hits, effects);
            }
        }
        self.assertions.extend(changed);
        self.unchanged.extend(unchanged);
    }

    /// The result of an observer of another object.
    fn call_apart(&mut self, candidate: &Candidate, class: ClassId, object: Addr) -> Option<Expectation> {
        let (hits, effects) = (self.hits.clone(), self.effects.clone());
        let shown = self.call(candidate, class, object);
        (self.hits, self.effects) = (hits, effects);
        shown
    }

    /// The result of an observer in an earlier state.
    pub(super) fn call_before(
        &mut self,
        before: &Snapshot,
        candidate: &Candidate,
        class: ClassId,
        object: Addr,
    ) -> Option<Expectation> {
        let here = self.machine.snapshot();
        let (hits, effects) = (self.hits.clone(), self.effects.clone());
        self.machine.restore(before);
        let shown = self.call(candidate, class, object);
        self.machine.restore(&here);
        (self.hits, self.effects) = (hits, effects);
        shown
    }

    /// The result of an observer on a fork of the state. `None` if it throws, returns no value, or returns an
    /// unstable one.
    pub(super) fn call(
        &mut self,
        candidate: &Candidate,
        class: ClassId,
        object: Addr,
    ) -> Option<Expectation> {
        let here = self.machine.snapshot();
        let method = match candidate.is_static {
            true => candidate.method,
            false => self.machine.select(class, candidate.method),
        };
        let reads = self.machine.registers().volatile_reads;
        let mut operands = Vec::new();
        operands.extend((!candidate.is_static).then(|| Value::reference(object)));
        operands.extend(match &candidate.argument {
            Some((Operand::Literal(literal), _)) => Some(build_literal(self.machine, literal)?),
            Some((Operand::Var(_), value)) => Some((*value)?),
            None => None,
        });
        let shown: Vec<(Kind, Value)> =
            operands.iter().zip(candidate.kinds()).map(|(value, kind)| (kind, *value)).collect();
        self.machine.set_fuel(FUEL);
        // Operands may be new.
        let before = self.machine.snapshot();
        let value = self.machine.call(method, &operands).ok();
        let is_changed = has_changed(self.machine, &shown, &before);
        // An observer must not change what it observes. Methods that return contents count as harmless,
        // although a `StringBuffer` caches its text; for a stream, this is the last assertion.
        let may_disturb = candidate.disturbs || tells_contents(&candidate.reference);
        let stable = self.is_stable(reads) && (!is_changed || may_disturb);
        let kind = kind_of(&candidate.result);
        let effects = self.machine.effects_beside_hooks(&self.hooks);
        let reaches_out = effects
            .escapes(self.machine.test_folder())
            .into_iter()
            .any(|effect| !self.effects.contains(effect));
        let hits = self.machine.registers().coverage.clone();
        let shown = value.filter(|_| stable && !reaches_out).and_then(|value| match kind {
            Kind::Reference => self.shown(value.as_ref(), object),
            _ => Some(Expectation::Equals(crate::input::primitive_literal(kind, kind.narrow(value.bits)))),
        });
        if shown.is_some() {
            self.effects.extend(effects);
            merge(&mut self.hits, &hits);
        }
        self.machine.restore(&here);
        shown
    }

    /// A value that equals an object, or the variable of the test that holds it, as the result of an observer
    /// of another object.
    pub(super) fn shown(&mut self, object: Addr, of: Addr) -> Option<Expectation> {
        if let Some(literal) = self.literal(object) {
            return Some(Expectation::Equals(literal));
        }
        let by_value = self.expected(object).map(Expectation::EqualsValue);
        by_value.or_else(|| known_var(&self.known, object).filter(|_| object != of).map(Expectation::Same))
    }

    /// The result of a method without parameters, or with a literal. Its effects stay until the caller restores the
    /// state. `None` if the object is null, or has no such method.
    pub(super) fn call_observer(&mut self, getter: &Candidate, object: Addr) -> Option<Value> {
        let class = Some(object).filter(|it| *it != 0).map(|it| self.machine.class_of(it))?;
        if !self.machine.is_subtype(class, self.machine.method(getter.method).class) {
            return None;
        }
        let method = self.machine.select(class, getter.method);
        let mut operands = vec![Value::reference(object)];
        if let Some((operand, value)) = &getter.argument {
            operands.push(match operand {
                Operand::Literal(literal) => build_literal(self.machine, literal)?,
                Operand::Var(_) => (*value)?,
            });
        }
        self.machine.set_fuel(FUEL);
        self.machine.call(method, &operands).ok()
    }

    /// Methods without parameters that change the object and return a value.
    pub(super) fn changing(&mut self, class: ClassId, dynamic: ClassId) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        let mut at = Some(class);
        while let Some(id) = at.filter(|id| !self.machine.class(*id).from_jdk) {
            for method in self.machine.class(id).methods.clone() {
                let loaded = self.machine.method(method);
                let public = loaded.access.is_public() || self.machine.class(id).package() == self.package;
                let hidden = loaded.access.is_synthetic() || loaded.is_private() || loaded.access.is_static();
                let gives = loaded.descriptor.starts_with("()") && !loaded.descriptor.ends_with('V');
                if !gives || !public || hidden || rank(&loaded.name, false).is_none() {
                    continue;
                }
                let Some(invokable) = Invokable::new(self.machine, class, method) else { continue };
                let selected = self.machine.select(dynamic, method);
                let effects = self.influence.effects(self.machine, dynamic, selected);
                let is_known = found.iter().any(|it| it.reference.name == invokable.reference.name);
                let is_static = |at: &crate::influence::FieldReference| {
                    self.machine.class(at.class).fields[at.index as usize].is_static()
                };
                let leaves_traces = effects.changes_files || effects.defines.iter().any(is_static);
                if is_known || leaves_traces || !effects.defines_of(self.machine, dynamic) {
                    continue;
                }
                let Invokable { reference, result, .. } = invokable;
                found.push(Candidate {
                    method,
                    reference,
                    result,
                    argument: None,
                    is_static: false,
                    disturbs: true,
                });
            }
            at = self.machine.class(id).super_class;
        }
        found
    }

    /// Getters and similar methods first, then observers with an argument, `toString` last.
    pub(super) fn observers(&mut self, class: ClassId, dynamic: ClassId) -> Vec<Candidate> {
        if let Some(candidate) = self.contents_of(class) {
            return vec![candidate];
        }
        let mut found: Vec<(u32, Candidate)> = Vec::new();
        let mut at = Some(class);
        let (mut names, mut asked) = (BTreeSet::new(), 0);
        while let Some(id) = at {
            if &*self.machine.class(id).name == "java/lang/Object" {
                break;
            }
            for method in self.machine.class(id).methods.clone() {
                let loaded = self.machine.method(method);
                let public = loaded.access.is_public() || self.machine.class(id).package() == self.package;
                let hidden = loaded.access.is_synthetic() || loaded.is_private() || loaded.access.is_static();
                let (own_name, loaded_descriptor) = (loaded.name.clone(), loaded.descriptor.clone());
                let is_getter = loaded.descriptor.starts_with("()");
                if loaded.access.is_synthetic() && hides_inherited(self.machine, method) {
                    names.insert((own_name, loaded_descriptor));
                    continue;
                }
                if loaded.descriptor.ends_with('V') || !public || hidden {
                    continue;
                }
                if &*self.machine.class(id).name == "java/io/File" && &*own_name == "length" {
                    continue;
                }
                let from_jdk = self.machine.class(id).from_jdk;
                let Some(rank) = rank(&own_name, from_jdk) else { continue };
                if !has_present_types(self.machine, method) {
                    continue;
                }
                let is_askable =
                    !from_jdk && asked < MAX_ASKED && only_parameter(&loaded_descriptor).is_some();
                // This runs for each mutant of each test, and a class may have hundreds of methods.
                let is_needed = self.may_be_asserted(&own_name);
                if !names.insert((own_name, loaded_descriptor)) || !is_needed || !is_getter && !is_askable {
                    continue;
                }
                let Some(invokable) = Invokable::new(self.machine, class, method) else { continue };
                let selected = self.machine.select(dynamic, method);
                if !from_jdk {
                    let effects = self.influence.effects(self.machine, dynamic, selected);
                    if effects.defines_of(self.machine, dynamic) || effects.changes_files {
                        continue;
                    }
                }
                let candidate = |argument| {
                    let (reference, result) = (invokable.reference.clone(), invokable.result.clone());
                    Candidate { method, reference, result, argument, is_static: false, disturbs: false }
                };
                if is_getter {
                    found.push((rank, candidate(None)));
                    continue;
                }
                for argument in self.arguments(&invokable.parameters[0].ty) {
                    asked += 1;
                    found.push((ASKED, candidate(Some(argument))));
                }
            }
            at = self.machine.class(id).super_class;
        }
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Arguments of the test that fit a parameter of this type.
    pub(super) fn arguments(&self, ty: &JavaType) -> Vec<Argument> {
        let mut found: Vec<Argument> = Vec::new();
        let is_object = *ty == JavaType::class("java/lang/Object");
        for passed in self.passed.iter().filter(|it| it.ty == *ty || is_object && it.ty.is_reference()) {
            let is_known = found.iter().any(|(operand, _)| *operand == passed.operand);
            if !is_known && found.len() < MAX_ARGUMENTS {
                found.push((passed.operand.clone(), passed.value));
            }
        }
        found
    }

    /// The method that tells the contents of a type of the JDK.
    pub(super) fn contents_of(&mut self, class: ClassId) -> Option<Candidate> {
        if !self.machine.class(class).from_jdk {
            return None;
        }
        for (name, method, descriptor) in CONTENTS {
            let Ok(known) = self.machine.load(name) else { continue };
            if !self.machine.is_subtype(class, known) {
                continue;
            }
            let found = self.machine.find_method(known, method, descriptor)?;
            let mut invokable = Invokable::new(self.machine, known, found)?;
            invokable.reference.class = name.into();
            return Some(Candidate::getter(found, invokable.reference, invokable.result));
        }
        None
    }
}

impl Candidate {
    /// A method without parameters that leaves its object as it is.
    pub(super) fn getter(method: MethodId, reference: MethodRef, result: JavaType) -> Candidate {
        Candidate { method, reference, result, argument: None, is_static: false, disturbs: false }
    }

    /// The kinds of its receiver and its argument.
    fn kinds(&self) -> impl Iterator<Item = Kind> {
        let parameters =
            parse_method_descriptor(&self.reference.descriptor).map_or(Vec::new(), |(them, _)| them);
        let receiver = (!self.is_static).then_some(Kind::Reference);
        receiver.into_iter().chain(parameters.into_iter().map(|ty| kind_of(&ty)))
    }
}

/// Whether a method is one that tells contents.
pub(super) fn tells_contents(method: &MethodRef) -> bool {
    CONTENTS.iter().any(|(class, name, _)| *class == &*method.class && *name == &*method.name)
}

/// The rank of observers with an argument: after all others except `toString`.
const ASKED: u32 = 8;

/// The rank of an observer by its name, most informative first; `None` for methods that are not observers.
pub(super) fn rank(name: &str, from_jdk: bool) -> Option<u32> {
    let starts = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.chars().next().is_some_and(char::is_uppercase))
    };
    match name {
        // Free disk space and folder lengths depend on the computer.
        // The message of an exception covers its `toString`.
        "getLocalizedMessage" | "getSuppressed" | "getStackTrace" => None,
        "getFreeSpace" | "getTotalSpace" | "getUsableSpace" => None,
        "equals" | "compareTo" | "hashCode" | "getClass" | "clone" | "notify" | "notifyAll" | "wait"
        | "finalize" | "iterator" => None,
        "size" | "length" | "isEmpty" => Some(0),
        "toString" => Some(9),
        _ if starts("get") || starts("is") || starts("has") => Some(1),
        _ if name.ends_with("Value") => Some(2),
        _ if from_jdk => None,
        _ => Some(4),
    }
}

/// The type of the parameter of a method that has one.
pub(super) fn only_parameter(descriptor: &str) -> Option<JavaType> {
    let parameters = descriptor.strip_prefix('(')?.split(')').next()?;
    let element = parameters.trim_start_matches('[');
    let is_one = match element.strip_prefix('L') {
        Some(class) => class.find(';') == Some(class.len() - 1),
        None => element.len() == 1,
    };
    is_one.then(|| JavaType::parse(parameters)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_parameter_is_read_from_the_descriptor() {
        assert_eq!(only_parameter("(I)V"), Some(JavaType::Int));
        assert_eq!(only_parameter("(La/B;)V"), Some(JavaType::class("a/B")));
        assert_eq!(only_parameter("([[J)V"), JavaType::parse("[[J"));
        for none in ["()V", "(II)V", "(La/B;I)V", "(ILa/B;)V", "(La/B;La/C;)V", "([I[I)V", "([La/B;[I)V"] {
            assert_eq!(only_parameter(none), None, "{none}");
        }
    }
}
