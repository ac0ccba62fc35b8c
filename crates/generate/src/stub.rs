//! Stubs: generated implementations of interfaces and abstract classes (mock objects, thesis §7.4). The results of
//! their methods are ordinary inputs: one for every call, several in turn, or an exception that is thrown.

use crate::generics::result_type;
use crate::implementation::{implementation, is_functional};
use crate::parameter::{Parameter, kind_of};
use crate::parameter_call::ParameterCall;
use cupping_case::{JavaType, parse_method_descriptor};
use cupping_classfile::GenericType;
use cupping_machine::{Addr, ClassId, Kind, Machine, MethodId, Step, StubResult, Value};
use std::rc::Rc;

/// A stub of an interface, or an anonymous subclass of an abstract class.
#[derive(Debug)]
pub struct Stub {
    /// The interface or abstract class.
    pub interface: ClassId,
    /// Its abstract methods with their results.
    pub(crate) methods: Vec<(MethodId, StubResult)>,
    /// The descriptors with which source implements them.
    pub(crate) descriptors: Vec<Box<str>>,
    /// What they return or throw.
    parameters: Vec<Parameter>,
    class: ClassId,
    pub(crate) is_functional: bool,
}

impl Stub {
    /// A stub whose methods return these results, in the order of [`Machine::abstract_methods`].
    pub fn new(machine: &mut Machine, interface: ClassId, results: Vec<StubResult>) -> Step<Rc<Stub>> {
        let class = machine.stub_class(interface, &results)?;
        let methods: Vec<(MethodId, StubResult)> =
            machine.abstract_methods(interface).into_iter().zip(results).collect();
        let descriptor = |method: &MethodId| {
            let erased = machine.method(*method).descriptor.clone();
            implementation(machine, interface, *method).unwrap_or_else(|| Box::from(&*erased))
        };
        let descriptors: Vec<Box<str>> = methods.iter().map(|(method, _)| method).map(descriptor).collect();
        let parameters = parameters(machine, &methods, &descriptors);
        let is_expression = |it: StubResult| !matches!(it, StubResult::Sequence | StubResult::Throws);
        let is_functional = is_functional(machine, interface)
            && matches!(methods.as_slice(), [(only, it)] if is_expression(*it) && !is_generic(machine, *only));
        Ok(Rc::new(Stub { interface, methods, descriptors, parameters, class, is_functional }))
    }

    /// Whether a method may answer differently from call to call.
    pub fn answers_in_turn(&self) -> bool {
        self.methods.iter().any(|(_, result)| matches!(result, StubResult::Sequence))
    }

    /// Whether the method at this index has no result, so that all it can do with a call is to take note of it.
    pub(crate) fn is_command(&self, at: usize) -> bool {
        self.descriptors[at].ends_with(")V")
    }

    /// Its class on the machine.
    pub(crate) fn class(&self) -> ClassId {
        self.class
    }

    /// Whether a method returns null without being asked to.
    pub(crate) fn returns_null(&self, machine: &Machine) -> bool {
        let mut silent = self.methods.iter().filter(|(_, result)| matches!(result, StubResult::Nothing));
        silent.any(|(method, _)| machine.method(*method).result == Kind::Reference)
    }

    /// The methods that return, throw or pass fields, once for each field.
    pub fn returning(&self) -> impl Iterator<Item = MethodId> {
        self.methods.iter().flat_map(|(method, result)| std::iter::repeat_n(*method, result.fields()))
    }

    /// What methods return or throw, as parameters of the stub.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The generic types of its parameters, as far as they are known.
    pub(crate) fn generic_parameters(
        &self,
        machine: &mut Machine,
        own: &GenericType,
    ) -> Vec<Option<GenericType>> {
        let mut all = Vec::new();
        for (method, result) in &self.methods {
            match result {
                StubResult::Calls { .. } => {
                    let call = ParameterCall::of(machine, own, *method);
                    all.extend(call.into_iter().flat_map(|it| it.arguments).map(Some));
                }
                _ => {
                    let ty = result_type(machine, own, *method);
                    all.extend(std::iter::repeat_n(ty, result.fields()));
                }
            }
        }
        all
    }

