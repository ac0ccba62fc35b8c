//! Copies a test's objects that the watched program does not have, from the machine that ran the suite to a
//! fork of the program's machine. The arguments of the observed call are not copied: the program's own
//! arguments take their place.

use crate::old_value::words;
use cupping_machine::{Addr, ClassKind, Machine, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Limit on the objects of one copy.
const MOST_OBJECTS: usize = 2_000;
/// Classes whose instances belong to one machine and cannot be copied.
const PARTS_OF_A_MACHINE: [&str; 6] = [
    "java/lang/Thread",
    "java/lang/Module",
    "java/lang/ModuleLayer",
    "java/lang/ClassLoader",
    "jdk/internal/loader/BuiltinClassLoader",
    "jdk/internal/loader/ClassLoaders$AppClassLoader",
];

/// The owner of an object of a test, and how the object is found in the program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Owner {
    /// An argument of the call.
    Argument(usize),
    /// The object that stands for a node of the dependence.
    Matched(usize),
    /// The value of a static field of the program.
    Static(Arc<str>, Arc<str>),
    /// The test: it is copied.
    Test,
    /// The program, but nobody knows where.
    Unknown,
}

/// One object of a copy.
#[derive(Clone, Debug, PartialEq)]
enum CopyPart {
    /// An object: its class, its words, and the indices of the words that refer to other parts.
    Object(Arc<str>, Vec<u64>, Vec<(u32, usize)>),
    /// An argument of the call.
    Argument(usize),
    /// The object of the program that stands for a node of the dependence.
    Matched(usize),
    /// The mirror of a class.
    Class(Arc<str>),
    /// An enum constant or another static field: its class and name.
    Constant(Arc<str>, Arc<str>),
    /// An object that cannot be copied.
    Hole,
}

/// A copy of an object with everything that it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectCopy {
    parts: Vec<CopyPart>,
}

impl ObjectCopy {
    /// Copies an object and everything reachable from it that belongs to the test.
    pub(crate) fn of(machine: &Machine, root: Addr, owner: &dyn Fn(Addr) -> Owner) -> Option<ObjectCopy> {
        let mut places: BTreeMap<Addr, usize> = BTreeMap::from([(root, 0)]);
        let mut due = vec![root];
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(object) = due.get(at).copied() {
            at += 1;
            if parts.len() >= MOST_OBJECTS {
                return None;
            }
            if let Some(part) = special(machine, object) {
                parts.push(part);
                continue;
            }
            let part = match owner(object) {
                Owner::Argument(position) => Some(CopyPart::Argument(position)),
                Owner::Matched(number) => Some(CopyPart::Matched(number)),
                Owner::Static(class, field) => Some(CopyPart::Constant(class, field)),
                Owner::Unknown => Some(CopyPart::Hole),
                Owner::Test => None,
            };
            if let Some(part) = part {
                parts.push(part);
                continue;
            }
            let (size, references) = words(machine, object);
            let content = machine.memory().slice(object, size).to_vec();
            let mut links = Vec::new();
            for place in references {
                let target = content[place as usize] as Addr;
                if target == 0 {
                    continue;
                }
                let next = places.len();
                let number = *places.entry(target).or_insert_with(|| {
                    due.push(target);
                    next
                });
                links.push((place, number));
            }
            parts.push(CopyPart::Object(machine.class_name_of(object).into(), content, links));
        }
        (parts.first() != Some(&CopyPart::Hole)).then_some(ObjectCopy { parts })
    }

    /// Whether parts are missing; if `is_matched` is false, parts that correspond to nodes count as missing.
    pub(crate) fn has_holes(&self, is_matched: bool) -> bool {
        self.parts
            .iter()
            .any(|it| matches!(it, CopyPart::Hole) || !is_matched && matches!(it, CopyPart::Matched(_)))
    }

    /// The arguments of the call that it refers to.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(|it| if let CopyPart::Argument(at) = it { Some(*at) } else { None })
    }

    /// Whether it has an object of one of these classes.
    pub(crate) fn has_class(&self, is_one: &dyn Fn(&str) -> bool) -> bool {
        self.parts.iter().any(|it| matches!(it, CopyPart::Object(class, ..) if is_one(class)))
    }

    /// Instantiates the copy; `matched` are the objects that correspond to nodes. Call this on a fork.
    pub(crate) fn value(
        &self,
        machine: &mut Machine,
        arguments: &[Value],
        matched: &[Addr],
    ) -> Option<Value> {
        let mut made = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            made.push(match part {
                CopyPart::Argument(at) => arguments.get(*at)?.as_ref(),
                CopyPart::Matched(number) => matched.get(*number).copied().unwrap_or(0),
                CopyPart::Hole => 0,
                CopyPart::Class(name) => {
                    let class = machine.load(name).ok()?;
                    machine.mirror(class).ok()?
                }
                CopyPart::Constant(class, field) => {
                    let class = machine.initialize_now(class).ok()?;
                    machine.static_field(class, field)? as Addr
                }
                CopyPart::Object(class, content, _) => {
                    let class = machine.load(class).ok()?;
                    let object = machine.allocate_words(content.len() as u32)?;
                    machine.write_word(object, u64::from(class.0));
                    (1..).zip(&content[1..]).for_each(|(at, word)| machine.write_word(object + at, *word));
                    object
                }
            });
        }
        for (part, object) in self.parts.iter().zip(&made) {
            if let CopyPart::Object(_, _, links) = part {
                for (at, number) in links {
                    machine.write_word(object + at, u64::from(*made.get(*number)?));
                }
            }
        }
        made.first().map(|it| Value::reference(*it))
    }
}

/// The part for an object that is not copied word by word.
fn special(machine: &Machine, object: Addr) -> Option<CopyPart> {
    let id = machine.class_of(object);
    let class = machine.class(id);
    if &*class.name == "java/lang/Class" {
        return Some(CopyPart::Class(machine.class(machine.class_of_mirror(object)).name.clone()));
    }
    let is_array = matches!(class.kind, ClassKind::Array { .. });
    let is_part = PARTS_OF_A_MACHINE.iter().any(|name| {
        let mut at = Some(id);
        std::iter::from_fn(|| {
            let class = machine.class(at?);
            at = class.super_class;
            Some(class)
        })
        .any(|class| *class.name == **name)
    });
    if is_part || (!is_array && class.file.is_none()) || class.host.is_some() {
        return Some(CopyPart::Hole);
    }
    // An enum constant with a body belongs to a subclass of its enum.
    let of = [Some(id), class.super_class].into_iter().flatten().find(|it| {
        let class = machine.class(*it);
        class.super_class.is_some_and(|it| &*machine.class(it).name == "java/lang/Enum")
    })?;
    let fields = machine.class(of).fields.iter().filter(|it| it.is_static());
    let mut holds = fields.filter(|it| machine.static_field(of, &it.name) == Some(u64::from(object)));
    Some(
        holds
            .next()
            .map_or(CopyPart::Hole, |it| CopyPart::Constant(machine.class(of).name.clone(), it.name.clone())),
    )
}
