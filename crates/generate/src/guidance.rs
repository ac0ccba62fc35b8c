//! Guidance by people (thesis §7.4): how an object is set up, which factories create one, and which strings
//! are worth passing. It comes from a named set-up and from existing tests.

use crate::invokable::{Invokable, Subject, is_testable};
use crate::setup::Prelude;
use cupping_classfile::{Action, ClassFile, Constant, Invocation, MethodDescriptor};
use cupping_machine::Machine;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Limit on the strings taken from tests for one class, since each one is another value for every parameter.
const MOST_LITERALS: usize = 12;
/// Limit on the length of such a string.
const LONGEST: usize = 64;

/// What is known about classes, by internal name.
#[derive(Clone, Debug, Default)]
pub struct Guidance {
    /// Strings that tests pass to methods of the class.
    literals: BTreeMap<String, Vec<Vec<u16>>>,
    /// Static methods of other classes that tests use to obtain objects of the class.
    factories: BTreeMap<String, Vec<Factory>>,
    setups: Vec<(String, String)>,
    preludes: Vec<Arc<Prelude>>,
}

/// A factory method.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Factory {
    class: String,
    name: String,
    descriptor: String,
}

impl Guidance {
    /// Makes this static method (internal class name and method name) the start of every sequence on an object
    /// that it can create.
    pub fn set_up(&mut self, class: &str, method: &str) {
        self.setups.push((class.to_owned(), method.to_owned()));
    }

    /// Makes this set-up the start of every sequence on an object that it leaves.
    pub fn begin_with(&mut self, prelude: Prelude) {
        self.preludes.push(Arc::new(prelude));
    }

    /// The set-ups at the start of sequences.
    pub(crate) fn preludes(&self) -> &[Arc<Prelude>] {
        &self.preludes
    }

    /// Collects guidance from a class of existing tests.
    pub fn read(&mut self, tests: &ClassFile) {
        for method in tests.methods.iter() {
            let Ok(Some(code)) = tests.code(method) else { continue };
            let mut waiting: Vec<Vec<u16>> = Vec::new();
            for instruction in cupping_classfile::instructions(&code.bytecode).map_while(Result::ok) {
                if let Some(Constant::String(units)) = instruction.constant(tests)
                    && instruction.action() == Action::LoadConstant
                {
                    waiting.push(units);
                }
                if let Some(Constant::Method { class, name, descriptor, .. }) = instruction.constant(tests) {
                    let literals = std::mem::take(&mut waiting);
                    let is_static = instruction.action() == Action::Invoke(Invocation::Static);
                    self.called(&class, &name, &descriptor, is_static, literals);
                }
            }
        }
    }

    /// Records a method call of a test, with the strings loaded since the previous call.
    fn called(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        is_static: bool,
        literals: Vec<Vec<u16>>,
    ) {
        let is_foreign = ["java/", "javax/", "org/junit/", "junit/", "org/hamcrest/"]
            .iter()
            .any(|it| class.starts_with(it));
        if is_foreign {
            return;
        }
        let known = self.literals.entry(class.to_owned()).or_default();
        for units in literals {
            if known.len() < MOST_LITERALS && units.len() <= LONGEST && !known.contains(&units) {
                known.push(units);
            }
        }
        let result = MethodDescriptor::parse(descriptor).and_then(|it| it.result);
        if let Some(cupping_classfile::FieldType::Object(made)) = result
            && is_static
            && *made != *class
        {
            let factory =
                Factory { class: class.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() };
            let known = self.factories.entry(made.into()).or_default();
            if !known.contains(&factory) {
                known.push(factory);
            }
        }
    }

    /// The strings that tests pass to methods of a class.
    pub(crate) fn literals(&self, class: &str) -> Vec<Vec<u16>> {
        self.literals.get(class).cloned().unwrap_or_default()
    }

