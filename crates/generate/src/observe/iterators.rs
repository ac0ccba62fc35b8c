//! Iterators: their remaining elements. Collections that are too large to compare: their number of elements.

use super::observer::Observer;
use super::values::maker;
use crate::input::primitive_literal;
use cupping_case::{Expectation, ExpectedValue, JavaType, Probe, VarId};
use cupping_machine::{Addr, ClassId, Kind};

const ITERATOR: &str = "java/util/Iterator";
/// Elements that are compared, at most.
const MAX_ELEMENTS: usize = 24;
/// Depth of values in elements.
const DEPTH: u32 = 2;

impl Observer<'_> {
    /// Asserts the remaining elements of an iterator; returns whether it did. The assertion exhausts the
    /// iterator.
    pub(super) fn iterator(&mut self, id: VarId, declared: &JavaType, object: Addr) -> bool {
        let JavaType::Class(name) = declared else { return false };
        let is_declared = self.machine.load(name).is_ok_and(|class| self.is_a(class, ITERATOR));
        if object == 0 || !is_declared {
            return false;
        }
        let class = self.machine.class_of(object);
        let here = self.machine.snapshot();
        let elements = self.elements_left(object, class).map(ExpectedValue::List);
        self.machine.restore(&here);
        match elements.filter(|it| !it.holds_null()) {
            Some(elements) => {
                self.say(Probe::Elements(id), Expectation::EqualsValue(elements));
                true
            }
            None => false,
        }
    }

    /// Asserts the number of elements of a JDK collection or map; returns whether it did.
    pub(super) fn size(&mut self, id: VarId, object: Addr) -> bool {
        let class = self.machine.class_of(object);
        let names = ["java/util/Collection", "java/util/Map"];
        let Some(name) = names.into_iter().find(|name| self.is_a(class, name)) else { return false };
        let here = self.machine.snapshot();
        let size = self.ask(object, class, "size", "()I");
        self.machine.restore(&here);
        let Some(size) = size else { return false };
        let method = maker((name, "size", "()I"));
        let expected = Expectation::Equals(primitive_literal(Kind::Int, Kind::Int.narrow(size.bits)));
        self.say(Probe::Observer { receiver: id, method, arguments: Vec::new() }, expected);
        true
    }

    fn elements_left(&mut self, iterator: Addr, class: ClassId) -> Option<Vec<ExpectedValue>> {
        let mut elements = Vec::new();
        while self.ask(iterator, class, "hasNext", "()Z")?.bits & 1 == 1 {
            if elements.len() == MAX_ELEMENTS {
                return None;
            }
            let element = self.ask(iterator, class, "next", "()Ljava/lang/Object;")?;
            elements.push(self.describe(element.as_ref(), DEPTH)?);
        }
        Some(elements)
    }
}
