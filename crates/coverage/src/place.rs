//! Places the probes of a method, and builds the graph that says which instructions each probe covers.

use crate::body::CoveredBody;
use crate::labels::Labels;
use crate::plan::ProbePlan;
use rustc_hash::FxHashSet;

/// On which way of control a probe lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// Falling through to the instruction.
    Before,
    /// Leaving the method by the instruction, a return or throw.
    Exit,
    /// The jump from the instruction to this offset.
    Edge(u32),
}

/// A probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Its number, unique over the classes of a [`CoverageMap`](crate::CoverageMap).
    pub number: u32,
    /// Bytecode offset of the instruction that it belongs to.
    pub offset: u32,
    /// The control-flow path that it lies on.
    pub kind: ProbeKind,
}

/// The outgoing edges of a method's instructions. An edge is *covered* if it was taken and control reached the next
/// probe.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The edges of a node are those from `ways_of[node]` to `ways_of[node + 1]`, in JaCoCo's order of branches.
    pub(super) ways_of: Vec<u32>,
    /// The node that a way leaves.
    pub(super) owner: Vec<u32>,
    /// The target of an edge, by offset; for a return or throw, its own.
    pub(super) target: Vec<u32>,
    /// The one edge by which a node is reached without a probe.
    reached_by: Vec<Option<u32>>,
    /// The way that each probe lies on.
    probe_way: Vec<u32>,
}

/// The probes of a method and the graph of its instructions.
pub(super) struct ProbePlacement {
    pub(super) plan: ProbePlan,
    pub(super) probes: Vec<Probe>,
    pub(super) graph: Graph,
}

/// Places the probes of a method, the first of which gets the number `first`.
pub(super) fn place(body: &CoveredBody<'_>, first: u32) -> ProbePlacement {
    let labels = Labels::of(body);
    let mut placer = Placer {
        body,
        labels: &labels,
        first,
        plan: ProbePlan::default(),
        probes: Vec::new(),
        ways: Vec::new(),
        jumps: Vec::new(),
    };
    placer.run();
    placer.ways.append(&mut placer.jumps);
    let graph = Graph::new(body, &placer.ways, placer.probes.len());
    ProbePlacement { plan: placer.plan, probes: placer.probes, graph }
}

#[derive(Clone, Copy)]
struct OutgoingEdge {
    from: usize,
    branch: u32,
    to: EdgeTarget,
    target: u32,
}

#[derive(Clone, Copy)]
enum EdgeTarget {
    Node(usize),
    /// Indices into the method's probes.
    Probe(usize),
}

struct Placer<'a> {
    body: &'a CoveredBody<'a>,
    labels: &'a Labels,
    first: u32,
    plan: ProbePlan,
    probes: Vec<Probe>,
    ways: Vec<OutgoingEdge>,
    /// Jumps without a probe. They count after all others, since the last edge to a node is the one by which it is
    /// reached.
    jumps: Vec<OutgoingEdge>,
}

