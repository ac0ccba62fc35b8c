//! Converts the results of the search for display: code with its control-flow edges, and constraint trees as
//! text.

use crate::source_conditions::SourceConditions;
use cupping_case::{
    CodeInstruction, Explanation, MethodCode, OutgoingEdge, PathEdge, PathKind, PathNode, PathTree,
};
use cupping_classfile::{ClassFile, Method, disassemble, instructions};
use cupping_coverage::{CoverageMap, CoveredMethod, Goal};
use cupping_explore::{Conditions, ConstraintTree, Edge, NodeKind, TreeNode, Trees};
use cupping_machine::{ClassId, Machine, MethodBody, MethodId, Site};
use rustc_hash::FxHashMap;

/// Limit on the displayed nodes of one tree.
const MOST_NODES: usize = 20_000;
/// Limit on the displayed nodes of all trees of a class and its callees; later trees are omitted.
const MOST_NODES_OF_ALL: usize = 120_000;
/// Limit on the length of a constraint in characters.
const LONGEST: usize = 240;

/// Constraint trees prepared for display, with their indices.
pub struct ShownTrees {
    trees: Vec<PathTree>,
    place_of: FxHashMap<MethodId, u32>,
}

impl ShownTrees {
    /// Prepares the trees of a class's methods, and all trees that they refer to.
    pub fn of(machine: &Machine, class: ClassId, trees: &Trees) -> ShownTrees {
        let mut order: Vec<MethodId> =
            trees.iter().map(|(id, _)| id).filter(|id| machine.method(*id).class == class).collect();
        order.sort_by_key(|id| machine.method(*id).index);
        let mut place_of: FxHashMap<MethodId, u32> = FxHashMap::default();
        place_of.extend(order.iter().enumerate().map(|(at, id)| (*id, at as u32)));
        let (mut at, mut nodes) = (0, 0);
        while let Some(tree) = order.get(at).and_then(|id| trees.get(*id)) {
            at += 1;
            nodes += tree.nodes().len().min(MOST_NODES);
            for node in tree.nodes().iter().take(MOST_NODES) {
                let Some((_, Edge::Call { method, .. })) = node.parent else { continue };
                if nodes < MOST_NODES_OF_ALL && !place_of.contains_key(&method) {
                    place_of.insert(method, order.len() as u32);
                    order.push(method);
                }
            }
        }
        let shown = order.iter().filter_map(|id| Some(show(machine, *id, trees.get(*id)?, &place_of)));
        ShownTrees { trees: shown.collect(), place_of }
    }

    /// The indices at which a node is displayed.
    pub fn place(&self, node: TreeNode) -> Option<(u32, u32)> {
        let tree = *self.place_of.get(&node.method)?;
        let nodes = self.trees.get(tree as usize)?.nodes.len();
        ((node.node as usize) < nodes).then_some((tree, node.node))
    }

    /// The explanation of the class under test, which is the first in the map, without the coverage of its
    /// cases.
    pub fn explain(self, file: &ClassFile, map: &CoverageMap) -> Explanation {
        let covered = map.classes().first();
        let mut first_way = 0;
        let mut methods = Vec::new();
        for method in file.methods.iter().filter(|method| method.has_code) {
            let measured = covered
                .and_then(|class| class.methods.iter().find(|it| it.index == usize::from(method.index)));
            methods.push(code(file, method, measured, map, first_way));
            first_way += measured.map_or(0, ways);
        }
        let source_file = file.source_file.as_deref().map(Box::from);
        Explanation { source_file, methods, trees: self.trees, ..Explanation::default() }
    }
}

/// Number of edges of a method's instructions that count for coverage.
pub fn ways(method: &CoveredMethod) -> u32 {
    method.instructions().last().map_or(0, |last| last.ways.end as u32)
}

