//! The contents of the JDK's collections, for display: their private fields would only show the
//! implementation.

use cupping_machine::{Addr, Machine};

/// Where a collection class keeps its elements.
enum Layout {
    /// The first elements of an array, as many as this size field says.
    InArray(&'static str, Option<&'static str>),
    /// A linked list: fields of the first link, the next link, and the item.
    InChain(&'static str, &'static str, &'static str),
    /// A hash table of chained entries: fields for table, next, key and value.
    InTable(&'static str, &'static str, &'static str, Option<&'static str>),
    /// A binary tree of entries: fields for root, children, key and value.
    InTree(&'static str, [&'static str; 2], &'static str, &'static str),
    /// A ring buffer: fields for the array, its first and its last index.
    InRing(&'static str, &'static str, &'static str),
    /// Another collection; the flag says that only its keys are elements.
    In(&'static str, bool),
}

const CLASSES: [(&str, Layout); 16] = [
    ("java/util/ArrayList", Layout::InArray("elementData", Some("size"))),
    ("java/util/Vector", Layout::InArray("elementData", Some("elementCount"))),
    ("java/util/Stack", Layout::InArray("elementData", Some("elementCount"))),
    ("java/util/PriorityQueue", Layout::InArray("queue", Some("size"))),
    ("java/util/Arrays$ArrayList", Layout::InArray("a", None)),
    ("java/util/ImmutableCollections$ListN", Layout::InArray("elements", None)),
    ("java/util/LinkedList", Layout::InChain("first", "next", "item")),
    ("java/util/HashMap", Layout::InTable("table", "next", "key", Some("value"))),
    ("java/util/LinkedHashMap", Layout::InTable("table", "next", "key", Some("value"))),
    ("java/util/Hashtable", Layout::InTable("table", "next", "key", Some("value"))),
    ("java/util/TreeMap", Layout::InTree("root", ["left", "right"], "key", "value")),
    ("java/util/HashSet", Layout::In("map", true)),
    ("java/util/LinkedHashSet", Layout::In("map", true)),
    ("java/util/TreeSet", Layout::In("m", true)),
    ("java/util/ArrayDeque", Layout::InRing("elements", "head", "tail")),
    ("java/util/Collections$UnmodifiableList", Layout::In("list", false)),
];

/// Limit on the entries visited.
const FAR: usize = 10_000;

/// The entries of a collection, each with its key (of a map) and value; `None` for an unknown class.
pub(crate) fn content(machine: &Machine, object: Addr, most: usize) -> Option<Vec<(Option<Addr>, Addr)>> {
    let name = machine.class_name_of(object);
    let (_, lies) = CLASSES.iter().find(|(class, _)| *class == name)?;
    let word = |object: Addr, field: &str| {
        machine.field_offset(machine.class_of(object), field).map(|at| machine.field(object, at))
    };
    let object_in = |object: Addr, field: &str| word(object, field).map(|it| it as Addr);
    let element = |array: Addr, at: u32| machine.element(array, at, cupping_machine::Kind::Reference) as Addr;
    let mut found = Vec::new();
    match lies {
        Layout::InArray(array, size) => {
            let array = object_in(object, array).filter(|it| *it != 0)?;
            let length = machine.array_length(array);
            let size = size.and_then(|it| word(object, it)).map_or(length, |it| (it as u32).min(length));
            found.extend((0..size.min(most as u32)).map(|at| (None, element(array, at))));
        }
        Layout::InRing(array, head, tail) => {
            let array = object_in(object, array).filter(|it| *it != 0)?;
            let length = machine.array_length(array);
            let (mut at, end) = (word(object, head)? as u32, word(object, tail)? as u32);
            while at != end && at < length && found.len() < most {
                found.push((None, element(array, at)));
                at = (at + 1) % length;
            }
        }
        Layout::InChain(first, next, item) => {
            let mut at = object_in(object, first)?;
            while at != 0 && found.len() < most {
                found.push((None, object_in(at, item)?));
                at = object_in(at, next)?;
            }
        }
        Layout::InTable(table, next, key, value) => {
            let table = object_in(object, table)?;
            let length = if table == 0 { 0 } else { machine.array_length(table) };
            for bucket in 0..length {
                let mut at = element(table, bucket);
                while at != 0 && found.len() < most {
                    let of_entry = value.and_then(|it| object_in(at, it)).unwrap_or(0);
                    // The nodes of a treeified bucket are linked as a list too.
                    found.push((Some(object_in(at, key)?), of_entry));
                    at = object_in(at, next)?;
                }
            }
        }
        Layout::InTree(root, [left, right], key, value) => {
            let mut open = Vec::new();
            let mut at = object_in(object, root)?;
            let mut steps = 0;
            while (at != 0 || !open.is_empty()) && found.len() < most && steps < FAR {
                steps += 1;
                if at != 0 {
                    open.push(at);
                    at = object_in(at, left)?;
                } else if let Some(entry) = open.pop() {
                    found.push((Some(object_in(entry, key)?), object_in(entry, value)?));
                    at = object_in(entry, right)?;
                }
            }
        }
        Layout::In(field, keys_alone) => {
            let inner = content(machine, object_in(object, field).filter(|it| *it != 0)?, most)?;
            let key = |(key, value): (Option<Addr>, Addr)| (None, key.unwrap_or(value));
            found.extend(inner.into_iter().map(|it| if *keys_alone { key(it) } else { it }));
        }
    }
    Some(found)
}
