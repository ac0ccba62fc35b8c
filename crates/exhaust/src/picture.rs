//! A state as a graph for display: objects with their data, the references between them, and the variables
//! that start it.

use crate::model::JavaModel;
use cupping_relation::{Atom, FieldId, Model, SigId, Structure, Universe};
use cupping_view::svg::Colour;
use std::collections::BTreeMap;

/// An object.
#[derive(Clone, Debug)]
pub struct PictureNode {
    /// Its atom.
    pub atom: u32,
    /// The name in messages: `Entry0`.
    pub name: String,
    /// Fields that hold values rather than objects.
    pub data: Vec<(String, String)>,
    /// Its colour.
    pub colour: Option<Colour>,
    /// Number of fields that can refer to objects.
    pub links: usize,
}

/// A reference between objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the node that has the field.
    pub from: usize,
    /// Index of the node it refers to.
    pub to: usize,
    /// The field.
    pub label: String,
}

/// The value of a variable.
#[derive(Clone, Debug)]
pub enum Start {
    /// A node, by index.
    PictureNode(usize),
    /// A value, or `null`.
    Text(String),
}

/// A state to display.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The objects.
    pub nodes: Vec<PictureNode>,
    /// The references, by node and field.
    pub edges: Vec<Edge>,
    /// Receiver, parameters, static fields, and the outcome.
    pub starts: Vec<(String, Start)>,
}

impl Picture {
    /// The picture of a structure. `names` are the parameters' names.
    pub fn of(modelled: &JavaModel, universe: &Universe, structure: &Structure, names: &[String]) -> Picture {
        let model = &modelled.model;
        let mut picture = Picture::default();
        let mut places = BTreeMap::new();
        let hidden = |sig: SigId| {
            sig == modelled.call.sig
                || modelled.output.as_ref().is_some_and(|it| {
                    it.sig == sig
                        || model.root(sig) != sig && it.exceptions.iter().any(|(one, _)| *one == sig)
                        || model.signature(sig).name == "$thrown"
                })
                || modelled.statics.values().any(|it| *it == sig)
                || modelled.constants.iter().any(|(it, _, _)| *it == sig)
        };
        let scalar = |atom: u32| match &universe.atoms[atom as usize] {
            Atom::Int(_) | Atom::Bool(_) | Atom::Text(_) => true,
            Atom::Only(sig) => hidden(*sig),
            Atom::Of(..) => false,
        };
        let show = |atom: u32| universe.show(atom, model);
        for (sig, signature) in model.signatures() {
            if signature.parent.is_some() || hidden(sig) {
                continue;
            }
            for &atom in structure.sigs.get(sig.0 as usize).into_iter().flatten().filter(|it| !scalar(**it)) {
                places.insert(atom, picture.nodes.len());
                let (data, colour, links) = (Vec::new(), None, 0);
                let name = match lowest(modelled, structure, atom).filter(|it| *it != sig) {
                    Some(class) => format!("{} ({})", show(atom), model.signature(class).name),
                    None => show(atom),
                };
                picture.nodes.push(PictureNode { atom, name, data, colour, links });
            }
        }
        let value =
            |field: FieldId| structure.fields.get(field.0 as usize).and_then(|it| it.first()).map(|it| it[1]);
        let start = |name: &str, field: FieldId, picture: &mut Picture| {
            let start = match value(field) {
                None => Start::Text("null".into()),
                Some(atom) => {
                    places.get(&atom).map_or_else(|| Start::Text(show(atom)), |at| Start::PictureNode(*at))
                }
            };
            picture.starts.push((name.to_owned(), start));
        };
        if let Some(this) = modelled.call.this {
            start("this", this, &mut picture);
        }
        for (name, field) in names.iter().zip(&modelled.call.parameters) {
            start(name, *field, &mut picture);
        }
        for (field, java) in modelled.fields.iter().filter(|(_, it)| it.is_static) {
            start(&java.name, *field, &mut picture);
        }
        for (id, field) in model.fields() {
            if hidden(field.owner) {
                continue;
            }
            for tuple in structure.fields.get(id.0 as usize).into_iter().flatten() {
                let (Some(&first), Some(&last)) = (tuple.first(), tuple.last()) else { continue };
                let Some(&from) = places.get(&first) else { continue };
                let between: Vec<String> = tuple[1..tuple.len() - 1].iter().map(|it| show(*it)).collect();
                let is_element = modelled.arrays.iter().any(|it| it.at == id);
                let label = match (&between[..], is_element) {
                    ([], _) => field.name.clone(),
                    ([index], true) => format!("[{index}]"),
                    _ => format!("{}[{}]", field.name, between.join(", ")),
                };
                match places.get(&last) {
                    Some(&to) => picture.edges.push(Edge { from, to, label }),
                    None => {
                        let text = show(last);
                        picture.nodes[from].colour = picture.nodes[from].colour.or(colour(&label, &text));
                        picture.nodes[from].data.push((label, text));
                    }
                }
            }
            // Number of links that an object of the class can have.
            let leads =
                field.columns.products.iter().any(|it| {
                    it.last().is_some_and(|sig| ![Model::INT, Model::BOOL, Model::TEXT].contains(sig))
                });
            if leads {
                for atom in structure.sigs.get(field.owner.0 as usize).into_iter().flatten() {
                    if let Some(&at) = places.get(atom) {
                        picture.nodes[at].links += 1;
                    }
                }
            }
        }
        picture
    }

