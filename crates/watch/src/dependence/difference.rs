//! A difference between the state of a test and that of the program, in words.

use super::graph::{Content, Dependence, DependencePart, Root};
use crate::difference::Difference;
use crate::shape::shape_of;
use cupping_machine::{Kind, Machine};

/// The location of a value: a root, or a location of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueLocation {
    Root(usize),
    /// The object itself: its class, its length, its characters.
    Object(usize),
    /// A field or element, by its index in the node's content.
    Inside(usize, usize),
}

/// The description of a difference at a location, with the present value if there is one.
pub(super) fn difference(
    of: &Dependence,
    machine: &Machine,
    place: ValueLocation,
    bits: Option<u64>,
) -> Difference {
    let show = |part: &DependencePart, bits: u64| shape_of(machine, kind_of(part), bits, 1, None).to_string();
    let of_part = |place: String, part: &DependencePart| Difference {
        place,
        expected: of.show(part),
        present: bits.map_or("not there".into(), |bits| show(part, bits)),
    };
    match place {
        ValueLocation::Root(at) => of_part(of.root(at), &of.roots[at].1),
        ValueLocation::Inside(node, at) => match &of.nodes[node].content {
            Content::Fields(fields) => of_part(of.location(node, at), &fields[at].part),
            Content::Elements(_, elements) => of_part(of.location(node, at), &elements[at].1),
            _ => of_part(of.path(node), &DependencePart::Node(node)),
        },
        ValueLocation::Object(node) => match &of.nodes[node].content {
            Content::Elements(length, _) => Difference {
                place: of.path(node) + ".length",
                expected: length.map_or(String::new(), |it| it.to_string()),
                present: bits.unwrap_or_default().to_string(),
            },
            Content::Characters(units) => Difference {
                place: of.path(node),
                expected: format!("{:?}", String::from_utf16_lossy(units)),
                present: "other characters".into(),
            },
            Content::Class(name) => Difference {
                place: of.path(node),
                expected: name.replace('/', "."),
                present: "another class".into(),
            },
            Content::Fields(_) => of_part(of.path(node), &DependencePart::Node(node)),
        },
    }
}

impl Dependence {
    fn root(&self, at: usize) -> String {
        match &self.roots[at].0 {
            Root::Argument(0) if self.has_receiver => "this".into(),
            Root::Argument(position) => format!("argument {}", position + usize::from(!self.has_receiver)),
            Root::Static { class, field, .. } => format!("{}.{field}", simple(class)),
        }
    }

    /// The path to an object: the locations that first reached it; of a long path, only the last.
    fn path(&self, mut node: usize) -> String {
        /// Number of locations that are shown.
        const MOST_STEPS: usize = 8;
        let mut steps = Vec::new();
        while let Some((above, at)) = self.nodes[node].from {
            if steps.len() == MOST_STEPS {
                steps.push("…".to_owned());
                break;
            }
            steps.push(self.step(above, at));
            node = above;
        }
        if steps.len() <= MOST_STEPS {
            let root = self.roots.iter().position(|(_, part)| *part == DependencePart::Node(node));
            steps.extend(root.map(|at| self.root(at)));
        }
        steps.into_iter().rev().collect()
    }

    fn location(&self, node: usize, at: usize) -> String {
        self.path(node) + &self.step(node, at)
    }

    /// The last step to a location: a field or an index.
    fn step(&self, node: usize, at: usize) -> String {
        match &self.nodes[node].content {
            Content::Fields(fields) => format!(".{}", fields[at].name),
            Content::Elements(_, elements) => format!("[{}]", elements[at].0),
            _ => String::new(),
        }
    }

    fn show(&self, part: &DependencePart) -> String {
        match part {
            DependencePart::Null => "null".into(),
            DependencePart::Bits(kind, bits) => crate::Shape::Bits(*kind, *bits).to_string(),
            DependencePart::Text(units) => crate::Shape::Text(units.to_vec()).to_string(),
            DependencePart::Node(node) => match &self.nodes[*node].content {
                Content::Fields(fields) if matches!(&fields[..], [one] if &*one.name == "value") => {
                    self.show(&fields[0].part)
                }
                _ => simple(&self.nodes[*node].class),
            },
        }
    }
}

