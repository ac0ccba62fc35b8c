//! Copies a test's objects that the watched program does not have, from the machine that ran the suite to a
//! fork of the program's machine. The arguments of the observed call are not copied: the program's own
//! arguments take their place.

use crate::old_value::words;
use cupping_machine::{Addr, ClassKind, Machine, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Limit on the objects that one variable adds to a copy.
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
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// A copy of the objects that a test's frame holds, with everything that they reach. What two variables share in the
/// test, they share in the copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectCopy {
    parts: Vec<CopyPart>,
}

/// Makes a copy, object by object.
#[derive(Default)]
pub(crate) struct ObjectCopyBuilder {
    places: BTreeMap<Addr, usize>,
    due: Vec<Addr>,
    parts: Vec<CopyPart>,
}

impl ObjectCopyBuilder {
    /// Adds an object and everything reachable from it that belongs to the test; returns the number of its part.
    /// `None` if it cannot be copied, or reaches too much.
    pub(crate) fn add(
        &mut self,
        machine: &Machine,
        root: Addr,
        owner: &dyn Fn(Addr) -> Owner,
    ) -> Option<usize> {
        let known = self.parts.len();
        let number = self.place(root);
        while let Some(object) = self.due.get(self.parts.len()).copied() {
            if self.parts.len() >= known + MOST_OBJECTS {
                self.forget(known);
                return None;
            }
            let part = self.part(machine, object, owner);
            self.parts.push(part);
        }
        (self.parts[number] != CopyPart::Hole).then_some(number)
    }

    /// Goes back to the first parts.
    fn forget(&mut self, known: usize) {
        self.due.truncate(known);
        self.parts.truncate(known);
        self.places.retain(|_, number| *number < known);
    }

    /// The number of an object's part.
    fn place(&mut self, object: Addr) -> usize {
        let next = self.due.len();
        let number = *self.places.entry(object).or_insert(next);
        if number == next {
            self.due.push(object);
        }
        number
    }

    fn part(&mut self, machine: &Machine, object: Addr, owner: &dyn Fn(Addr) -> Owner) -> CopyPart {
        if let Some(part) = special(machine, object) {
            return part;
        }
        match owner(object) {
            Owner::Argument(position) => return CopyPart::Argument(position),
            Owner::Matched(number) => return CopyPart::Matched(number),
            Owner::Static(class, field) => return CopyPart::Constant(class, field),
            Owner::Unknown => return CopyPart::Hole,
            Owner::Test => {}
        }
        let (size, references) = words(machine, object);
        let content = machine.memory().slice(object, size).to_vec();
        let mut links = Vec::new();
        for place in references {
            let target = content[place as usize] as Addr;
            if target != 0 {
                links.push((place, self.place(target)));
            }
        }
        CopyPart::Object(machine.class_name_of(object).into(), content, links)
    }

    /// The copy.
    pub(crate) fn finish(self) -> ObjectCopy {
        ObjectCopy { parts: self.parts }
    }
}

impl ObjectCopy {
    /// The parts that one part reaches, with itself.
    fn reached(&self, root: usize) -> impl Iterator<Item = &CopyPart> {
        let mut seen = BTreeSet::from([root]);
        let mut due = vec![root];
        std::iter::from_fn(move || {
            let part = self.parts.get(due.pop()?)?;
            due.extend(part.links().iter().map(|it| it.1).filter(|it| seen.insert(*it)));
            Some(part)
        })
    }

    /// Whether a part lacks parts; if `is_matched` is false, parts that correspond to nodes count as missing.
    pub(crate) fn has_holes(&self, root: usize, is_matched: bool) -> bool {
        self.reached(root)
            .any(|it| matches!(it, CopyPart::Hole) || !is_matched && matches!(it, CopyPart::Matched(_)))
    }

    /// The arguments of the call to which a part refers.
    pub(crate) fn arguments(&self, root: usize) -> impl Iterator<Item = usize> {
        self.reached(root).filter_map(|it| if let CopyPart::Argument(at) = it { Some(*at) } else { None })
    }

    /// Whether a part has an object of one of these classes.
    pub(crate) fn has_class(&self, root: usize, is_one: &dyn Fn(&str) -> bool) -> bool {
        self.reached(root).any(|it| matches!(it, CopyPart::Object(class, ..) if is_one(class)))
    }

    /// Instantiates a part; `matched` are the objects that correspond to nodes, and `made` are the parts that exist
    /// already, empty at first. Call this on a fork.
    pub(crate) fn value(
        &self,
        machine: &mut Machine,
        root: usize,
        arguments: &[Value],
        matched: &[Addr],
        made: &mut CopiedObjects,
    ) -> Option<Value> {
        let value = self.made(machine, root, arguments, matched, &mut made.0);
        if value.is_none() {
            // Those of this call are not linked.
            made.0.clear();
        }
        value
    }

    fn made(
        &self,
        machine: &mut Machine,
        root: usize,
        arguments: &[Value],
        matched: &[Addr],
        made: &mut Vec<Option<Addr>>,
    ) -> Option<Value> {
        made.resize(self.parts.len(), None);
        let (mut due, mut fresh) = (vec![root], Vec::new());
        while let Some(number) = due.pop() {
            if made.get(number)?.is_some() {
                continue;
            }
            let part = self.parts.get(number)?;
            made[number] = Some(part.instantiated(machine, arguments, matched)?);
            due.extend(part.links().iter().map(|it| it.1));
            fresh.push(number);
        }
        for number in fresh {
            let object = made[number]?;
            for (at, number) in self.parts[number].links() {
                machine.write_word(object + at, u64::from(made[*number]?));
            }
        }
        made[root].map(Value::reference)
    }
}

/// The objects of a copy that exist, by the numbers of their parts.
#[derive(Default)]
pub(crate) struct CopiedObjects(Vec<Option<Addr>>);

impl CopyPart {
    /// The words that refer to other parts, and these parts.
    fn links(&self) -> &[(u32, usize)] {
        if let CopyPart::Object(_, _, links) = self { links } else { &[] }
    }

    /// The object, if it is new without its links.
    fn instantiated(&self, machine: &mut Machine, arguments: &[Value], matched: &[Addr]) -> Option<Addr> {
        Some(match self {
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
        })
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
