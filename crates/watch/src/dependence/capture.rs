//! Takes the dependence of an observation from the state before a call.

use super::builder::characters;
use super::graph::{Content, Dependence, DependenceNode, DependencePart, FieldPart, Root, is_value};
use super::reads::Reads;
use super::statics::StaticNames;
use super::unchanged_memory::UnchangedMemory;
use cupping_machine::{Addr, ClassKind, ELEMENT, FieldKeys, Kind, Machine, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Limits on the objects, on the elements of one array, and on the characters of one string.
const MOST_NODES: usize = 20_000;
const MOST_ELEMENTS: usize = 65_536;
const MOST_CHARACTERS: usize = 1 << 20;
/// Classes whose instances belong to one machine and cannot be compared.
const OF_A_MACHINE: [&str; 5] = [
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/lang/ClassLoader",
    "java/lang/Module",
    "java/lang/ref/Reference",
];
/// Fields of JDK classes that are not content: modification counts, cached views and cached results.
pub(super) const NO_CONTENT: [&str; 18] = [
    "modCount",
    "hash",
    "hashIsZero",
    "hashCode",
    "hashCodeValue",
    "languageTag",
    "threshold",
    "entrySet",
    "keySet",
    "navigableKeySet",
    "descendingMap",
    "values",
    "stringCache",
    "precision",
    "bitCountPlusOne",
    "bitLengthPlusOne",
    "lowestSetBitPlusTwo",
    "firstNonzeroIntNumPlusTwo",
];
/// Classes whose instances the JDK first compares by identity with its own constants: the whole object counts.
const COMPARED_WITH_CONSTANTS: [&str; 2] = ["java/util/Locale", "sun/util/locale/BaseLocale"];
/// Arrays of the JDK whose length is only a capacity.
const CAPACITIES: [(&str, &str); 4] = [
    ("java/util/ArrayList", "elementData"),
    ("java/util/Vector", "elementData"),
    ("java/util/PriorityQueue", "queue"),
    ("java/io/ByteArrayOutputStream", "buf"),
];

/// The observation whose dependence is captured.
pub(crate) struct CaptureSource<'g> {
    /// The arguments of the call with their kinds and positions.
    pub(crate) arguments: &'g [(usize, Kind, Value)],
    /// Whether argument 0 is the receiver, captured or not.
    pub(crate) has_receiver: bool,
    /// What was read.
    pub(crate) reads: &'g Reads,
    /// Locations that the call overwrote before anything else read them.
    pub(crate) overwritten: &'g FxHashSet<(Addr, u32)>,
    /// The memory that is unchanged since before the tests.
    pub(crate) initial: &'g UnchangedMemory,
    /// Whether the static fields of a class are part of the state: not those of testing libraries.
    pub(crate) has_state: &'g dyn Fn(&str) -> bool,
}

/// A dependence, and the numbers of its objects.
pub(crate) struct DependenceCapture {
    pub(crate) dependence: Dependence,
    pub(crate) numbers: FxHashMap<Addr, usize>,
}

/// Captures what was read of the present state.
pub(crate) fn capture(
    machine: &Machine,
    names: &mut StaticNames,
    given: &CaptureSource<'_>,
) -> DependenceCapture {
    let mut it = Capture {
        machine,
        given,
        nodes: Vec::new(),
        numbers: FxHashMap::default(),
        due: Vec::new(),
        limit: None,
    };
    let mut roots = Vec::new();
    for (at, kind, value) in given.arguments {
        let part = it.part(*kind, value.bits, None);
        roots.push((Root::Argument(*at), part));
    }
    for key in given.reads.statics() {
        let Some((class, field)) = names.name(machine, key) else {
            it.limit = Some("the value of a static field that it read is unknown");
            continue;
        };
        let Some(id) = machine.loaded(&class) else { continue };
        let loaded = machine.class(id);
        let Some(declared) = loaded.fields.iter().find(|it| it.is_static() && it.name == field) else {
            continue;
        };
        if !loaded.from_jdk && !(given.has_state)(&class) {
            continue;
        }
        // Constants of the JDK are the same everywhere. Output to its streams is not read again, unless a test
        // installs its own stream.
        if loaded.from_jdk && declared.access.is_final() && &*field != "in" {
            let is_replaced = &*class == "java/lang/System"
                && !machine.static_word(id, &field).is_some_and(|it| given.initial.are_words(it, 1));
            if is_replaced {
                it.limit = Some("the test replaces System.in, out or err");
            }
            continue;
        }
        match machine.static_word(id, &field) {
            Some(word) => {
                let part = it.part(declared.kind, machine.memory().read(word), None);
                let is_initial = given.initial.are_words(word, 1);
                roots.push((Root::Static { class, field, is_initial }, part));
            }
            None => it.limit = Some("a class is not initialised yet"),
        }
    }
    it.all();
    for (root, part) in &mut roots {
        if let (Root::Static { is_initial, .. }, DependencePart::Node(node)) = (root, part) {
            *is_initial = *is_initial && it.are_initial(*node);
        }
    }
    let Capture { nodes, numbers, limit, .. } = it;
    DependenceCapture {
        dependence: Dependence { has_receiver: given.has_receiver, roots, nodes, limit },
        numbers,
    }
}

struct Capture<'c> {
    machine: &'c Machine,
    given: &'c CaptureSource<'c>,
    nodes: Vec<DependenceNode>,
    numbers: FxHashMap<Addr, usize>,
    /// Objects whose content has not been captured yet, and whether their length is only a capacity.
    due: Vec<(Addr, bool)>,
    limit: Option<&'static str>,
}

