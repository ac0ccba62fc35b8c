//! Provisions by stubs of interfaces.

use super::{MAX_DEPTH, Provider, Provision};
use crate::anonymous_classes::implementations;
use crate::generics::{declared_exceptions, erased, is_parameterised, result_type};
use crate::implementation::is_functional;
use crate::input::Input;
use crate::invokable::{has_present_types, is_nameable, kind_of};
use crate::parameter_call::ParameterCall;
use crate::stub::{Stub, in_turn};
use cupping_case::{JavaType, parse_method_descriptor};
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, Kind, Machine, MethodId, StubResult};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the methods of a stub do, and the provisions that they take.
type Way = (Vec<StubResult>, Vec<Provision>);

/// Limit on the abstract methods of a stubbed interface: where it is not known what is called, and in all.
const MAX_STUBBED: usize = 120;
const MAX_CALLED: usize = 400;
/// Limits on the stubs in what a stub answers, and on those of its own kind: a node that answers with nodes would be a
/// large tree.
const MAX_NESTED: usize = 48;
const MAX_ALIKE: usize = 12;
/// Beyond this number, a stub answers only what the code under test calls.
const LARGE: usize = 12;
/// Beyond this number, a stub of which nobody knows what is called answers only with primitives, texts and `null`.
const MANY: usize = 40;

impl Provider {
    /// Adds stubs of an interface to the objects that were found for it.
    pub(super) fn add_stubs(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
        found: &mut Vec<Provision>,
    ) {
        // Objects of the pool are as they are; what a stub answers is an input.
        let made = found.iter().filter(|it| !matches!(it, Provision::Recipe(_))).count();
        let stubs = self.stubs(machine, class, generic, depth);
        if is_functional(machine, class) {
            // A lambda expression is more useful than the library's constants and factories.
            found.splice(0..0, stubs);
        } else if made < 2 {
            found.extend(stubs);
        } else if !machine.class(class).from_jdk {
            found.extend(stubs.into_iter().take(1));
        }
    }

    /// Whether an object is made with the help of stubs.
    pub(super) fn leans_on_stub(&mut self, machine: &mut Machine, of: &Provision, depth: u32) -> bool {
        match of {
            Provision::Stub(..) => true,
            Provision::Recipe(recipe) => recipe.leans_on_stub(),
            Provision::MakeOf(_, parts) => parts.iter().any(|it| self.leans_on_stub(machine, it, depth)),
            Provision::Prepared(of, _) => self.leans_on_stub(machine, of, depth),
            Provision::Make(maker) if depth < MAX_DEPTH => maker.parameters.iter().any(|parameter| {
                let class = machine.load_descriptor(&parameter.ty.descriptor());
                let of = class.ok().filter(|_| parameter.kind == Kind::Reference).and_then(|class| {
                    self.provisions(machine, class, parameter.generic.as_ref(), depth + 1).first().cloned()
                });
                of.is_some_and(|it| self.leans_on_stub(machine, &it, depth + 1))
            }),
            _ => false,
        }
    }