impl Placer<'_> {
    fn run(&mut self) {
        let mut current = None;
        for index in 0..self.body.nodes.len() {
            current = self.label(index, current);
            let node = &self.body.nodes[index];
            if let Some(from) = current {
                self.ways.push(OutgoingEdge {
                    from,
                    branch: 0,
                    to: EdgeTarget::Node(index),
                    target: node.pc,
                });
            }
            current = Some(index);
            if let Some(target) = node.jump() {
                self.jump(index, target);
            } else if node.is_switch() {
                self.switch(index);
            } else if node.is_exit() {
                let probe = self.probe(node.pc, ProbeKind::Exit);
                self.plan.exit.insert(node.pc, probe);
                self.ways.push(OutgoingEdge {
                    from: index,
                    branch: 0,
                    to: self.last_probe(),
                    target: node.pc,
                });
            }
        }
    }

    /// Passes the label before a node, if there is one, and records which node falls through to this one without a
    /// probe.
    fn label(&mut self, index: usize, current: Option<usize>) -> Option<usize> {
        let node = &self.body.nodes[index];
        if !node.label {
            return current;
        }
        if self.labels.needs_probe(index) {
            let probe = self.probe(node.pc, ProbeKind::Before);
            self.plan.before.insert(node.pc, probe);
            if let Some(from) = current {
                self.ways.push(OutgoingEdge { from, branch: 0, to: self.last_probe(), target: node.pc });
            }
            return None;
        }
        current.filter(|_| self.labels.is_successor(index))
    }

    fn jump(&mut self, from: usize, target: u32) {
        let Some(to) = self.body.node_at(target) else { return };
        let pc = self.body.nodes[from].pc;
        if self.labels.is_multiple(to) {
            let probe = self.probe(pc, ProbeKind::Edge(target));
            self.plan.jump.insert(pc, probe);
            self.ways.push(OutgoingEdge { from, branch: 1, to: self.last_probe(), target });
        } else {
            self.jumps.push(OutgoingEdge { from, branch: 1, to: EdgeTarget::Node(to), target });
        }
    }

    fn switch(&mut self, from: usize) {
        let pc = self.body.nodes[from].pc;
        let mut seen = FxHashSet::default();
        for target in self.body.nodes[from].targets() {
            let branch = seen.len() as u32;
            let Some(to) = self.body.node_at(target).filter(|to| seen.insert(*to)) else { continue };
            if self.labels.is_multiple(to) {
                let probe = self.probe(pc, ProbeKind::Edge(target));
                self.plan.switch.insert((pc, target), probe);
                self.ways.push(OutgoingEdge { from, branch, to: self.last_probe(), target });
            } else {
                self.jumps.push(OutgoingEdge { from, branch, to: EdgeTarget::Node(to), target });
            }
        }
    }

    fn probe(&mut self, offset: u32, kind: ProbeKind) -> u32 {
        let number = self.first + self.probes.len() as u32;
        self.probes.push(Probe { number, offset, kind });
        number
    }

    fn last_probe(&self) -> EdgeTarget {
        EdgeTarget::Probe(self.probes.len() - 1)
    }
}

impl Graph {
    /// `ways` in the order in which JaCoCo's analysis visits them.
    fn new(body: &CoveredBody<'_>, ways: &[OutgoingEdge], probes: usize) -> Graph {
        let mut order: Vec<usize> = (0..ways.len()).collect();
        order.sort_by_key(|way| (ways[*way].from, ways[*way].branch));
        let mut place_of = vec![0; ways.len()];
        for (place, way) in order.iter().enumerate() {
            place_of[*way] = place as u32;
        }
        let mut graph = Graph {
            ways_of: vec![0; body.nodes.len() + 1],
            owner: order.iter().map(|way| ways[*way].from as u32).collect(),
            target: order.iter().map(|way| ways[*way].target).collect(),
            reached_by: vec![None; body.nodes.len()],
            probe_way: vec![0; probes],
        };
        for way in ways {
            graph.ways_of[way.from + 1] += 1;
        }
        for node in 0..body.nodes.len() {
            graph.ways_of[node + 1] += graph.ways_of[node];
        }
        for (way, place) in ways.iter().zip(place_of) {
            match way.to {
                EdgeTarget::Node(node) => graph.reached_by[node] = Some(place),
                EdgeTarget::Probe(probe) => graph.probe_way[probe] = place,
            }
        }
        graph
    }

    /// The ways out of a node.
    pub(super) fn ways(&self, node: usize) -> std::ops::Range<usize> {
        self.ways_of[node] as usize..self.ways_of[node + 1] as usize
    }

    /// Which edges are covered, given the probes hit, by their index in the method.
    pub(super) fn covered(&self, hits: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut covered = vec![false; self.owner.len()];
        for probe in hits {
            let mut way = self.probe_way[probe];
            loop {
                let node = self.owner[way as usize] as usize;
                let known = covered[self.ways(node)].contains(&true);
                covered[way as usize] = true;
                match self.reached_by[node] {
                    Some(before) if !known => way = before,
                    _ => break,
                }
            }
        }
        covered
    }
}
