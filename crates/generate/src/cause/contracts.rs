//! Exceptions that types of the JDK let their methods throw: `next` of an iterator that is at its end.

use crate::plan::Plan;
use cupping_machine::{Addr, Machine};

/// What methods of a type may throw: type, methods, exception. Indices and casts are not here: they are judged by where
/// the value comes from.
const MAY_THROW: [(&str, &[&str], &str); 8] = [
    ("java/util/Iterator", &["next", "nextInt", "nextLong", "nextDouble"], NO_ELEMENT),
    ("java/util/ListIterator", &["previous"], NO_ELEMENT),
    ("java/util/Enumeration", &["nextElement"], NO_ELEMENT),
    ("java/util/Queue", &["element", "remove"], NO_ELEMENT),
    ("java/util/Deque", &["getFirst", "getLast", "removeFirst", "removeLast", "pop"], NO_ELEMENT),
    ("java/util/SortedSet", &["first", "last"], NO_ELEMENT),
    ("java/util/SortedMap", &["firstKey", "lastKey"], NO_ELEMENT),
    ("java/util/Collection", &["toArray"], "java/lang/ArrayStoreException"),
];

const NO_ELEMENT: &str = "java/util/NoSuchElementException";

/// Why a type of the JDK lets the invocation under test throw the exception.
pub(super) fn allowed(machine: &Machine, exception: Addr, plan: &Plan) -> Option<String> {
    let invokable = plan.under_test().filter(|it| it.has_receiver())?;
    let thrown = machine.class_of(exception);
    let (ty, ..) = MAY_THROW.iter().find(|(ty, methods, allowed)| {
        methods.contains(&&*invokable.reference.name)
            && machine.is_named_subtype(invokable.class, ty)
            && machine.is_named_subtype(thrown, allowed)
    })?;
    let ty = ty.replace(['/', '$'], ".");
    Some(format!("`{ty}` lets `{}` throw it", invokable.reference.name))
}
