//! What code compares its inputs with: texts, classes and sizes in the methods that an invocation runs.
//!
//! A comparison that fails shows the value that the input lacks (input-to-state correspondence, as in REDQUEEN
//! by Aschermann et al., NDSS 2019). The solver finds texts up to the maximal length of inputs. Longer texts,
//! and texts whose hash code is compared first, are passed as constants that may change and grow.

use crate::facts::{Casts, ComparedConstants};
use crate::influence::Effects;
use cupping_machine::{ClassId, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Limit on the texts and on the classes for one invocation.
const MAX_TEXTS: usize = 16;
const MAX_CLASSES: usize = 6;
/// Limit on the number of sizes for one invocation.
const MAX_SIZES: usize = 4;

/// The values that a method or an invocation compares with.
#[derive(Clone, Debug, Default)]
pub(super) struct ComparedValues {
    pub(super) texts: Vec<Vec<u16>>,
    pub(super) classes: Vec<ClassId>,
    /// Numbers of elements that the code distinguishes, beyond those that are always tried.
    pub(super) sizes: Vec<u32>,
}

/// The values that methods compare with, cached by method.
#[derive(Default)]
pub(super) struct Comparisons {
    known: FxHashMap<MethodId, Rc<ComparedValues>>,
}

impl Comparisons {
    /// What an invocation compares: its own method first, then those of its class, then others.
    pub(super) fn of(
        &mut self,
        machine: &mut Machine,
        method: MethodId,
        effects: &Effects,
    ) -> ComparedValues {
        let class = machine.method(method).class;
        let rank = |machine: &Machine, it: MethodId| (it != method, machine.method(it).class != class, it);
        let mut methods: Vec<MethodId> = effects.runs.iter().copied().chain([method]).collect();
        methods.extend(initialisers(machine, effects));
        methods.sort_by_key(|it| rank(machine, *it));
        methods.dedup();
        let mut all = ComparedValues::default();
        for method in methods {
            let found = self.of_method(machine, method);
            add(&mut all.texts, &found.texts, MAX_TEXTS);
            add(&mut all.classes, &found.classes, MAX_CLASSES);
            add(&mut all.sizes, &found.sizes, MAX_SIZES);
        }
        // Other methods read what the constructor stored.
        if machine.method(method).name.starts_with('<') {
            for method in machine.class(class).methods.clone() {
                let found = self.of_method(machine, method);
                add(&mut all.sizes, &found.sizes, MAX_SIZES);
            }
        }
        all
    }

    fn of_method(&mut self, machine: &mut Machine, method: MethodId) -> Rc<ComparedValues> {
        if let Some(known) = self.known.get(&method) {
            return known.clone();
        }
        let found = Rc::new(look(machine, method).unwrap_or_default());
        self.known.insert(method, found.clone());
        found
    }
}

/// Adds what is new, up to a limit.
fn add<T: Clone + PartialEq>(all: &mut Vec<T>, found: &[T], most: usize) {
    for it in found {
        if all.len() < most && !all.contains(it) {
            all.push(it.clone());
        }
    }
}

/// The initialisers of the classes whose static fields are read: they fill tables of names.
fn initialisers(machine: &Machine, effects: &Effects) -> Vec<MethodId> {
    let is_own = |class: &ClassId| !machine.class(*class).from_jdk;
    let of_static =
        effects.uses.iter().filter(|it| machine.class(it.class).fields[it.index as usize].is_static());
    let mut classes: Vec<ClassId> = of_static.map(|it| it.class).filter(is_own).collect();
    classes.dedup();
    classes.into_iter().filter_map(|it| machine.declared_method(it, "<clinit>", "()V")).collect()
}

fn look(machine: &mut Machine, method: MethodId) -> Option<ComparedValues> {
    let loaded = machine.method(method);
    let file = machine.class(loaded.class).file.clone()?;
    let ComparedConstants { texts, classes, sizes } = file.fact(&file.methods[loaded.index]).ok()??;
    let classes = classes.iter().filter_map(|name| machine.load(name).ok()).collect();
    Some(ComparedValues { texts, classes, sizes })
}

/// The classes that a method's code casts to or tests for, in code order.
pub(super) fn cast_types(machine: &mut Machine, method: MethodId) -> Vec<ClassId> {
    let loaded = machine.method(method);
    let Some(file) = machine.class(loaded.class).file.clone() else { return Vec::new() };
    let Ok(Some(Casts(names))) = file.fact(&file.methods[loaded.index]) else { return Vec::new() };
    names.iter().filter_map(|name| machine.load(name).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{machine, method};

    const SAMPLES: &str = r#"
        import java.util.*;
        public class Samples {
            static final Map<String, Integer> DAYS = new HashMap<>();
            static { DAYS.put("monday", 1); }
            static boolean isRed(String colour) { return colour.equals("red") || "blue".equals(colour); }
            static void refuse() { throw new IllegalStateException("closed"); }
            static boolean isLong(String text) { return text.equals("a text of more than 24 characters"); }
            static Class<?> type() { return Integer.class; }
            static int day(String name) { return isRed(name) ? 0 : DAYS.get(name); }
            static String cast(Object it) {
                if (it instanceof StringBuilder) return it.toString();
                return it instanceof List ? ((List<?>) it).toString() : (String) it + ((List<?>) it).size();
            }
        }
    "#;

    fn texts(found: &ComparedValues) -> Vec<String> {
        found.texts.iter().map(|it| String::from_utf16_lossy(it)).collect()
    }

    #[test]
    fn a_list_with_a_limit_takes_what_is_new() {
        let mut all = vec![1, 2];
        add(&mut all, &[2, 3, 3, 4, 5], 4);
        assert_eq!(all, [1, 2, 3, 4]);
        add(&mut all, &[9], 4);
        assert_eq!(all, [1, 2, 3, 4]);
    }

    #[test]
    fn methods_tell_what_they_compare_with() {
        let mut m = machine(SAMPLES);
        let found = |m: &mut Machine, name: &str| {
            let id = method(m, "Samples", name);
            look(m, id).expect("it has code")
        };
        assert_eq!(texts(&found(&mut m, "isRed")), ["red", "blue"]);
        assert_eq!(texts(&found(&mut m, "<clinit>")), ["monday"], "an entry of a table");
        assert!(texts(&found(&mut m, "refuse")).is_empty(), "a message is compared with nothing");
        assert!(texts(&found(&mut m, "isLong")).is_empty(), "it has more characters than texts may have");
        let integer = m.load("java/lang/Integer").expect("it is there");
        assert_eq!(found(&mut m, "type").classes, [integer]);
        let cast = method(&m, "Samples", "cast");
        let classes = cast_types(&mut m, cast);
        let names: Vec<&str> = classes.iter().map(|it| &*m.class(*it).name).collect();
        assert_eq!(names, ["java/lang/StringBuilder", "java/util/List", "java/lang/String"], "each once");
    }

    #[test]
    fn an_invocation_compares_what_its_methods_and_their_tables_compare() {
        let mut m = machine(SAMPLES);
        let day = method(&m, "Samples", "day");
        let class = m.method(day).class;
        let effects = crate::influence::Influence::default().effects(&mut m, class, day);
        let found = Comparisons::default().of(&mut m, day, &effects);
        let mut found = texts(&found);
        found.sort();
        assert_eq!(found, ["blue", "monday", "red"]);
    }
}
