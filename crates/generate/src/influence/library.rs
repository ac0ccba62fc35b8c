//! Summaries of JDK methods: what they do to their receiver and arguments.
//!
//! A test does not depend on the fields of JDK classes, so a summary is short: whether a method may change
//! its object, and whether it may change the object that its own was taken from, as an iterator may. It is
//! derived from the code to a limited depth; an abstract method is judged by the usual implementation of its
//! class.

use super::effects::element_key;
use cupping_classfile::{Action, ArrayElement, Constant};
use cupping_machine::{ClassId, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The summary of a JDK method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whether it may change its receiver or arguments.
    pub changes: bool,
    /// Whether it may change the object of which its receiver is a part, view or iterator.
    pub changes_outer: bool,
    /// Kinds of array elements stored, encoded as in [`element_key`].
    pub stores: BTreeSet<u8>,
    /// Kinds of array elements loaded.
    pub loads: BTreeSet<u8>,
}

/// Limit on the methods followed from one method; beyond it, anything may change.
const MAX_METHODS: usize = 60;

/// Computes and caches summaries.
#[derive(Default)]
pub struct Library {
    known: FxHashMap<MethodId, Rc<Summary>>,
}

impl Library {
    /// The summary of a method of the JDK.
    pub fn summary(&mut self, machine: &mut Machine, method: MethodId) -> Rc<Summary> {
        if let Some(known) = self.known.get(&method) {
            return known.clone();
        }
        let found = Rc::new(summarize(machine, method));
        self.known.insert(method, found.clone());
        found
    }
}

/// The method with code that represents this one, if there is one.
fn with_code(machine: &mut Machine, method: MethodId) -> Option<MethodId> {
    let loaded = machine.method(method);
    let owner = machine.class(loaded.class).name.clone();
    let (name, descriptor) = (loaded.name.clone(), loaded.descriptor.clone());
    let usual = USUAL.iter().find(|(interface, _)| **interface == *owner);
    if let Some((_, usual)) = usual
        && let Ok(class) = machine.load(usual)
        && let Some(found) = machine.find_method(class, &name, &descriptor)
        && !machine.method(found).is_abstract()
    {
        return Some(found);
    }
    (!machine.method(method).is_abstract()).then_some(method)
}

fn summarize(machine: &mut Machine, method: MethodId) -> Summary {
    let unknown = Summary { changes: true, changes_outer: true, ..Summary::default() };
    let Some(start) = with_code(machine, method) else { return unknown };
    let home = machine.method(start).class;
    let outer = outer_of(machine, home);
    let mut summary = Summary::default();
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(next) = open.pop() {
        let mut look = LibraryScan { machine, summary: &mut summary, calls: Vec::new(), home, outer };
        if seen.len() > MAX_METHODS || look.at(next).is_none() {
            return unknown;
        }
        open.extend(std::mem::take(&mut look.calls).into_iter().filter(|call| seen.insert(*call)));
    }
    summary
}

/// The class that encloses an inner class.
fn outer_of(machine: &mut Machine, class: ClassId) -> Option<ClassId> {
    let loaded = machine.class(class);
    let is_inner = loaded.fields.iter().any(|f| f.name.starts_with("this$"));
    let outer = is_inner.then(|| loaded.name.rsplit_once('$').map(|(outer, _)| outer.to_owned()))??;
    machine.load(&outer).ok()
}

struct LibraryScan<'a> {
    machine: &'a mut Machine,
    summary: &'a mut Summary,
    calls: Vec<MethodId>,
    home: ClassId,
    outer: Option<ClassId>,
}