    /// Stubs of an interface: one whose methods return the first provision of their type, one whose methods
    /// return a parameter if the types allow it, and one that returns `null`.
    pub(super) fn stubs(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        let package = self.package.clone();
        if depth >= MAX_DEPTH || !can_be_implemented(machine, class, &package) {
            return Vec::new();
        }
        let methods = machine.abstract_methods(class);
        let are_present = methods.iter().all(|it| has_present_types(machine, *it));
        let most = if self.called.is_some() { MAX_CALLED } else { MAX_STUBBED };
        if methods.len() > most || has_two_results(machine, &methods) || !are_present {
            return Vec::new();
        }
        let descriptors = match (implementations(machine, class, &methods, &package), &methods[..]) {
            (Some(descriptors), _) => descriptors,
            // A lambda expression has the types that its interface asks for.
            (None, [only]) => vec![Box::from(&*machine.method(*only).descriptor)],
            (None, _) => return Vec::new(),
        };
        let name = machine.class(class).name.to_string();
        let own = generic.cloned().unwrap_or(GenericType::Class { name, arguments: Vec::new() });
        let mut values: Vec<Vec<Provision>> = vec![Vec::new(), Vec::new()];
        let (mut fixed, mut passing) = (Vec::new(), Vec::new());
        let (mut empty, mut holds_more) = (Vec::new(), false);
        let (mut calling, mut given): Way = Default::default();
        let (is_large, are_many) = (methods.len() > LARGE, self.called.is_none() && methods.len() > MANY);
        let (mut silent, mut nested) = (BTreeSet::new(), (0, 0));
        for (method, descriptor) in methods.into_iter().zip(descriptors) {
            let Some((parameters, result)) = parse_method_descriptor(&descriptor) else { return Vec::new() };
            let is_silent = is_large && self.called.as_mut().is_some_and(|it| !it.has(machine, method));
            if is_silent || result == JavaType::Void {
                fixed.push(StubResult::Nothing);
                passing.push(StubResult::Nothing);
                calling.push(StubResult::Nothing);
                if is_silent {
                    silent.insert(method);
                } else if let Some(call) = ParameterCall::of(machine, &own, method) {
                    given.extend(call.arguments.iter().map(|it| self.passed(machine, it, depth)));
                    calling.splice(calling.len() - 1.., [call.result()]);
                }
                continue;
            }
            fixed.push(StubResult::Field);
            let (provision, plain) = if are_many && is_object(&result) {
                (Provision::Input(Input::Null), Provision::Input(Input::Null))
            } else if result.is_reference() {
                let answered = answered_type(machine, &own, method, &result);
                let answers = self.answers(machine, answered, depth);
                let (mut all, mut alike) = nested;
                answers.0.visit_stubs(&mut |of| {
                    all += 1;
                    alike += usize::from(machine.is_subtype(of, class) || machine.is_subtype(class, of));
                });
                if all > MAX_NESTED || alike > MAX_ALIKE {
                    (Provision::Input(Input::Null), Provision::Input(Input::Null))
                } else {
                    nested = (all, alike);
                    answers
                }
            } else {
                let answer = Provision::Input(Input::Primitive(kind_of(&result)));
                (answer.clone(), answer)
            };
            holds_more |= provision.is_symbolic() && !plain.is_symbolic();
            values[0].push(provision.clone());
            match ParameterCall::of(machine, &own, method) {
                Some(call) => {
                    calling.push(call.result());
                    given.extend(call.arguments.iter().map(|it| self.passed(machine, it, depth)));
                }
                None => {
                    calling.push(StubResult::Field);
                    given.push(provision.clone());
                }
            }
            empty.push(plain);
            match parameters.iter().position(|p| *p == result && result.is_reference()) {
                Some(at) => passing.push(StubResult::Parameter(at)),
                None => {
                    passing.push(StubResult::Field);
                    values[1].push(provision);
                }
            }
        }
        let mut ways = vec![(fixed.clone(), values[0].clone())];
        if passing != fixed {
            ways.push((passing, std::mem::take(&mut values[1])));
        }
        if calling != fixed {
            ways.push((calling, given));
        }
        if holds_more {
            ways.push((fixed.clone(), empty));
        }
        ways.extend(self.changing(machine, class, &fixed, &values[0]));
        ways.extend(self.throwing(machine, class, (&fixed, &values[0]), &silent, depth));
        let is_null = |p: &Provision| matches!(p, Provision::Input(Input::Null));
        let nothing = |p: &Provision| match p {
            Provision::Input(Input::Primitive(_)) => p.clone(),
            _ => Provision::Input(Input::Null),
        };
        if values[0].iter().any(|p| !is_null(p) && !matches!(p, Provision::Input(Input::Primitive(_)))) {
            ways.push((fixed, values[0].iter().map(nothing).collect()));
        }
        if !silent.is_empty() {
            // Not all calls can be known: some methods run by reflection, or in the JDK.
            ways.push(self.talkative(machine, class));
        }
        let stub = |(results, provisions)| {
            Some(Provision::Stub(Stub::new(machine, class, results).ok()?, provisions))
        };
        ways.into_iter().filter_map(stub).collect()
    }

    /// All methods answer, with numbers and texts.
    fn talkative(&mut self, machine: &Machine, class: ClassId) -> Way {
        let mut way = Way::default();
        for method in machine.abstract_methods(class) {
            let result =
                parse_method_descriptor(&machine.method(method).descriptor).map(|(_, result)| result);
            let Some(result) = result.filter(|it| *it != JavaType::Void && !is_object(it)) else {
                way.0.push(StubResult::Nothing);
                continue;
            };
            way.0.push(StubResult::Field);
            way.1.push(match result.is_string() {
                true => Provision::Input(Input::string(self.max_elements.min(3))),
                false => Provision::Input(Input::Primitive(kind_of(&result))),
            });
        }
        way
    }

