//! Calls by which an implementation gives something back through its parameters: it fills the collection that it is
//! given, or calls the function.

use crate::generics::{declared_exceptions, parameters_on};
use crate::implementation::is_functional;
use cupping_case::{JavaType, parse_method_descriptor};
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, Machine, MethodId, StubResult};

/// Limit on the arguments of such a call.
const MAX_ARGUMENTS: usize = 3;

/// A call of a method of one of the parameters.
#[derive(Debug)]
pub(crate) struct ParameterCall {
    /// The index of the parameter.
    parameter: usize,
    /// The method of the parameter.
    method: MethodId,
    /// The types of what is passed to it.
    pub(crate) arguments: Vec<GenericType>,
}

impl ParameterCall {
    /// The call that an implementation of an abstract method makes; `own` is the type that declares or inherits it. A
    /// method with a result makes one only if it can return what the call returns.
    pub(crate) fn of(machine: &mut Machine, own: &GenericType, method: MethodId) -> Option<ParameterCall> {
        let types = parameters_on(machine, own, method)?;
        types.iter().enumerate().find_map(|(at, ty)| ParameterCall::on(machine, method, at, ty))
    }

    fn on(
        machine: &mut Machine,
        method: MethodId,
        parameter: usize,
        ty: &GenericType,
    ) -> Option<ParameterCall> {
        let GenericType::Class { name, arguments } = ty else { return None };
        let class = machine.load(name).ok()?;
        let result = result_of(machine, method)?;
        let collection = machine.load("java/util/Collection").ok()?;
        if machine.is_subtype(class, collection) {
            let add = machine.declared_method(collection, "add", "(Ljava/lang/Object;)Z")?;
            // A subtype with other type parameters does not say what its elements are.
            let arguments = if arguments.len() == 1 { arguments.clone() } else { vec![object()] };
            return (result == JavaType::Void).then_some(ParameterCall { parameter, method: add, arguments });
        }
        if !is_functional(machine, class) {
            return None;
        }
        let called = *machine.abstract_methods(class).first()?;
        let arguments = parameters_on(machine, ty, called)?;
        let returned = result_of(machine, called)?;
        let fits = result == JavaType::Void || result == returned;
        let fits = fits && arguments.len() <= MAX_ARGUMENTS && may_throw(machine, method, called);
        fits.then_some(ParameterCall { parameter, method: called, arguments })
    }

    /// The call as the result of a stub's method.
    pub(crate) fn result(&self) -> StubResult {
        let &ParameterCall { parameter, method, ref arguments } = self;
        StubResult::Calls { parameter, method, arguments: arguments.len() }
    }
}

fn object() -> GenericType {
    GenericType::Class { name: "java/lang/Object".into(), arguments: Vec::new() }
}

fn result_of(machine: &Machine, method: MethodId) -> Option<JavaType> {
    parse_method_descriptor(&machine.method(method).descriptor).map(|(_, result)| result)
}

/// Whether a method declares all that another one declares to throw.
fn may_throw(machine: &mut Machine, method: MethodId, called: MethodId) -> bool {
    let all: Vec<ClassId> = declared_exceptions(machine, method);
    let thrown = declared_exceptions(machine, called);
    thrown.iter().all(|it| all.iter().any(|declared| machine.is_subtype(*it, *declared)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lab, method};

    const SAMPLES: &str = "
        import java.util.*;
        import java.util.concurrent.Callable;
        import java.util.function.*;
        public class Samples<T> {
            interface Watcher { boolean sees(int count, String name); }
            interface All<T> {
                void fill(int most, Collection<? super T> into);
                void each(BiConsumer<String, T> visitor);
                void watch(Watcher watcher);
                Object run(Supplier<String> work);
                Object call(Callable<String> work);
                Object callAndThrow(Callable<String> work) throws Exception;
                int count(Watcher watcher);
                int size(List<T> of);
                void rest(Map<String, T> of, Object it);
            }
        }
    ";

    fn class(name: &str, arguments: Vec<GenericType>) -> GenericType {
        GenericType::Class { name: name.into(), arguments }
    }

    #[test]
    fn collections_are_filled_and_functions_called() {
        let (_folder, mut m) = lab(SAMPLES);
        m.load("Samples$All").expect("it is there");
        let integer = class("java/lang/Integer", vec![]);
        let own = class("Samples$All", vec![integer.clone()]);
        let mut call = |name: &str| {
            let of = method(&m, "Samples$All", name);
            let found = ParameterCall::of(&mut m, &own, of)?;
            let called = m.method(found.method).name.to_string();
            Some((found.parameter, called, found.arguments))
        };
        let text = || class("java/lang/String", vec![]);
        assert_eq!(call("fill"), Some((1, "add".into(), vec![integer.clone()])));
        assert_eq!(call("each"), Some((0, "accept".into(), vec![text(), integer])));
        assert_eq!(call("watch"), Some((0, "sees".into(), vec![GenericType::Primitive('I'), text()])));
        assert_eq!(call("run"), Some((0, "get".into(), vec![])));
        assert_eq!(call("callAndThrow"), Some((0, "call".into(), vec![])));
        assert_eq!(call("call"), None, "it may not throw what the callback throws");
        assert_eq!(call("count"), None, "a boolean is no int");
        assert_eq!(call("size"), None, "what it returns is not known");
        assert_eq!(call("rest"), None, "a map is no collection, an object no function");
    }
}