fn show(
    machine: &Machine,
    id: MethodId,
    tree: &ConstraintTree,
    place_of: &FxHashMap<MethodId, u32>,
) -> PathTree {
    let method = machine.method(id);
    let mut sources = SourceConditions::default();
    // The JDK's code has its own words.
    let has_source = !machine.class(method.class).from_jdk;
    let nodes: Vec<PathNode> = tree
        .nodes()
        .iter()
        .take(MOST_NODES)
        .map(|node| {
            let (parent, edge) = match &node.parent {
                None => (0, PathEdge::Root),
                Some((parent, Edge::Branch { site, side })) => {
                    let constraint =
                        match (node.conditions.first.iter().flatten().next(), node.conditions.count) {
                            (Some(only), 1) if has_source => {
                                sources.text_at(machine, *site, *side, *only, LONGEST)
                            }
                            _ => conditions(machine, node.conditions),
                        };
                    let line = line(machine, *site);
                    (*parent, PathEdge::Branch { line, constraint })
                }
                Some((parent, Edge::Call { method, leaf })) => {
                    let (tree, name) = (place_of.get(method).copied(), short_name(machine, *method));
                    let constraint = conditions(machine, node.conditions);
                    (*parent, PathEdge::Call { tree, leaf: *leaf, name, constraint })
                }
            };
            PathNode { kind: kind(node.kind), parent, edge }
        })
        .collect();
    let left_out = (tree.nodes().len() - nodes.len()) as u32;
    PathTree {
        class: Box::from(&*machine.class(method.class).name),
        name: Box::from(&*method.name),
        descriptor: Box::from(&*method.descriptor),
        nodes,
        left_out,
    }
}

fn kind(kind: NodeKind) -> PathKind {
    match kind {
        NodeKind::Computation => PathKind::Computation,
        NodeKind::Terminal => PathKind::Terminal,
        NodeKind::Unexplored => PathKind::Unexplored,
        NodeKind::Infeasible => PathKind::Infeasible,
        NodeKind::TimeOut => PathKind::TimeOut,
    }
}

/// The conjunction of an edge's constraints: `x > 0 && y != x`.
fn conditions(machine: &Machine, conditions: Conditions) -> String {
    let shown: Vec<String> =
        conditions.first.iter().flatten().map(|it| machine.terms().display(*it, LONGEST)).collect();
    let more = conditions.count as usize - shown.len();
    let text = shown.join(" && ");
    if more == 0 { text } else { format!("{text} && … ({more} more)") }
}

/// `Class.method`, without the package.
fn short_name(machine: &Machine, id: MethodId) -> String {
    let method = machine.method(id);
    let class = &machine.class(method.class).name;
    format!("{}.{}", class.rsplit(['/', '$']).next().unwrap_or(class), method.name)
}

fn line(machine: &Machine, site: Site) -> Option<u32> {
    let MethodBody::Code(code) = &machine.methods().get(site.method.0 as usize)?.body else { return None };
    machine.line_of(site.method, *code.offsets.get(site.at as usize)?)
}

/// A method's code; damaged parts are omitted.
fn code(
    file: &ClassFile,
    method: &Method,
    measured: Option<&CoveredMethod>,
    map: &CoverageMap,
    first_way: u32,
) -> MethodCode {
    let mut counted = measured.into_iter().flat_map(CoveredMethod::instructions).peekable();
    let body = file.code(method).ok().flatten();
    let mut shown = Vec::new();
    for instruction in body.iter().flat_map(|code| instructions(&code.bytecode)).map_while(Result::ok) {
        let mut ways = Vec::new();
        if let Some(it) = counted.next_if(|it| it.offset == instruction.pc) {
            for (nth, way) in it.ways.clone().enumerate() {
                let goal = it.goals.and_then(|first| map.goals().get(first.0 as usize + nth));
                let target = match goal {
                    Some(Goal::Branch { edges, .. }) => {
                        let own = edges.iter().find(|edge| edge.offset == it.offset);
                        own.map(|edge| edge.target)
                    }
                    _ => None,
                };
                ways.push(OutgoingEdge { number: first_way + way as u32, target });
            }
        }
        shown.push(CodeInstruction {
            offset: instruction.pc,
            line: body.as_ref().and_then(|code| code.line_at(instruction.pc)).map(u32::from),
            text: disassemble::instruction_text(file, &instruction),
            ways,
        });
    }
    MethodCode {
        name: Box::from(&*method.name),
        descriptor: Box::from(&*method.descriptor),
        instructions: shown,
    }
}