    /// Adds a part of the outcome.
    pub fn outcome(&mut self, name: &str, atom: Option<u32>, shown: String) {
        let node = atom.and_then(|it| self.nodes.iter().position(|node| node.atom == it));
        self.starts.push((name.to_owned(), node.map_or(Start::Text(shown), Start::PictureNode)));
    }

    /// The edges of a node in the order of its fields.
    pub fn from(&self, node: usize) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(move |it| it.from == node)
    }

    /// The state as text: a line per variable, and one per object outside of lists.
    pub fn text(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut met = vec![false; self.nodes.len()];
        let mut waiting = Vec::new();
        for (name, start) in &self.starts {
            match start {
                Start::Text(text) => lines.push(format!("{name}: {text}")),
                Start::PictureNode(at) => match self.chain(*at) {
                    Some((chain, nodes)) => {
                        nodes.iter().for_each(|it| met[*it] = true);
                        lines.push(format!("{name}: {chain}"));
                    }
                    None => {
                        lines.push(format!("{name}: {}", self.nodes[*at].name));
                        waiting.push(*at);
                    }
                },
            }
        }
        if self.starts.is_empty() {
            waiting.extend(0..self.nodes.len());
        }
        waiting.reverse();
        while let Some(at) = waiting.pop() {
            if std::mem::replace(&mut met[at], true) {
                continue;
            }
            let node = &self.nodes[at];
            let data = node.data.iter().map(|(name, value)| (name.clone(), value.clone()));
            let links = self.from(at).map(|it| (it.label.clone(), self.nodes[it.to].name.clone()));
            let parts: Vec<String> =
                data.chain(links).map(|(name, value)| format!("{name} = {value}")).collect();
            let shown = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
            lines.push(format!("  {}{shown}", node.name));
            let next: Vec<usize> = self.from(at).map(|it| it.to).collect();
            waiting.extend(next.into_iter().rev());
        }
        lines
    }

    /// A list on one line: `0 -> 0 -> 1`; none if it branches or is cyclic.
    fn chain(&self, start: usize) -> Option<(String, Vec<usize>)> {
        // A node without successors is an empty list only if it could have a successor and holds no data.
        let node = &self.nodes[start];
        if self.from(start).next().is_none() && (!node.data.is_empty() || node.links == 0) {
            return None;
        }
        let mut nodes = Vec::new();
        let mut parts = Vec::new();
        let mut at = Some(start);
        while let Some(here) = at {
            let node = &self.nodes[here];
            // The list's head object has only the link; each element has one value.
            if node.links > 1
                || node.data.len() > 1
                || node.data.iter().any(|(label, _)| label == "length")
                || nodes.contains(&here)
            {
                return None;
            }
            nodes.push(here);
            let values: Vec<&str> = node.data.iter().map(|(_, value)| value.as_str()).collect();
            // The head object adds nothing to the text.
            if !(values.is_empty() && nodes.len() == 1) {
                parts.push(if values.is_empty() { node.name.clone() } else { values.join(",") });
            }
            at = self.from(here).next().map(|it| it.to);
        }
        let text = if parts.is_empty() { "empty".to_owned() } else { parts.join(" -> ") };
        Some((text, nodes))
    }
}

/// The lowest class of an object.
fn lowest(modelled: &JavaModel, structure: &Structure, atom: u32) -> Option<SigId> {
    let is_of = |it: &SigId| structure.sigs.get(it.0 as usize).is_some_and(|atoms| atoms.contains(&atom));
    let all: Vec<SigId> = modelled.classes.values().copied().filter(is_of).collect();
    let below = |it: &SigId| all.iter().any(|other| modelled.model.signature(*other).parent == Some(*it));
    all.iter().copied().find(|it| !below(it))
}

/// In the JDK's trees `color = true` is black; colour names are taken as they are.
fn colour(field: &str, value: &str) -> Option<Colour> {
    let field = field.to_lowercase();
    match (field.as_str(), value.to_lowercase().as_str()) {
        ("color" | "colour", "true" | "black")
        | ("black" | "isblack", "true")
        | ("red" | "isred", "false") => Some(Colour::Black),
        ("color" | "colour", "false" | "red")
        | ("black" | "isblack", "false")
        | ("red" | "isred", "true") => Some(Colour::Red),
        _ => None,
    }
}