    /// The answers of a stub that differ from call to call: something else the second time, then nothing.
    fn changing(
        &self,
        machine: &mut Machine,
        class: ClassId,
        results: &[StubResult],
        answers: &[Provision],
    ) -> Option<Way> {
        if !can_be_anonymous(machine, class, &self.package) || answers.is_empty() {
            return None;
        }
        let last = |it: &Provision| match it {
            Provision::Input(Input::Primitive(_)) => it.clone(),
            _ => Provision::Input(Input::Null),
        };
        let sequence = |it: &Provision| [it.clone(), it.clone(), last(it)];
        Some((in_turn(results), answers.iter().flat_map(sequence).collect()))
    }

    /// The answers of a stub whose methods throw what they declare, but for the silent ones.
    fn throwing(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        (results, answers): (&[StubResult], &[Provision]),
        silent: &BTreeSet<MethodId>,
        depth: u32,
    ) -> Option<Way> {
        if !can_be_anonymous(machine, class, &self.package) {
            return None;
        }
        let mut answers = answers.iter();
        let (mut all, mut given) = (Vec::new(), Vec::new());
        for (method, result) in machine.abstract_methods(class).into_iter().zip(results) {
            let answer = answers.by_ref().take(result.fields());
            let declared =
                if silent.contains(&method) { Vec::new() } else { declared_exceptions(machine, method) };
            let declared = declared.into_iter().find_map(|exception| {
                let made = self.provisions(machine, exception, None, depth + 1).first().cloned();
                made.filter(|it| !matches!(it, Provision::Input(Input::Null)))
            });
            match declared {
                Some(exception) => {
                    answer.for_each(drop);
                    all.push(StubResult::Throws);
                    given.push(exception);
                }
                None => {
                    all.push(*result);
                    given.extend(answer.cloned());
                }
            }
        }
        all.contains(&StubResult::Throws).then_some((all, given))
    }

    /// What a stub passes to a parameter of this type.
    fn passed(&mut self, machine: &mut Machine, ty: &GenericType, depth: u32) -> Provision {
        match ty {
            GenericType::Primitive(letter) => {
                Provision::Input(Input::Primitive(Kind::of_descriptor(*letter as u8)))
            }
            _ => self.answers(machine, Some(ty.clone()), depth).1,
        }
    }

    /// What a method with this result type returns: for a type with type arguments, first an object that holds
    /// an input, such as an `Optional<Long>` with a number; then the plainest object.
    fn answers(
        &mut self,
        machine: &mut Machine,
        result: Option<GenericType>,
        depth: u32,
    ) -> (Provision, Provision) {
        let null = || Provision::Input(Input::Null);
        let Some(ty) = result else { return (null(), null()) };
        let all = self.typed(machine, &ty, depth + 1);
        let holding = all.iter().find(|it| is_parameterised(&ty) && it.is_symbolic());
        (holding.unwrap_or(&all[0]).clone(), all[0].clone())
    }
}

/// The type of a stub's answer: the generic one, if it is within the declared result. An argument may say less, such as
/// a variable whose bound is that of another declaration.
fn answered_type(
    machine: &mut Machine,
    own: &GenericType,
    method: MethodId,
    result: &JavaType,
) -> Option<GenericType> {
    let answered = result_type(machine, own, method);
    let JavaType::Class(declared) = result else { return answered };
    let wanted = machine.load(declared).ok()?;
    let erased = answered.as_ref().and_then(erased);
    let is_within =
        erased.and_then(|it| machine.load(&it).ok()).is_some_and(|it| machine.is_subtype(it, wanted));
    if is_within {
        answered
    } else {
        Some(GenericType::Class { name: declared.to_string(), arguments: Vec::new() })
    }
}

/// Whether an anonymous class can implement an interface.
fn can_be_anonymous(machine: &mut Machine, class: ClassId, package: &str) -> bool {
    let methods = machine.abstract_methods(class);
    implementations(machine, class, &methods, package).is_some()
}

