//! Stubs: generated implementations of interfaces and abstract classes (mock objects, thesis §7.4). The results of
//! their methods are ordinary inputs and the same for every call.

use crate::parameter::{Parameter, kind_of};
use cupping_case::{Action, MethodRef, Operand, StubMethod, parse_method_descriptor};
use cupping_machine::{Addr, ClassId, Machine, MethodId, Step, StubResult, Value};
use std::rc::Rc;

/// A stub of an interface, or an anonymous subclass of an abstract class.
#[derive(Debug)]
pub struct Stub {
    /// The interface or abstract class.
    pub interface: ClassId,
    /// Its abstract methods with their results.
    methods: Vec<(MethodId, StubResult)>,
    class: ClassId,
    is_functional: bool,
}

impl Stub {
    /// A stub whose methods return these results, in the order of [`Machine::abstract_methods`].
    pub fn new(machine: &mut Machine, interface: ClassId, results: Vec<StubResult>) -> Step<Rc<Stub>> {
        let class = machine.stub_class(interface, &results)?;
        let methods: Vec<(MethodId, StubResult)> =
            machine.abstract_methods(interface).into_iter().zip(results).collect();
        let is_interface = machine.class(interface).access.is_interface();
        let is_functional =
            is_interface && matches!(methods.as_slice(), [(only, _)] if !is_generic(machine, *only));
        Ok(Rc::new(Stub { interface, methods, class, is_functional }))
    }

    /// The methods that return a field.
    pub fn returning(&self) -> impl Iterator<Item = MethodId> {
        let returning = self.methods.iter().filter(|(_, result)| *result == StubResult::Field);
        returning.map(|(method, _)| *method)
    }

    /// The results of methods that return a field, as parameters of the stub.
    pub fn parameters(&self, machine: &Machine) -> Vec<Parameter> {
        self.returning()
            .filter_map(|method| {
                let method = machine.method(method);
                let (_, ty) = parse_method_descriptor(&method.descriptor)?;
                Some(Parameter {
                    kind: kind_of(&ty),
                    ty,
                    name: method.name.to_string(),
                    is_outer: false,
                    generic: None,
                })
            })
            .collect()
    }

    /// Creates an object of the stub with these results. No constructor has run.
    ///
    /// # Errors
    /// Out of memory.
    pub fn make(&self, machine: &mut Machine, results: &[Value]) -> Step<Addr> {
        machine.initialize_class_now(self.class)?;
        let object = machine.new_object(self.class)?;
        let offsets: Vec<u16> =
            machine.class(self.class).fields.iter().filter(|f| !f.is_static()).map(|f| f.offset).collect();
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

    /// The stub as a test's action; for one of an abstract class, with the constructor and its arguments.
    pub fn write_down(
        &self,
        machine: &Machine,
        constructor: Option<MethodRef>,
        args: Vec<Operand>,
        results: &[Operand],
    ) -> Action {
        let mut results = results.iter();
        let methods = self.methods.iter().map(|(method, result)| {
            let method = machine.method(*method);
            StubMethod {
                name: Box::from(&*method.name),
                descriptor: Box::from(&*method.descriptor),
                result: match result {
                    StubResult::Nothing => cupping_case::StubResult::Nothing,
                    StubResult::Parameter(at) => cupping_case::StubResult::Parameter(*at),
                    StubResult::Field => match results.next() {
                        Some(operand) => cupping_case::StubResult::Value(operand.clone()),
                        None => cupping_case::StubResult::Nothing,
                    },
                },
            }
        });
        Action::Implement {
            interface: Box::from(&*machine.class(self.interface).name),
            constructor,
            args,
            methods: methods.collect(),
            is_functional: self.is_functional,
        }
    }
}

/// Whether a method is generic, so that no lambda expression implements it.
fn is_generic(machine: &Machine, method: MethodId) -> bool {
    let method = machine.method(method);
    let file = machine.class(method.class).file.as_ref();
    let declared = file.and_then(|file| file.methods.get(method.index));
    declared.and_then(|m| m.signature.as_deref()).is_some_and(|signature| signature.starts_with('<'))
}
