//! Drawable snapshots of the objects around a call: boxes with fields, and references between them.

use crate::collections::content;
use crate::shape::shape_of;
use cupping_machine::{Addr, ClassKind, Kind, Machine, Value};
use serde::Serialize;
use std::collections::BTreeMap;

/// Limit on the objects in one picture.
const MOST_BOXES: usize = 24;
/// Limit on the rows of one object.
const MOST_ROWS: usize = 12;

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectDrawing {
    /// Its class name without the package.
    pub class: String,
    /// The fields by name, or the elements by index, with their values.
    pub rows: Vec<(String, Cell)>,
    /// Its address: the same object has the same identity in all pictures of a call.
    pub identity: u32,
}

/// The value of a field or element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A value that is shown as text.
    Text(String),
    /// A reference to the box with this index.
    Object(usize),
}

/// The objects, and the variables that refer to some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// Receiver, arguments and result.
    pub roots: Vec<(String, Cell)>,
    /// The objects.
    pub boxes: Vec<ObjectDrawing>,
}

impl Picture {
    /// Whether the picture has no objects.
    pub fn is_plain(&self) -> bool {
        self.boxes.is_empty()
    }

    /// The picture of these values and the objects that they reach, down to a depth.
    pub(crate) fn of(machine: &Machine, roots: &[(String, Kind, Value)], depth: usize) -> Picture {
        let mut sketch = Sketch { machine, picture: Picture::default(), known: BTreeMap::new() };
        let mut due = Vec::new();
        for (name, kind, value) in roots {
            let cell = sketch.cell(*kind, value.bits, depth, &mut due);
            sketch.picture.roots.push((name.clone(), cell));
        }
        // Breadth first, so that the limits drop the farthest objects.
        let mut at = 0;
        while let Some((object, place, left)) = due.get(at).copied() {
            at += 1;
            let rows = sketch.rows(object, left, &mut due);
            sketch.picture.boxes[place].rows = rows;
        }
        sketch.picture
    }
}

struct Sketch<'m> {
    machine: &'m Machine,
    picture: Picture,
    known: BTreeMap<Addr, usize>,
}

type UndrawnObjects = Vec<(Addr, usize, usize)>;

impl Sketch<'_> {
    fn cell(&mut self, kind: Kind, bits: u64, depth: usize, due: &mut UndrawnObjects) -> Cell {
        let text = |machine: &Machine| Cell::Text(shape_of(machine, kind, bits, 0, None).to_string());
        let object = bits as Addr;
        if kind != Kind::Reference || object == 0 {
            return text(self.machine);
        }
        if let Some(known) = self.known.get(&object) {
            return Cell::Object(*known);
        }
        let name = self.machine.class_name_of(object);
        let is_value = name == "java/lang/String"
            || matches!(
                name.strip_prefix("java/lang/"),
                Some("Integer" | "Long" | "Short" | "Byte" | "Character")
            )
            || matches!(name.strip_prefix("java/lang/"), Some("Boolean" | "Double" | "Float" | "Class"));
        if is_value {
            return Cell::Text(shape_of(self.machine, kind, bits, 1, None).to_string());
        }
        if depth == 0 || self.picture.boxes.len() >= MOST_BOXES {
            return text(self.machine);
        }
        let place = self.picture.boxes.len();
        let class = shape_of(self.machine, Kind::Reference, bits, 0, None).to_string();
        self.picture.boxes.push(ObjectDrawing { class, rows: Vec::new(), identity: object });
        self.known.insert(object, place);
        due.push((object, place, depth));
        Cell::Object(place)
    }

    fn rows(&mut self, object: Addr, depth: usize, due: &mut UndrawnObjects) -> Vec<(String, Cell)> {
        let machine = self.machine;
        let id = machine.class_of(object);
        let mut rows = Vec::new();
        if let ClassKind::Array { kind, .. } = machine.class(id).kind {
            let length = machine.array_length(object);
            for at in 0..length.min(MOST_ROWS as u32) {
                let cell = self.cell(kind, machine.element(object, at, kind), depth - 1, due);
                rows.push((at.to_string(), cell));
            }
            if length > MOST_ROWS as u32 {
                rows.push(("…".into(), Cell::Text(format!("{length} in all"))));
            }
            return rows;
        }
        if let Some(entries) = content(machine, object, MOST_ROWS) {
            for (at, (key, value)) in entries.into_iter().enumerate() {
                let name = key.map_or_else(
                    || at.to_string(),
                    |key| shape_of(machine, Kind::Reference, u64::from(key), 1, None).to_string(),
                );
                let cell = self.cell(Kind::Reference, u64::from(value), depth, due);
                rows.push((name, cell));
            }
            return rows;
        }
        let mut at = Some(id);
        while let Some(id) = at {
            let class = machine.class(id);
            at = class.super_class;
            if class.from_jdk {
                continue;
            }
            for field in class.fields.iter().filter(|it| !it.is_static()) {
                if rows.len() >= MOST_ROWS {
                    rows.push(("…".into(), Cell::Text(String::new())));
                    return rows;
                }
                let bits = machine.field(object, field.offset as u32);
                let cell = self.cell(field.kind, bits, depth - 1, due);
                rows.push((field.name.to_string(), cell));
            }
        }
        rows
    }
}
