//! Static fields that calls change: what a call does then depends on all earlier calls, not on its object alone.
//!
//! The fields are those of the classes of the program that the code names, directly or through others. A final field
//! can change, too, if it refers to an array or another object that does.

use crate::runner::CALL_FUEL;
use cupping_explore::Path;
use cupping_generate::canonical;
use cupping_machine::{ClassId, Kind, Machine, Value as Slot};
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// Classes of the JDK whose objects never change.
const VALUES: [&str; 13] = [
    "Ljava/lang/Boolean;",
    "Ljava/lang/Byte;",
    "Ljava/lang/Character;",
    "Ljava/lang/Class;",
    "Ljava/lang/Double;",
    "Ljava/lang/Float;",
    "Ljava/lang/Integer;",
    "Ljava/lang/Long;",
    "Ljava/lang/Short;",
    "Ljava/lang/String;",
    "Ljava/math/BigDecimal;",
    "Ljava/math/BigInteger;",
    "Ljava/util/regex/Pattern;",
];

/// Packages of the JDK alone. Classes of its other packages are loaded before they are known to be its own.
const LIBRARY: [&str; 2] = ["java/", "jdk/"];
/// The largest number of classes that are looked at: changes of fields of others are not noticed.
const MOST_CLASSES: usize = 200;

/// A static field, with what it was before any call; `None` if its class cannot be initialised.
#[derive(Debug)]
struct StaticField {
    class: ClassId,
    name: Box<str>,
    kind: Kind,
    before: Option<u64>,
}

/// The static fields of some classes.
#[derive(Debug, Default)]
pub(super) struct Statics {
    fields: Vec<StaticField>,
}

impl Statics {
    /// The fields of these classes, and of those that their code names, that calls can change. They are loaded, and
    /// not initialised.
    pub(super) fn new<'n>(machine: &mut Machine, classes: impl Iterator<Item = &'n Box<str>>) -> Statics {
        let mut statics = Statics::default();
        let mut names: VecDeque<Box<str>> = classes.cloned().collect();
        let mut known: FxHashSet<Box<str>> = names.iter().cloned().collect();
        let mut count = 0;
        while let Some(name) = names.pop_front().filter(|_| count < MOST_CLASSES) {
            // Classes that cannot be loaded have no fields to look at.
            let Ok(class) = machine.load(&name) else { continue };
            if !machine.class(class).from_jdk {
                count += 1;
                names.extend(statics.add(machine, class).into_iter().filter(|it| known.insert(it.clone())));
            }
        }
        statics.initial(machine);
        statics
    }

    /// Notes what the fields are before any call: the first call that initialises a class may change them, too. The
    /// machine is left as it was.
    fn initial(&mut self, machine: &mut Machine) {
        let snapshot = machine.snapshot();
        for field in &mut self.fields {
            machine.set_fuel(CALL_FUEL);
            if machine.initialize_class_now(field.class).is_ok() {
                field.before = field.value(machine);
            }
        }
        machine.restore(&snapshot);
    }

    /// Adds the fields of a class; returns the names of classes in its code.
    fn add(&mut self, machine: &Machine, id: ClassId) -> Vec<Box<str>> {
        let class = machine.class(id);
        for field in class.fields.iter().filter(|it| it.is_static() && !it.name.contains('$')) {
            let is_value = field.kind != Kind::Reference || VALUES.contains(&&*field.descriptor);
            if !(field.access.is_final() && is_value) {
                let name = Box::from(&*field.name);
                self.fields.push(StaticField { class: id, name, kind: field.kind, before: None });
            }
        }
        let Some(file) = &class.file else { return Vec::new() };
        let named = file.mentions().into_iter();
        named.filter(|name| !LIBRARY.iter().any(|it| name.starts_with(it))).collect()
    }

    /// What the fields are, as far as they have changed; `None` if none has. Their initialisation is no change.
    pub(super) fn changed(&mut self, machine: &Machine) -> Option<u64> {
        let mut hasher = FxHasher::default();
        let mut has_changed = false;
        for (at, field) in self.fields.iter_mut().enumerate() {
            let Some(now) = field.value(machine) else { continue };
            if *field.before.get_or_insert(now) != now {
                has_changed = true;
                (at, now).hash(&mut hasher);
            }
        }
        has_changed.then(|| hasher.finish())
    }
}

impl StaticField {
    /// The present value; objects are told apart by what they refer to. `None` before the class is initialised.
    fn value(&self, machine: &Machine) -> Option<u64> {
        let bits = machine.static_field(self.class, &self.name)?;
        if self.kind != Kind::Reference || bits == 0 {
            return Some(bits);
        }
        // States that are too large to compare count as one: changes among them are not noticed.
        Some(canonical(machine, &[Slot::concrete(bits)], &Path::default()).map_or(u64::MAX, |it| it.key))
    }
}
