//! Generates assertions about the result, and the state after the invocation under test.

mod files;

use crate::canonical::canonical;
use crate::influence::Influence;
use crate::input::{boxed_kind, primitive_literal};
use crate::invokable::{Invokable, is_nameable, kind_of};
use crate::plan::PlanStep;
use crate::realization::Realized;
use cupping_case::{Assertion, Case, Effects, Expectation, JavaType, Literal, MethodRef, Probe, VarId};
use cupping_coverage::merge;
use cupping_explore::{Ended, Path};
use cupping_machine::{Addr, ClassId, ClassKind, Kind, Machine, MethodId, TEST_FOLDER, Value};

/// Limit on the observers called on one object.
const MAX_OBSERVERS: usize = 4;
/// Limit on the array elements asserted individually.
const MAX_ELEMENTS: u32 = 24;
/// Limit on the length of a string asserted in full.
const MAX_CHARACTERS: usize = 400;

/// Adds assertions to a case. The machine is at the end of the case's run and stays there. Returns the probes
/// hit by asserted observers, because they also run on the JDK.
pub fn observe(
    machine: &mut Machine,
    influence: &mut Influence,
    case: &mut Case,
    realized: &Realized,
    ids: &[Option<VarId>],
    package: &str,
) -> Vec<u64> {
    // Values that depend on the clock, identity hash codes or randomness are not asserted.
    let is_volatile = machine.registers().volatile_reads > 0;
    let files = files::observe(machine, &realized.driver.files, is_volatile, realized.plan.has_folder());
    if is_volatile {
        case.assertions = files;
        return Vec::new();
    }
    let Some(PlanStep::Call { invokable, arguments, result }) = realized.plan.steps.last() else {
        return Vec::new();
    };
    let effects = std::mem::take(&mut case.effects);
    let mut observer =
        Observer { machine, influence, package, assertions: Vec::new(), hits: Vec::new(), effects };
    if matches!(realized.ended, Ended::Returned(_))
        && let Some(var) = result
        && let (Some(id), Some(value)) = (ids[*var], realized.driver.slots[*var].value)
    {
        let known: Vec<(VarId, Addr)> = (0..ids.len())
            .filter(|other| other != var)
            .filter_map(|other| Some((ids[other]?, realized.driver.slots[other].value?)))
            .filter(|(other, _)| case.variables[other.0 as usize].ty.is_reference())
            .map(|(other, value)| (other, value.as_ref()))
            .collect();
        observer.value(id, &realized.plan.variables[*var].ty, value, &known, invokable.is_constructor());
    }
    if invokable.has_receiver()
        && let Some(id) = ids[arguments[0]]
        && let Some(receiver) = realized.driver.slots[arguments[0]].value
    {
        let class = observer.machine.class_of(receiver.as_ref());
        let effects = observer.influence.effects(observer.machine, class, invokable.method);
        if !effects.is_pure() {
            observer.object(id, &realized.plan.variables[arguments[0]].ty, receiver.as_ref());
        }
    }
    // The invocation may have written to argument arrays.
    for argument in arguments {
        let ty = &realized.plan.variables[*argument].ty;
        if let (JavaType::Array(element), Some(id), Some(value)) =
            (ty, ids[*argument], realized.driver.slots[*argument].value)
            && !element.is_reference()
            && *result != Some(*argument)
        {
            observer.array(id, value.as_ref());
        }
    }
    case.assertions = observer.assertions;
    case.assertions.extend(files);
    case.effects = observer.effects;
    observer.hits
}

struct Observer<'a> {
    machine: &'a mut Machine,
    influence: &'a mut Influence,
    package: &'a str,
    assertions: Vec<Assertion>,
    hits: Vec<u64>,
    /// Effects of the case's run and of the asserted observers.
    effects: Effects,
}