fn simple(class: &str) -> String {
    class.rsplit(['/', '$']).next().unwrap_or(class).trim_end_matches(';').to_owned()
}

/// The kind of a root or location.
fn kind_of(part: &DependencePart) -> Kind {
    match part {
        DependencePart::Bits(kind, _) => *kind,
        _ => Kind::Reference,
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::{DependenceNode, FieldPart};
    use super::*;

    fn object(class: &str, parts: &[(&str, DependencePart)], from: Option<(usize, usize)>) -> DependenceNode {
        let field = |(name, part): &(&str, DependencePart)| FieldPart {
            level: 0,
            name: (*name).into(),
            part: part.clone(),
        };
        let content = Content::Fields(parts.iter().map(field).collect());
        DependenceNode { class: class.into(), content, has_identity: true, from }
    }

    fn int(value: u64) -> DependencePart {
        DependencePart::Bits(Kind::Int, value)
    }

    /// `this` has a list, whose array has a box at index 3; a static field holds a text.
    fn dependence(has_receiver: bool) -> Dependence {
        let at = DependencePart::Node;
        let array = DependenceNode {
            class: "[Ljava/lang/Object;".into(),
            content: Content::Elements(None, vec![(3, at(3)), (4, DependencePart::Null)]),
            has_identity: true,
            from: Some((1, 1)),
        };
        Dependence {
            has_receiver,
            roots: vec![
                (Root::Argument(0), at(0)),
                (Root::Argument(1), int(7)),
                (
                    Root::Static { class: "a/B$C".into(), field: "NAME".into(), is_initial: false },
                    DependencePart::Text([0x61, 0x22].into()),
                ),
            ],
            nodes: vec![
                object("a/Shop", &[("list", at(1))], None),
                object("a/List", &[("size", int(5)), ("all", at(2))], Some((0, 0))),
                array,
                object("java/lang/Integer", &[("value", int(9))], Some((2, 0))),
            ],
            limit: None,
        }
    }

    #[test]
    fn places_are_written_as_expressions() {
        let of = dependence(true);
        assert_eq!([0, 1, 2].map(|at| of.root(at)), ["this", "argument 1", "C.NAME"]);
        assert_eq!(
            [0, 1, 2, 3].map(|at| of.path(at)),
            ["this", "this.list", "this.list.all", "this.list.all[3]"]
        );
        assert_eq!(of.location(1, 0), "this.list.size");
        assert_eq!(of.location(2, 1), "this.list.all[4]");
        // Without a receiver, arguments are counted from one.
        let of = dependence(false);
        assert_eq!([0, 1].map(|at| of.root(at)), ["argument 1", "argument 2"]);
        assert_eq!(of.path(1), "argument 1.list");
    }

    #[test]
    fn values_are_shown_and_boxes_as_their_values() {
        let of = dependence(true);
        assert_eq!([0, 1, 2].map(|at| of.show(&of.roots[at].1)), ["Shop", "7", "\"a\\\"\""]);
        assert_eq!(of.show(&DependencePart::Node(3)), "9");
        assert_eq!(of.show(&DependencePart::Null), "null");
    }

    #[test]
    fn long_paths_are_shown_by_their_ends() {
        let mut nodes = vec![object("a/N", &[("next", DependencePart::Node(1))], None)];
        for at in 1..12 {
            nodes.push(object("a/N", &[("next", DependencePart::Node(at + 1))], Some((at - 1, 0))));
        }
        let roots = vec![(Root::Argument(0), DependencePart::Node(0))];
        let of = Dependence { has_receiver: true, roots, nodes, limit: None };
        assert_eq!(of.path(8), "this".to_owned() + &".next".repeat(8));
        assert_eq!(of.path(9), "…".to_owned() + &".next".repeat(8));
    }
}
