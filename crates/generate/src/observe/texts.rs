//! What objects of the JDK show that have no value that a test can compare: their text, their size, and the objects
//! that they hold.

use super::observer::Observer;
use super::observers::Candidate;
use crate::invokable::Invokable;
use cupping_case::{Literal, MethodRef, Operand};
use cupping_machine::ClassId;

const OBJECT: &str = "java/lang/Object";
/// Types of the JDK whose size is asserted, if their text cannot be.
const SIZED: [&str; 2] = ["java/util/Collection", "java/util/Map"];

/// A method of the JDK: its class, its name and its descriptor.
type JdkMethod = (&'static str, &'static str, &'static str);

const ITERATOR: JdkMethod = ("java/util/Collection", "iterator", "()Ljava/util/Iterator;");
const NEXT: JdkMethod = ("java/util/Iterator", "next", "()Ljava/lang/Object;");
/// Types of the JDK that hold objects, with the calls that lead to one of them.
const ELEMENTS: [(&str, &[JdkMethod]); 4] = [
    ("java/util/List", &[("java/util/List", "get", "(I)Ljava/lang/Object;")]),
    ("java/util/Collection", &[ITERATOR, NEXT]),
    ("java/util/Map", &[("java/util/Map", "values", "()Ljava/util/Collection;"), ITERATOR, NEXT]),
    ("java/util/Optional", &[("java/util/Optional", "get", "()Ljava/lang/Object;")]),
];
/// Elements of a list that are looked at.
const ELEMENTS_OF_LIST: i32 = 2;

impl Observer<'_> {
    /// What objects of a type of the JDK say about themselves: their text and, for collections and maps, their size.
    pub(super) fn texts_of(&mut self, class: ClassId) -> Vec<Candidate> {
        let text = self.getter(OBJECT, "toString", "()Ljava/lang/String;");
        let sized = SIZED.into_iter().find(|sized| self.is_a(class, sized));
        let size = sized.and_then(|it| self.getter(it, "size", "()I"));
        text.into_iter().chain(size).collect()
    }

    /// The calls that lead to elements of a type of the JDK: to the first two of a list, to one of others.
    pub(super) fn elements_of(&mut self, class: ClassId) -> Vec<Vec<Candidate>> {
        let Some((_, calls)) = ELEMENTS.into_iter().find(|(kind, _)| self.is_a(class, kind)) else {
            return Vec::new();
        };
        let calls = calls.iter().map(|(class, name, descriptor)| self.getter(class, name, descriptor));
        let Some(calls) = calls.collect::<Option<Vec<_>>>() else { return Vec::new() };
        let indices = match calls.first() {
            Some(first) if first.reference.descriptor.starts_with("(I)") => 0..ELEMENTS_OF_LIST,
            _ => 0..1,
        };
        let of = |at: i32| {
            calls.iter().map(move |it| {
                let takes_index = it.reference.descriptor.starts_with("(I)");
                let argument = takes_index.then_some((Operand::Literal(Literal::Int(at)), None));
                Candidate { argument, ..it.clone() }
            })
        };
        indices.map(|at| of(at).collect()).collect()
    }

    fn getter(&mut self, class: &str, name: &str, descriptor: &str) -> Option<Candidate> {
        let class = self.machine.load(class).ok()?;
        let method = self.machine.find_method(class, name, descriptor)?;
        let Invokable { reference, result, .. } = Invokable::new(self.machine, class, method)?;
        Some(Candidate::getter(method, reference, result))
    }
}

/// Whether a method is the one that gives the text of any object.
pub(super) fn is_text_of_jdk(method: &MethodRef) -> bool {
    &*method.class == OBJECT && &*method.name == "toString"
}