impl Observer<'_> {
    fn say(&mut self, probe: Probe, expectation: Expectation) {
        self.assertions.push(Assertion { probe, expectation });
    }

    /// Asserts a value.
    fn value(&mut self, id: VarId, ty: &JavaType, value: Value, known: &[(VarId, Addr)], is_new: bool) {
        let kind = kind_of(ty);
        if kind != Kind::Reference {
            self.say(Probe::Var(id), Expectation::Equals(primitive_literal(kind, kind.narrow(value.bits))));
            return;
        }
        let object = value.as_ref();
        if let Some(path) = files::path_in_folder(self.machine, ty, object) {
            self.say(Probe::Var(id), Expectation::InFolder(path));
            return;
        }
        if let Some(literal) = self.literal(object) {
            self.say(Probe::Var(id), Expectation::Equals(literal));
            return;
        }
        if ty.is_string() {
            self.say(Probe::Var(id), Expectation::NotNull);
            return;
        }
        if let Some((same, _)) = known.iter().find(|(_, other)| *other == object) {
            self.say(Probe::Var(id), Expectation::Same(*same));
            return;
        }
        // An array declared as an object would need a cast for the comparison.
        if matches!(ty, JavaType::Array(_)) && self.array(id, object) {
            return;
        }
        let before = self.assertions.len();
        self.object(id, ty, object);
        if self.assertions.len() == before && !is_new {
            self.say(Probe::Var(id), Expectation::NotNull);
        }
    }

    /// The literal that equals an object: `null`, a string, box, enum constant or class.
    fn literal(&self, object: Addr) -> Option<Literal> {
        let machine = &*self.machine;
        if object == 0 {
            return Some(Literal::Null);
        }
        let class_id = machine.class_of(object);
        let class = machine.class(class_id);
        if &*class.name == "java/lang/String" {
            let units = machine.string_units(object);
            let stable = units.len() <= MAX_CHARACTERS && !speaks_of_environment(&units);
            return stable.then_some(Literal::String(units));
        }
        if let Some(kind) = boxed_kind(&class.name) {
            let offset = machine.field_offset(class_id, "value")?;
            let literal = primitive_literal(kind, machine.field(object, offset));
            return Some(Literal::Boxed(Box::new(literal)));
        }
        if &*class.name == "java/lang/Class" {
            let shown = machine.class_of_mirror(object);
            let ty = JavaType::parse(&machine.descriptor_of(shown))?;
            return is_nameable(machine, shown, self.package).then_some(Literal::Class(ty));
        }
        self.enum_constant(object, class_id)
    }

    fn enum_constant(&self, object: Addr, class: ClassId) -> Option<Literal> {
        let machine = &*self.machine;
        // A constant with a body belongs to a subclass of the enum.
        let candidates = [Some(class), machine.class(class).super_class];
        for owner in candidates.into_iter().flatten() {
            let owner_class = machine.class(owner);
            if !owner_class.access.is_enum() || !is_nameable(machine, owner, self.package) {
                continue;
            }
            for field in owner_class.fields.iter().filter(|f| f.is_static() && f.access.is_enum()) {
                if machine.static_field(owner, &field.name) == Some(object as u64) {
                    return Some(Literal::Constant {
                        class: Box::from(&*owner_class.name),
                        field: Box::from(&*field.name),
                    });
                }
            }
        }
        None
    }

    /// Asserts an array of literals; false if it is not one, or is too long.
    fn array(&mut self, id: VarId, object: Addr) -> bool {
        if object == 0 {
            return false;
        }
        let class = self.machine.class_of(object);
        let ClassKind::Array { kind, element } = self.machine.class(class).kind else { return false };
        let length = self.machine.array_length(object);
        if length > MAX_ELEMENTS {
            return false;
        }
        let mut elements = Vec::new();
        for index in 0..length {
            let literal = if kind == Kind::Reference {
                let name = self.machine.class(element).name.clone();
                if &*name != "java/lang/String" && boxed_kind(&name).is_none() && &*name != "java/lang/Object"
                {
                    return false;
                }
                self.literal(self.machine.element_ref(object, index))
            } else {
                Some(primitive_literal(kind, kind.narrow(self.machine.element(object, index, kind))))
            };
            match literal {
                Some(literal) => elements.push(literal),
                None => return false,
            }
        }
        self.say(Probe::Var(id), Expectation::ArrayEquals(elements));
        true
    }

    /// Asserts the observers of an object.
    fn object(&mut self, id: VarId, declared: &JavaType, object: Addr) {
        let JavaType::Class(name) = declared else { return };
        if files::is_path_of_environment(self.machine, declared, object) {
            return;
        }
        let Ok(declared_class) = self.machine.load(name) else { return };
        if !is_nameable(self.machine, declared_class, self.package) {
            return;
        }
        let dynamic = self.machine.class_of(object);
        let mut said = 0;
        for (method, reference, result) in self.observers(declared_class, dynamic) {
            if said == MAX_OBSERVERS {
                return;
            }
            if let Some(literal) = self.call(method, dynamic, object, &result) {
                self.say(Probe::Observer { receiver: id, method: reference }, Expectation::Equals(literal));
                said += 1;
            }
        }
    }

    /// The literal that an observer returns on a fork of the state; `None` if it throws, or its result is not
    /// a literal or not stable.
    fn call(&mut self, method: MethodId, class: ClassId, object: Addr, result: &JavaType) -> Option<Literal> {
        let here = self.machine.snapshot();
        let method = self.machine.select(class, method);
        self.machine.set_fuel(2_000_000);
        let before = canonical(self.machine, &[Value::reference(object)], &Path::default()).map(|c| c.key);
        let value = self.machine.call(method, &[Value::reference(object)]).ok();
        let after = canonical(self.machine, &[Value::reference(object)], &Path::default()).map(|c| c.key);
        // An observer must not change what it observes.
        let stable = self.machine.registers().volatile_reads == 0 && before == after;
        let kind = kind_of(result);
        let literal = value.filter(|_| stable).and_then(|value| match kind {
            Kind::Reference => self.literal(value.as_ref()),
            _ => Some(primitive_literal(kind, kind.narrow(value.bits))),
        });
        let effects = self.machine.effects();
        let reaches_out =
            effects.escapes(TEST_FOLDER).into_iter().any(|effect| !self.effects.contains(effect));
        let literal = literal.filter(|_| !reaches_out);
        if literal.is_some() {
            self.effects.extend(effects);
            merge(&mut self.hits, &self.machine.registers().coverage);
        }
        self.machine.restore(&here);
        literal
    }

    /// Parameterless methods without effects whose result is a literal: getters and the like first,
    /// `toString` last.
    fn observers(&mut self, class: ClassId, dynamic: ClassId) -> Vec<(MethodId, MethodRef, JavaType)> {
        let mut found: Vec<(u32, MethodId, MethodRef, JavaType)> = Vec::new();
        let mut at = Some(class);
        let mut names = std::collections::BTreeSet::new();
        while let Some(id) = at {
            if &*self.machine.class(id).name == "java/lang/Object" {
                break;
            }
            for method in self.machine.class(id).methods.clone() {
                let Some(invokable) = Invokable::new(self.machine, class, method) else { continue };
                let loaded = self.machine.method(method);
                let public = loaded.access.is_public() || self.machine.class(id).package() == self.package;
                let hidden = loaded.access.is_synthetic() || loaded.is_private();
                let own_name = loaded.name.clone();
                let plain = invokable.parameters.is_empty() && invokable.has_receiver() && public && !hidden;
                if &*self.machine.class(id).name == "java/io/File" && &*own_name == "length" {
                    continue;
                }
                let Some(rank) = rank(&invokable.reference.name, self.machine.class(id).from_jdk) else {
                    continue;
                };
                if !plain || !is_literal_type(self.machine, &invokable.result) || !names.insert(own_name) {
                    continue;
                }
                let from_jdk = self.machine.class(id).from_jdk;
                let selected = self.machine.select(dynamic, method);
                if !from_jdk {
                    let effects = self.influence.effects(self.machine, dynamic, selected);
                    if effects.defines_of(self.machine, dynamic) || effects.changes_files {
                        continue;
                    }
                }
                found.push((rank, method, invokable.reference.clone(), invokable.result.clone()));
            }
            at = self.machine.class(id).super_class;
        }
        found.sort_by_key(|(rank, ..)| *rank);
        found.into_iter().map(|(_, method, reference, result)| (method, reference, result)).collect()
    }
}

