//! Locates the objects of a test in the program: as arguments of the call, as objects that the call or its
//! assertions reached from there, or in static fields. All others are the test's own and are copied.

use crate::binding::{constants, statics};
use crate::dependence::{is_value, reached};
use crate::object_copy::Owner;
use cupping_machine::{Addr, Machine};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The objects of the program at a call of a test.
pub(super) struct KnownObjects<'k> {
    /// Arguments by position.
    pub(super) arguments: &'k [(usize, Addr)],
    /// The numbers of the objects on which the condition depends.
    pub(super) numbers: &'k FxHashMap<Addr, usize>,
    statics: Vec<(Arc<str>, Arc<str>, Addr)>,
    /// Objects that are constants of the JDK. A copy would not be identical to them.
    constants: FxHashMap<Addr, (Arc<str>, Arc<str>)>,
    /// The objects reachable from arguments and static fields; `None` if there are too many.
    reached: Option<FxHashSet<Addr>>,
}

impl<'k> KnownObjects<'k> {
    /// Looks at the present memory.
    pub(super) fn new(
        machine: &Machine,
        arguments: &'k [(usize, Addr)],
        numbers: &'k FxHashMap<Addr, usize>,
        is_of_program: impl Fn(&str) -> bool,
    ) -> KnownObjects<'k> {
        let statics: Vec<_> = statics(machine).into_iter().filter(|it| is_of_program(&it.0)).collect();
        let roots = arguments.iter().map(|it| it.1).chain(statics.iter().map(|it| it.2));
        let reached = reached(machine, roots);
        KnownObjects { arguments, numbers, statics, constants: constants(machine), reached }
    }

    /// The owner of an object.
    pub(super) fn owner(&self, machine: &Machine, object: Addr) -> Owner {
        if let Some((position, _)) = self.arguments.iter().find(|(_, it)| *it == object) {
            return Owner::Argument(*position);
        }
        if let Some(number) = self.numbers.get(&object) {
            return Owner::Matched(*number);
        }
        if let Some((class, field, _)) = self.statics.iter().find(|it| it.2 == object) {
            return Owner::Static(class.clone(), field.clone());
        }
        let class = machine.class(machine.class_of(object));
        if let Some((class, field)) =
            self.constants.get(&object).filter(|_| &*class.name != "java/lang/String")
        {
            return Owner::Static(class.clone(), field.clone());
        }
        let is_value = class.from_jdk && (is_value(&class.name) || &*class.name == "java/lang/String");
        match &self.reached {
            _ if is_value => Owner::Test,
            Some(reached) if !reached.contains(&object) => Owner::Test,
            _ => Owner::Unknown,
        }
    }
}