/// Whether two methods differ only in their result, as in two interfaces with a common subinterface. No class
/// can declare both.
/// A stub of an interface each of whose methods returns one value; `None` if a test in `package` cannot implement it.
pub fn plain_stub(machine: &mut Machine, interface: ClassId, package: &str) -> Option<Rc<Stub>> {
    let methods = machine.abstract_methods(interface);
    let is_plain = methods.len() <= MAX_STUBBED && !has_two_results(machine, &methods);
    let is_said = methods.len() == 1 || implementations(machine, interface, &methods, package).is_some();
    if !is_plain || !is_said || !can_be_implemented(machine, interface, package) {
        return None;
    }
    let result = |it: &MethodId| match machine.method(*it).descriptor.ends_with(")V") {
        true => StubResult::Nothing,
        false => StubResult::Field,
    };
    let results = methods.iter().map(result).collect();
    Stub::new(machine, interface, results).ok()
}

fn has_two_results(machine: &Machine, methods: &[MethodId]) -> bool {
    let head = |id: &MethodId| {
        let method = machine.method(*id);
        let parameters = method.descriptor.split(')').next().unwrap_or_default();
        (method.name.clone(), parameters.to_owned())
    };
    let heads: BTreeSet<_> = methods.iter().map(head).collect();
    heads.len() < methods.len()
}

/// Whether a type is one of objects other than texts.
fn is_object(of: &JavaType) -> bool {
    of.is_reference() && of.descriptor() != "Ljava/lang/String;"
}

/// Whether a test in `package` can implement an interface.
fn can_be_implemented(machine: &Machine, class: ClassId, package: &str) -> bool {
    let loaded = machine.class(class);
    let is_sealed = loaded.file.as_ref().is_some_and(|file| !file.permitted_subclasses.is_empty());
    loaded.access.is_interface() && !is_sealed && is_nameable(machine, class, package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lab, method};

    const SAMPLES: &str = "
        import java.util.*;
        public class Samples {
            interface Source<T extends Number> { T next() throws java.io.IOException; List<T> rest(); }
            interface Text { CharSequence get(); }
            interface Name { String get(); }
            interface Both extends Text, Name { }
            interface Sized { int get(int at); int get(long at); }
            private interface Hidden { int get(); }
            static abstract class Part { abstract int get(); }
        }
    ";

    fn class(name: &str, arguments: Vec<GenericType>) -> GenericType {
        GenericType::Class { name: name.into(), arguments }
    }

    /// The type that a stub of a source of these numbers answers with.
    fn answered(machine: &mut Machine, argument: Option<&str>, name: &str) -> Option<GenericType> {
        let own = class("Samples$Source", argument.iter().map(|it| class(it, vec![])).collect());
        let method = method(machine, "Samples$Source", name);
        let (_, result) = parse_method_descriptor(&machine.method(method).descriptor).expect("a descriptor");
        answered_type(machine, &own, method, &result)
    }

    #[test]
    fn a_stub_answers_within_the_declared_type() {
        let (_folder, mut m) = lab(SAMPLES);
        let load = |m: &mut Machine, name: &str| m.load(name).expect("it is there");
        load(&mut m, "Samples$Source");
        let integer = || class("java/lang/Integer", vec![]);
        assert_eq!(answered(&mut m, Some("java/lang/Integer"), "next"), Some(integer()));
        let list = class("java/util/List", vec![integer()]);
        assert_eq!(answered(&mut m, Some("java/lang/Integer"), "rest"), Some(list));
        let number = Some(class("java/lang/Number", vec![]));
        assert_eq!(answered(&mut m, None, "next"), number, "of the raw type");
        assert_eq!(answered(&mut m, Some("java/lang/Object"), "next"), number, "an Object is no number");

        let next = method(&m, "Samples$Source", "next");
        let declared = declared_exceptions(&mut m, next);
        assert_eq!(
            declared.iter().map(|it| &*m.class(*it).name).collect::<Vec<_>>(),
            ["java/io/IOException"]
        );

        let [text, name, sized] =
            ["Samples$Text", "Samples$Name", "Samples$Sized"].map(|it| load(&mut m, it));
        let gets = [text, name].map(|it| m.abstract_methods(it)[0]);
        assert!(has_two_results(&m, &gets), "one method returns a String, the other a CharSequence");
        assert!(!has_two_results(&m, &gets[..1]));
        let overloaded = m.abstract_methods(sized);
        assert!(overloaded.len() == 2 && !has_two_results(&m, &overloaded));

        let can_be = |m: &mut Machine, name: &str| {
            let class = load(m, name);
            can_be_implemented(m, class, "")
        };
        assert!(can_be(&mut m, "Samples$Text"));
        assert!(!can_be(&mut m, "Samples$Hidden"), "no test can name it");
        assert!(!can_be(&mut m, "Samples$Part"), "it is no interface");
    }
}