/// Whether a text contains the machine's user, home or other folders, which share a prefix, or the test's
/// folder.
pub(crate) fn speaks_of_environment(units: &[u16]) -> bool {
    let mark: Vec<u16> = "cupping-".encode_utf16().collect();
    let folder = TEST_FOLDER.rsplit('/').next().unwrap_or_default();
    units.windows(mark.len()).any(|window| window == mark) || folder.encode_utf16().eq(units.iter().copied())
}

/// How informative an observer with this name is likely to be; `None` for other methods.
fn rank(name: &str, from_jdk: bool) -> Option<u32> {
    let starts = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.chars().next().is_some_and(char::is_uppercase))
    };
    match name {
        // Disk space and the size of a folder depend on the computer.
        "getFreeSpace" | "getTotalSpace" | "getUsableSpace" => None,
        "hashCode" | "getClass" | "clone" | "notify" | "notifyAll" | "wait" | "finalize" | "iterator" => None,
        "size" | "length" | "isEmpty" => Some(0),
        "toString" => Some(9),
        _ if starts("get") || starts("is") || starts("has") => Some(1),
        _ if name.ends_with("Value") => Some(2),
        _ if from_jdk => None,
        _ => Some(4),
    }
}

fn is_literal_type(machine: &mut Machine, ty: &JavaType) -> bool {
    match ty {
        JavaType::Void | JavaType::Array(_) => false,
        JavaType::Class(name) => {
            ty.is_string()
                || boxed_kind(name).is_some()
                || machine.load(name).is_ok_and(|class| machine.class(class).access.is_enum())
        }
        _ => true,
    }
}