impl LibraryScan<'_> {
    /// Analyses the code of one method; `None` if its calls cannot be followed.
    fn at(&mut self, method: MethodId) -> Option<()> {
        let loaded = self.machine.method(method);
        let is_native = loaded.access.is_native();
        let file = self.machine.class(loaded.class).file.clone()?;
        let Ok(Some(code)) = file.code(&file.methods[loaded.index]) else {
            // Natives compute or copy; the few that change fields do not matter here.
            return is_native.then_some(());
        };
        for instruction in cupping_classfile::instructions(&code.bytecode).map_while(Result::ok) {
            let action = instruction.action();
            match (action, instruction.constant(&file)) {
                (Action::PutField, Some(Constant::Field { class, .. })) => self.put(&class),
                (Action::ArrayStore(element), _) => {
                    self.summary.stores.extend(store_kind(action));
                    self.summary.changes |= element == ArrayElement::Reference;
                }
                (Action::ArrayLoad(_), _) => self.summary.loads.extend(load_kind(action)),
                (Action::Invoke(_), Some(Constant::Method { class, name, descriptor, .. })) => {
                    // A constructor writes to a new object, and copies usually go to new objects.
                    if &*name == "<init>" || is_harmless(&class) {
                        continue;
                    }
                    if class.ends_with("/Unsafe") {
                        self.summary.changes |= UNSAFE_WRITES.iter().any(|prefix| name.starts_with(prefix));
                        continue;
                    }
                    self.call(&class, &name, &descriptor)?;
                }
                _ => {}
            }
        }
        Some(())
    }

    fn call(&mut self, class: &str, name: &str, descriptor: &str) -> Option<()> {
        let called = self.machine.load(class).ok()?;
        let method = self.machine.find_method(called, name, descriptor)?;
        let found = with_code(self.machine, method);
        // A call of an abstract method on another object does not change this one, but a call on its own may.
        let own = self.machine.is_subtype(self.home, called) || self.machine.is_subtype(called, self.home);
        self.calls.extend(found);
        (found.is_some() || !own).then_some(())
    }

    fn put(&mut self, class: &str) {
        let into = self.machine.load(class).ok();
        let is_outer = into.zip(self.outer).is_some_and(|(into, outer)| {
            self.machine.is_subtype(outer, into) || self.machine.is_subtype(into, outer)
        });
        if is_outer {
            self.summary.changes_outer = true;
        } else {
            self.summary.changes = true;
        }
    }
}

/// The element kind that an instruction stores.
pub fn store_kind(action: Action) -> Option<u8> {
    match action {
        Action::ArrayStore(element) => Some(element_key(element.into())),
        _ => None,
    }
}

/// The element kind that an instruction loads.
pub fn load_kind(action: Action) -> Option<u8> {
    match action {
        Action::ArrayLoad(element) => Some(element_key(element.into())),
        _ => None,
    }
}

/// Name prefixes of the methods by which the JDK writes fields through `Unsafe`.
const UNSAFE_WRITES: &[&str] = &["put", "compareAnd", "weakCompareAnd", "getAnd"];

/// Whether methods of a class change no object that outlives the call.
pub fn is_harmless(class: &str) -> bool {
    HARMLESS.contains(&class) || class.starts_with('[')
}

/// Immutable values and short-lived builders.
const HARMLESS: &[&str] = &[
    "java/lang/String",
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/Number",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Boolean",
    "java/lang/Float",
    "java/lang/Double",
    "java/lang/Object",
    "java/lang/Comparable",
    "java/lang/Enum",
    "java/lang/Class",
    "java/lang/System",
    "java/lang/Throwable",
    "java/lang/IllegalArgumentException",
    "java/lang/IllegalStateException",
    "java/math/BigInteger",
    "java/math/BigDecimal",
    "java/util/Objects",
    "java/util/Optional",
    "java/util/Comparator",
    "java/util/Locale",
    "jdk/internal/util/Preconditions",
    "jdk/internal/util/ArraysSupport",
];

/// The classes by which methods of abstract types are judged.
const USUAL: &[(&str, &str)] = &[
    ("java/lang/Iterable", "java/util/ArrayList"),
    ("java/lang/CharSequence", "java/lang/String"),
    ("java/lang/Appendable", "java/lang/StringBuilder"),
    ("java/util/Collection", "java/util/ArrayList"),
    ("java/util/SequencedCollection", "java/util/ArrayList"),
    ("java/util/AbstractCollection", "java/util/ArrayList"),
    ("java/util/List", "java/util/ArrayList"),
    ("java/util/AbstractList", "java/util/ArrayList"),
    ("java/util/Set", "java/util/HashSet"),
    ("java/util/SortedSet", "java/util/TreeSet"),
    ("java/util/NavigableSet", "java/util/TreeSet"),
    ("java/util/Map", "java/util/HashMap"),
    ("java/util/AbstractMap", "java/util/HashMap"),
    ("java/util/Map$Entry", "java/util/AbstractMap$SimpleEntry"),
    ("java/util/SortedMap", "java/util/TreeMap"),
    ("java/util/NavigableMap", "java/util/TreeMap"),
    ("java/util/Queue", "java/util/ArrayDeque"),
    ("java/util/Deque", "java/util/ArrayDeque"),
    ("java/util/Iterator", "java/util/ArrayList$Itr"),
    ("java/util/ListIterator", "java/util/ArrayList$ListItr"),
];