    /// Tells the search how to create objects of the class under test.
    pub(crate) fn apply(&self, machine: &mut Machine, subject: &mut Subject) {
        let name = machine.class(subject.class).name.to_string();
        let factories = self.factories.get(&name).cloned().unwrap_or_default();
        for Factory { class, name, descriptor } in factories {
            let found = maker(machine, subject, &class, |it_name, it| it_name == name && it == descriptor);
            subject.makers.extend(found);
        }
        let mut made = Vec::new();
        for (class, method) in &self.setups {
            made.extend(maker(machine, subject, class, |it_name, _| it_name == method));
        }
        if !made.is_empty() {
            subject.makers = made;
            subject.constants.clear();
            subject.is_set_up = true;
        }
    }
}

/// The static method with this name and descriptor, if tests of the subject can call it and it creates an
/// object of the class.
fn maker(
    machine: &mut Machine,
    subject: &Subject,
    class: &str,
    is_meant: impl Fn(&str, &str) -> bool,
) -> Vec<Rc<Invokable>> {
    let Ok(class) = machine.load(class) else { return Vec::new() };
    let mut found = Vec::new();
    for method in machine.class(class).methods.clone() {
        let loaded = machine.method(method);
        let (name, descriptor) = (loaded.name.clone(), loaded.descriptor.clone());
        if !loaded.is_static()
            || !is_meant(&name, &descriptor)
            || !is_testable(machine, method, &subject.package)
        {
            continue;
        }
        let result = descriptor.rsplit(')').next().unwrap_or_default().to_owned();
        let makes_it = result.starts_with('L')
            && machine.load_descriptor(&result).is_ok_and(|it| machine.is_subtype(it, subject.class));
        if makes_it {
            found.extend(Invokable::new(machine, class, method).map(Rc::new));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    /// What is known after a call of an instance method with these strings.
    fn after(class: &str, strings: &[&str]) -> Guidance {
        let mut guidance = Guidance::default();
        let strings = strings.iter().map(|it| units(it)).collect();
        guidance.called(class, "put", "(Ljava/lang/String;)V", false, strings);
        guidance
    }

    /// The classes for which a static method of `p.Boxes` is known to create objects.
    fn made_by(descriptor: &str, is_static: bool) -> Vec<String> {
        let mut guidance = Guidance::default();
        for _ in 0..2 {
            guidance.called("p/Boxes", "make", descriptor, is_static, Vec::new());
        }
        assert!(guidance.factories.values().all(|it| it.len() == 1), "a factory is known once");
        guidance.factories.into_keys().collect()
    }

    #[test]
    fn strings_are_known_for_the_class_that_tests_pass_them_to() {
        let guidance = after("p/Box", &["red", "blue", "red"]);
        assert_eq!(guidance.literals("p/Box"), [units("red"), units("blue")]);
        assert!(guidance.literals("p/Lid").is_empty());
    }

    #[test]
    fn what_tests_pass_to_libraries_is_not_worth_passing() {
        for class in ["java/util/List", "javax/xml/Parser", "org/junit/Assert", "org/hamcrest/Matchers"] {
            assert!(after(class, &["red"]).literals(class).is_empty(), "{class}");
        }
        assert_eq!(after("javafx/Box", &["red"]).literals("javafx/Box").len(), 1);
    }

    #[test]
    fn long_strings_and_too_many_are_left_out() {
        let (long, longer) = ("a".repeat(LONGEST), "b".repeat(LONGEST + 1));
        assert_eq!(after("p/Box", &[&longer, &long]).literals("p/Box"), [units(&long)]);
        let many: Vec<String> = (0..30).map(|it| it.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(after("p/Box", &many).literals("p/Box").len(), MOST_LITERALS);
    }

    #[test]
    fn static_methods_that_return_objects_of_other_classes_are_factories() {
        assert_eq!(made_by("(I)Lp/Box;", true), ["p/Box"]);
        assert!(made_by("(I)Lp/Box;", false).is_empty(), "it needs an object itself");
        assert!(made_by("(I)Lp/Boxes;", true).is_empty(), "the class knows its own factories");
        assert!(made_by("(I)I", true).is_empty());
        assert!(made_by("()V", true).is_empty());
        assert!(made_by("()[Lp/Box;", true).is_empty(), "an array is no object of the class");
    }
}
