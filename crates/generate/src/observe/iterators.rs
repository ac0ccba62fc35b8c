//! Iterators: what they have left.

use super::observer::Observer;
use cupping_case::{Expectation, ExpectedValue, JavaType, Probe, VarId};
use cupping_machine::{Addr, ClassId};

const ITERATOR: &str = "java/util/Iterator";
/// Elements that are compared, at most.
const MAX_ELEMENTS: usize = 24;
/// Depth of values in elements.
const DEPTH: u32 = 2;

impl Observer<'_> {
    /// Says which elements an iterator has left; whether it did. To assert that uses the iterator up.
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