    /// Creates an object of the stub with these results. No constructor has run.
    ///
    /// # Errors
    /// Out of memory.
    pub fn make(&self, machine: &mut Machine, results: &[Value]) -> Step<Addr> {
        self.make_of(machine, self.class, results)
    }

    /// As [`Stub::make`]; the object records the calls that it receives ([`Machine::stub_calls`]).
    ///
    /// # Errors
    /// Out of memory.
    pub fn make_recording(&self, machine: &mut Machine, results: &[Value]) -> Step<Addr> {
        let does: Vec<StubResult> = self.methods.iter().map(|(_, result)| *result).collect();
        let class = machine.recording_stub_class(self.interface, &does)?;
        self.make_of(machine, class, results)
    }

    fn make_of(&self, machine: &mut Machine, class: ClassId, results: &[Value]) -> Step<Addr> {
        machine.initialize_class_now(class)?;
        let object = machine.new_object(class)?;
        let offsets: Vec<u16> =
            machine.class(class).fields.iter().filter(|f| !f.is_static()).map(|f| f.offset).collect();
        for (offset, value) in offsets.into_iter().zip(results) {
            let word = object + Addr::from(offset);
            machine.write_word(word, value.bits);
            machine.set_heap_shadow(u64::from(word) * 8, 8, value.shadow);
        }
        Ok(object)
    }

    /// A stub of the same interface in another program; `None` if that has other abstract methods there.
    pub fn of_interface(&self, machine: &mut Machine, interface: ClassId) -> Option<Rc<Stub>> {
        if machine.abstract_methods(interface).len() != self.methods.len() {
            return None;
        }
        // A function of the program is another one there.
        let is_of_program = |it: &StubResult| match it {
            StubResult::Calls { method, .. } => !machine.class(machine.method(*method).class).from_jdk,
            _ => false,
        };
        if interface != self.interface && self.methods.iter().any(|(_, result)| is_of_program(result)) {
            return None;
        }
        let results = self.methods.iter().map(|(_, result)| *result).collect();
        let other = Stub::new(machine, interface, results).ok()?;
        let is_same = |one: MethodId, other: MethodId| {
            let (one, other) = (machine.method(one), machine.method(other));
            one.name == other.name && one.descriptor == other.descriptor
        };
        let pairs = self.methods.iter().zip(&other.methods);
        let has_same = pairs.into_iter().all(|((one, _), (other, _))| is_same(*one, *other));
        has_same.then_some(other)
    }
}

/// What the methods of a stub return or throw, by the descriptors with which source implements them.
fn parameters(
    machine: &Machine,
    methods: &[(MethodId, StubResult)],
    descriptors: &[Box<str>],
) -> Vec<Parameter> {
    let all = methods.iter().zip(descriptors).flat_map(|((method, result), descriptor)| {
        let name = machine.method(*method).name.to_string();
        let types = field_types(machine, *result, descriptor).unwrap_or_default();
        types.into_iter().map(move |ty| Parameter {
            kind: kind_of(&ty),
            ty,
            name: name.clone(),
            is_outer: false,
            generic: None,
        })
    });
    all.collect()
}

/// The types of the fields that a method reads.
fn field_types(machine: &Machine, result: StubResult, descriptor: &str) -> Option<Vec<JavaType>> {
    if let StubResult::Calls { method, .. } = result {
        return parse_method_descriptor(&machine.method(method).descriptor).map(|(parameters, _)| parameters);
    }
    let (_, ty) = parse_method_descriptor(descriptor)?;
    let ty = if result == StubResult::Throws { JavaType::class("java/lang/Throwable") } else { ty };
    Some(vec![ty; result.fields()])
}

/// The same results, each answer differing from call to call.
pub fn in_turn(results: &[StubResult]) -> Vec<StubResult> {
    let changing = |it: &StubResult| match it {
        StubResult::Field => StubResult::Sequence,
        other => *other,
    };
    results.iter().map(changing).collect()
}

/// Whether a method is generic, so that no lambda expression implements it.
fn is_generic(machine: &Machine, method: MethodId) -> bool {
    let method = machine.method(method);
    let file = machine.class(method.class).file.as_ref();
    let declared = file.and_then(|file| file.methods.get(method.index));
    declared.and_then(|m| m.signature.as_deref()).is_some_and(|signature| signature.starts_with('<'))
}
