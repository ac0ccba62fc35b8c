//! Support for `java.io` to create objects without calling constructors of serializable classes.

use super::support::reference;
use super::{Native, NativeOutcome, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;

pub(super) const NATIVES: &[Native] = &[
    // Until JDK 21: class, parameter types, exceptions, modifiers, declaring class.
    row("jdk/internal/reflect/MethodAccessorGenerator", "generateSerializationConstructor", "*", |m, a| {
        let accessor = "jdk/internal/reflect/SerializationConstructorAccessorImpl";
        make(m, accessor, a.non_null(m, 1)?, a.non_null(m, 5)?)
    }),
    // Since then: class, constructor of a superclass.
    row(
        "jdk/internal/reflect/MethodHandleAccessorFactory",
        "newSerializableConstructorAccessor",
        "*",
        |m, a| {
            let constructor = a.non_null(m, 1)?;
            let declaring = m.named(constructor, "clazz") as Addr;
            make(m, "jdk/internal/reflect/ConstructorAccessorImpl", a.non_null(m, 0)?, declaring)
        },
    ),
];

/// An accessor that creates objects of a class by the parameterless constructor of a superclass.
fn make(m: &mut Machine, accessor: &str, class: Addr, declaring: Addr) -> Step<NativeOutcome> {
    let (class, declaring) = (m.class_of_mirror(class), m.class_of_mirror(declaring));
    let accessor = m.load(accessor)?;
    let Some(constructor) = m.declared_method(declaring, "<init>", "()V") else {
        let message = format!("{}.<init>()V", m.class(declaring).name);
        return Err(Trap::Raise("java/lang/NoSuchMethodError", Some(message)));
    };
    let made = m.serial_constructor(accessor, class, constructor)?;
    reference(m.new_object(made)?)
}
