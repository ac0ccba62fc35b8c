//! The contents of a heap drawing, and their sizes.

use crate::svg::{shortened, width_of};

/// Height of a row of a box.
pub(super) const ROW: f64 = 18.0;
/// Characters of a value that are shown.
pub(super) const MOST_CHARACTERS: usize = 40;

/// Half the height of a round node.
pub(super) const RADIUS: f64 = 17.0;

/// A heap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heap {
    /// Names of objects and values: receiver, parameters, result.
    pub starts: Vec<Start>,
    /// The objects.
    pub nodes: Vec<HeapNode>,
    /// The references between objects.
    pub links: Vec<Link>,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The name.
    pub name: String,
    /// What it denotes.
    pub target: StartTarget,
}

/// What a name denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartTarget {
    /// An object, by its place.
    Node(usize),
    /// A value.
    Text(String),
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapNode {
    /// The tooltip.
    pub title: String,
    /// The form of the node.
    pub form: Form,
    /// Whether it was created between the two pictures.
    pub is_new: bool,
}

/// The form of an object's node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A round node with a short text.
    Round(String, Option<Colour>),
    /// A box with the class and a row for each datum.
    Rows(String, Vec<HeapRow>),
}

/// The colour of a round node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Black, as in red-black trees.
    Black,
    /// The other.
    Red,
}

/// A datum of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapRow {
    /// The field.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether it was another before.
    pub is_changed: bool,
}

/// A field that leads to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The place of the object that has the field.
    pub from: usize,
    /// The place of the object that it leads to.
    pub to: usize,
    /// The field.
    pub label: String,
    /// Whether it led elsewhere before.
    pub is_changed: bool,
}

impl HeapNode {
    /// Half the width of its box.
    pub(super) fn half_width(&self) -> f64 {
        match &self.form {
            Form::Round(text, _) => RADIUS.max(width_of(text) / 2.0 + 7.0),
            Form::Rows(class, rows) => {
                let rows = rows.iter().map(|it| width_of(&it.text()));
                rows.chain([width_of(class)]).fold(30.0, f64::max) / 2.0 + 8.0
            }
        }
    }

    /// Half the height of its box.
    pub(super) fn half_height(&self) -> f64 {
        match &self.form {
            Form::Round(..) => RADIUS,
            Form::Rows(_, rows) => (rows.len() + 1) as f64 * ROW / 2.0 + 3.0,
        }
    }
}

impl HeapRow {
    /// Its line in a box.
    pub(super) fn text(&self) -> String {
        format!("{} = {}", self.name, shortened(&self.value, MOST_CHARACTERS))
    }
}
