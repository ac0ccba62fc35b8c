//! Shapes of all observed linked objects: no cycles, no sharing, nodes in order. Formulas cannot express them, and
//! without them most inputs would be states that no call reaches.

use crate::subject::Subject;
use crate::trace::Execution;
use crate::value::{Image, Value};
use cupping_case::JavaType;
use cupping_exhaust::classes::simple_name;
use cupping_exhaust::model::notation;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The number of distinct pairs of neighbours that an order needs as evidence.
const ENOUGH: usize = 5;

/// The nodes of one class in an image, with the targets of their fields.
struct Graph<'i> {
    links: BTreeMap<u32, Vec<(usize, u32)>>,
    image: &'i Image,
    /// Whether all targets are among the nodes.
    is_whole: bool,
}

impl<'i> Graph<'i> {
    fn new(image: &'i Image, class: &str, fields: &[&str]) -> Graph<'i> {
        let mut graph = Graph { links: BTreeMap::new(), image, is_whole: true };
        for (address, object) in image.objects.iter().filter(|it| *it.1.class == *class) {
            let links = graph.links.entry(*address).or_default();
            for (at, field) in fields.iter().enumerate() {
                if let Value::Object(to) = object.field(field) {
                    links.push((at, to));
                    graph.is_whole &= image.objects.contains_key(&to);
                }
            }
        }
        graph
    }

    /// Objects reached in one or more steps, by all fields or by one.
    fn reached(&self, from: u32, by: Option<usize>) -> FxHashSet<u32> {
        let (mut found, mut open) = (FxHashSet::default(), vec![from]);
        while let Some(node) = open.pop() {
            for (field, to) in self.links.get(&node).into_iter().flatten() {
                if by.is_none_or(|it| it == *field) && found.insert(*to) {
                    open.push(*to);
                }
            }
        }
        found
    }

    fn pairs(&self, field: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.links.iter().flat_map(move |(from, links)| {
            links.iter().filter(move |it| it.0 == field).map(move |it| (*from, it.1))
        })
    }

    fn number(&self, node: u32, field: &str) -> Option<i128> {
        self.image.objects.get(&node)?.field(field).number()
    }
}

/// Shapes of all observed objects, each with a sentence for it.
pub fn shapes(subject: &Subject, executions: &[&Execution]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<*const Image> = FxHashSet::default();
    let images: Vec<&Image> = executions
        .iter()
        .flat_map(|it| [&it.entry.state, &it.exit.state])
        .filter(|it| seen.insert(std::rc::Rc::as_ptr(it)))
        .map(|it| &**it)
        .collect();
    for (class, fields) in &subject.layouts {
        let own = JavaType::class(class);
        let links: Vec<&str> = fields.iter().filter(|it| it.1 == own).map(|it| &*it.0).collect();
        if links.is_empty() || **class == *subject.name {
            continue;
        }
        let graphs: Vec<Graph<'_>> = images.iter().map(|it| Graph::new(it, class, &links)).collect();
        let numbers: Vec<&str> = fields
            .iter()
            .filter(|it| matches!(it.1, JavaType::Int | JavaType::Long | JavaType::Short | JavaType::Byte))
            .map(|it| &*it.0)
            .collect();
        of_class(simple_name(class), &links, &numbers, &graphs, &mut found);
        counts(subject, class, &links, &graphs, &mut found);
    }
    found
}

/// Links in the notation: each, and their union.
fn ways(links: &[&str]) -> (Vec<String>, String) {
    let ways: Vec<String> = links.iter().map(|it| notation(it)).collect();
    let any = if ways.len() == 1 { ways[0].clone() } else { format!("({})", ways.join(" + ")) };
    (ways, any)
}

fn of_class(
    name: &str,
    links: &[&str],
    numbers: &[&str],
    graphs: &[Graph<'_>],
    found: &mut Vec<(String, String)>,
) {
    let pairs = |field: usize| graphs.iter().map(|it| it.pairs(field).count()).sum::<usize>();
    let all: usize = (0..links.len()).map(pairs).sum();
    if all < ENOUGH {
        return;
    }
    let (ways, any) = ways(links);
    let is_acyclic = |by: Option<usize>| {
        graphs.iter().all(|graph| graph.links.keys().all(|it| !graph.reached(*it, by).contains(it)))
    };
    let is_tree = |by: &dyn Fn(usize) -> bool| {
        graphs.iter().all(|graph| {
            let mut met = FxHashSet::default();
            graph.links.values().flatten().filter(|it| by(it.0)).all(|it| met.insert(it.1))
        })
    };
    if is_acyclic(None) {
        found.push((format!("no {name} reaches itself"), format!("all n: {name} | n not in n.^{any}")));
        if links.len() > 1 && is_tree(&|_| true) {
            let text = format!("all n: {name} | lone {any}.n");
            found.push((format!("two of {name} share no descendant"), text));
            for (at, way) in ways.iter().enumerate() {
                let others: Vec<&str> =
                    ways.iter().enumerate().filter(|it| it.0 > at).map(|it| it.1.as_str()).collect();
                if !others.is_empty() {
                    let others = others.iter().map(|it| format!("n.{it}")).collect::<Vec<_>>();
                    let text = format!("all n: {name} | no n.{way} & ({})", others.join(" + "));
                    found.push((format!("{way} is another one"), text));
                }
            }
        }
    } else {
        for (at, way) in ways.iter().enumerate().filter(|it| pairs(it.0) >= ENOUGH) {
            if is_acyclic(Some(at)) {
                let text = format!("all n: {name} | n not in n.^{way}");
                found.push((format!("{way} does not lead back"), text));
            }
            for (back, other) in ways.iter().enumerate() {
                let is_back = graphs.iter().all(|graph| {
                    let leads = |(from, to): (u32, u32)| {
                        !graph.links.contains_key(&to) || graph.pairs(back).any(|it| it == (to, from))
                    };
                    graph.pairs(at).all(leads)
                });
                if is_back {
                    let text = format!("all n: {name} | some n.{way} implies n.{way}.{other} = n");
                    found.push((format!("{other} leads back from {way}"), text));
                }
            }
        }
    }
    for (at, way) in ways.iter().enumerate() {
        for key in numbers {
            order(name, (at, way), &any, key, graphs, found);
        }
    }
}

/// How the number of a node compares with that of the next one, or of all later ones.
fn order(
    name: &str,
    (at, way): (usize, &str),
    any: &str,
    key: &str,
    graphs: &[Graph<'_>],
    found: &mut Vec<(String, String)>,
) {
    let compared = |is_deep: bool| {
        let mut signs = [true, true, true, true];
        let mut met = FxHashSet::default();
        for graph in graphs {
            for (from, to) in graph.pairs(at) {
                let mut below = vec![to];
                if is_deep {
                    below.extend(graph.reached(to, None));
                }
                for node in below {
                    let (Some(a), Some(b)) = (graph.number(from, key), graph.number(node, key)) else {
                        continue;
                    };
                    met.insert((a, b));
                    let now = [a < b, a > b, a <= b, a >= b];
                    signs.iter_mut().zip(now).for_each(|(all, now)| *all &= now);
                }
            }
        }
        let sign = signs.iter().position(|it| *it).map(|it| ["<", ">", "<=", ">="][it]);
        sign.filter(|_| met.len() >= ENOUGH)
    };
    let key = notation(key);
    if let Some(sign) = compared(true) {
        let text = format!("all n: {name} | all m: n.{way}.*{any} | n.{key} {sign} m.{key}");
        found.push((format!("{key} {sign} that of all behind {way}"), text));
    } else if let Some(sign) = compared(false) {
        let text = format!("all n: {name} | some n.{way} implies n.{key} {sign} n.{way}.{key}");
        found.push((format!("{key} {sign} that of {way}"), text));
    }
}

/// Integer fields of the object that equal the number of nodes.
fn counts(
    subject: &Subject,
    class: &str,
    links: &[&str],
    graphs: &[Graph<'_>],
    found: &mut Vec<(String, String)>,
) {
    let Some(fields) = subject.layouts.get(&*subject.name) else { return };
    let (_, any) = ways(links);
    let roots = fields.iter().filter(|it| it.1 == JavaType::class(class));
    for (root, _) in roots {
        for (count, _) in fields.iter().filter(|it| it.1 == JavaType::Int) {
            let mut met = FxHashSet::default();
            let is_count = graphs.iter().filter(|it| it.is_whole).all(|graph| {
                let own = graph.image.objects.values().filter(|it| *it.class == *subject.name);
                own.into_iter().all(|it| {
                    let nodes = match it.field(root) {
                        Value::Object(from) => {
                            let mut all = graph.reached(from, None);
                            all.insert(from);
                            all.len()
                        }
                        _ => 0,
                    };
                    met.insert(nodes);
                    it.field(count).number() == Some(nodes as i128)
                })
            });
            if is_count && met.len() > 2 {
                let (root, count) = (notation(root), notation(count));
                let text = format!("this.{count} = #(this.{root}.*{any})");
                found.push((format!("{count} is their number"), text));
            }
        }
    }
}