impl Capture<'_> {
    /// The value of a location; `from` is the node and location that hold it.
    fn part(&mut self, kind: Kind, bits: u64, from: Option<(usize, usize)>) -> DependencePart {
        self.part_of(kind, bits, from, false)
    }

    fn part_of(
        &mut self,
        kind: Kind,
        bits: u64,
        from: Option<(usize, usize)>,
        is_capacity: bool,
    ) -> DependencePart {
        let object = bits as Addr;
        if kind != Kind::Reference {
            return DependencePart::Bits(kind, bits);
        }
        if object == 0 {
            return DependencePart::Null;
        }
        let machine = self.machine;
        let class = machine.class(machine.class_of(object));
        if &*class.name == "java/lang/String" {
            let units = machine.string_units(object);
            if units.len() > MOST_CHARACTERS {
                self.limit = Some("a string is too long");
            }
            return DependencePart::Text(units.into());
        }
        if let Some(known) = self.numbers.get(&object) {
            return DependencePart::Node(*known);
        }
        let number = self.nodes.len();
        if number >= MOST_NODES {
            self.limit = Some("it reads too many objects");
            return DependencePart::Null;
        }
        self.numbers.insert(object, number);
        let has_identity = !(class.from_jdk && is_value(&class.name));
        let content = Content::Fields(Vec::new());
        self.nodes.push(DependenceNode { class: class.name.clone(), content, has_identity, from });
        self.due.push((object, is_capacity));
        DependencePart::Node(number)
    }

    /// Whether an object and everything reachable from it here is unchanged since before the tests.
    fn are_initial(&self, node: usize) -> bool {
        let (mut seen, mut due) = (FxHashSet::default(), vec![node]);
        while let Some(node) = due.pop() {
            if !seen.insert(node) {
                continue;
            }
            if !self.given.initial.is_object(self.machine, self.due[node].0) {
                return false;
            }
            let parts: Vec<&DependencePart> = match &self.nodes[node].content {
                Content::Fields(fields) => fields.iter().map(|it| &it.part).collect(),
                Content::Elements(_, elements) => elements.iter().map(|(_, part)| part).collect(),
                _ => Vec::new(),
            };
            due.extend(parts.into_iter().filter_map(|it| match it {
                DependencePart::Node(node) => Some(*node),
                _ => None,
            }));
        }
        true
    }

    /// Captures the contents of all objects, including those reached on the way.
    fn all(&mut self) {
        let mut at = 0;
        while let Some((object, is_capacity)) = self.due.get(at).copied() {
            self.nodes[at].content = self.content(at, object, is_capacity);
            at += 1;
        }
    }

    fn content(&mut self, number: usize, object: Addr, is_capacity: bool) -> Content {
        let machine = self.machine;
        let id = machine.class_of(object);
        let class = machine.class(id);
        match &*class.name {
            "java/lang/Class" => {
                return Content::Class(machine.class(machine.class_of_mirror(object)).name.clone());
            }
            "java/lang/StringBuilder" | "java/lang/StringBuffer" => return self.characters(object),
            _ => {}
        }
        if let ClassKind::Array { kind, .. } = class.kind {
            let length = machine.array_length(object);
            let read = self.given.reads.elements(object, length);
            if read.len() > MOST_ELEMENTS {
                self.limit = Some("it reads too many elements of an array");
                return Content::Elements(Some(length), Vec::new());
            }
            let is_overwritten = |at: &u32| self.given.overwritten.contains(&(object, at | ELEMENT));
            let read: Vec<u32> = read.into_iter().filter(|at| !is_overwritten(at)).collect();
            let mut elements = Vec::with_capacity(read.len());
            for (place, at) in read.into_iter().enumerate() {
                let part = self.part(kind, machine.element(object, at, kind), Some((number, place)));
                elements.push((at, part));
            }
            return Content::Elements(Some(length).filter(|_| !is_capacity), elements);
        }
        // The class of a lambda has no name that another run could compare with.
        if class.file.is_none() || class.host.is_some() {
            self.limit = Some("it reads a lambda");
        }
        if OF_A_MACHINE.iter().any(|it| machine.is_named_subtype(id, it)) {
            self.limit = Some("it reads a part of the virtual machine");
        }
        self.fields(number, object)
    }

    fn fields(&mut self, number: usize, object: Addr) -> Content {
        let machine = self.machine;
        let mut fields: Vec<FieldPart> = Vec::new();
        let mut at = Some(machine.class_of(object));
        let mut level = 0;
        while let Some(class) = at.map(|it| machine.class(it)) {
            let is_enum = &*class.name == "java/lang/Enum";
            for field in class.fields.iter().filter(|field| !field.is_static()) {
                let key = FieldKeys::new(&class.name, &field.name).of_object;
                let name = &*field.name;
                let is_read = match class.from_jdk {
                    true if is_enum => name == "name",
                    true if is_value(&class.name) && name == "value" => true,
                    true if NO_CONTENT.contains(&name) => false,
                    true if COMPARED_WITH_CONSTANTS.contains(&&*class.name) => true,
                    _ => self.given.reads.has_field(object, key),
                };
                if !is_read || self.given.overwritten.contains(&(object, key)) {
                    continue;
                }
                let is_capacity = class.from_jdk && CAPACITIES.contains(&(&*class.name, name));
                let bits = machine.field(object, u32::from(field.offset));
                let place = Some((number, fields.len()));
                let part = self.part_of(field.kind, bits, place, is_capacity);
                fields.push(FieldPart { level, name: field.name.clone(), part });
            }
            at = class.super_class;
            level += 1;
        }
        Content::Fields(fields)
    }

    fn characters(&mut self, builder: Addr) -> Content {
        match characters(self.machine, builder) {
            Some(units) if units.len() <= MOST_CHARACTERS => Content::Characters(units),
            _ => {
                self.limit = Some("a string builder is too long");
                Content::Characters(Vec::new())
            }
        }
    }
}
