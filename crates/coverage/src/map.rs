//! The classes under test with their probes and goals, and the meaning of hits for them.

use crate::body::CoveredBody;
use crate::counters::{ClassCoverage, Counter, Counters, LineCoverage, MethodCoverage};
use crate::filter::FilterResult;
use crate::goals::{BranchEdge, Gain, Goal, GoalId, GoalSet};
use crate::hits::is_hit;
use crate::place::{Graph, Probe, place};
use crate::plan::ProbePlan;
use crate::requirements::{self, Requirement, RequirementKind};
use cupping_classfile::{ClassFile, ClassFileError, Code, Method};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The classes whose coverage is measured. Probes and goals are numbered over all of them.
#[derive(Debug, Default)]
pub struct CoverageMap {
    classes: Vec<CoveredClass>,
    by_name: FxHashMap<Arc<str>, usize>,
    goals: Vec<Goal>,
    probes: u32,
    asked: Vec<RequirementKind>,
}

/// A class whose coverage is measured.
#[derive(Debug)]
pub struct CoveredClass {
    /// Internal name.
    pub name: Arc<str>,
    /// Name of the source file, without folders.
    pub source_file: Option<Arc<str>>,
    /// Its methods that have a body.
    pub methods: Vec<CoveredMethod>,
    /// Numbers of its probes, in JaCoCo's order.
    pub probes: Range<u32>,
    /// Its requirements beyond lines and branches, in code order. Their probes are numbered after those.
    pub requirements: Vec<Requirement>,
    /// Numbers of its goals.
    pub goals: Range<u32>,
    /// Indices in the class file of methods that cannot be measured: they have subroutines (`jsr`), or are damaged.
    pub unmeasured: Vec<usize>,
}

/// A method whose coverage is measured.
#[derive(Debug)]
pub struct CoveredMethod {
    /// Its place in the class file.
    pub index: usize,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// The positions of its probes when it is decoded.
    pub plan: ProbePlan,
    /// Its probes, by rising number.
    pub probes: Vec<Probe>,
    graph: Graph,
    /// The instructions that count.
    counted: Vec<MappedInstruction>,
    /// For each edge of the graph, its index among the edges of the instructions that count.
    counts_as: Vec<Option<u32>>,
}

/// An instruction that counts.
#[derive(Debug)]
struct MappedInstruction {
    offset: u32,
    line: Option<u32>,
    line_goal: Option<GoalId>,
    /// Its ways out.
    ways: Range<usize>,
    /// The goal of the first edge, followed by those of the others; `None` if there is only one edge.
    branch_goals: Option<GoalId>,
}

/// An instruction that counts, for displays of coverage by instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedInstruction {
    /// Its offset.
    pub offset: u32,
    /// Its outgoing edges, as indices among those of the method; they count as branches if there are several.
    pub ways: Range<usize>,
    /// The goal of the first edge, followed by those of the others; `None` if there is only one edge.
    pub goals: Option<GoalId>,
}

/// Why a class cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    /// Its class file is damaged.
    #[error(transparent)]
    ClassFile(#[from] ClassFileError),
}

impl CoverageMap {
    /// A map without classes.
    pub fn new() -> CoverageMap {
        CoverageMap::default()
    }

    /// A map without classes, for these requirements beyond lines and branches.
    pub fn asking(kinds: &[RequirementKind]) -> CoverageMap {
        CoverageMap { asked: kinds.to_vec(), ..CoverageMap::default() }
    }

    /// Adds a class, unless it exists already, and returns its index. Synthetic classes and module descriptors have
    /// nothing to cover.
    ///
    /// # Errors
    ///
    /// [`CoverageError`]; the map is then unchanged.
    pub fn track(&mut self, file: &ClassFile) -> Result<usize, CoverageError> {
        if let Some(known) = self.by_name.get(&file.name) {
            return Ok(*known);
        }
        let place = self.classes.len();
        let mut builder = Builder {
            class: place,
            first_goal: self.goals.len() as u32,
            next_probe: self.probes,
            goals: Vec::new(),
            lines: BTreeMap::new(),
            unmeasured: Vec::new(),
            asked: &self.asked,
            found: Vec::new(),
        };
        let mut methods = builder.class(file)?;
        let probes = self.probes..builder.next_probe;
        let requirements = builder.number_requirements(&mut methods);
        let goals = self.goals.len() as u32;
        self.goals.append(&mut builder.goals);
        self.by_name.insert(file.name.clone(), place);
        self.classes.push(CoveredClass {
            name: file.name.clone(),
            source_file: file.source_file.clone(),
            methods,
            probes,
            requirements,
            goals: goals..self.goals.len() as u32,
            unmeasured: builder.unmeasured,
        });
        self.probes = builder.next_probe;
        Ok(place)
    }

    /// The classes, in the order in which they were added.
    pub fn classes(&self) -> &[CoveredClass] {
        &self.classes
    }

    /// The class of this internal name, and its place.
    pub fn class(&self, name: &str) -> Option<(usize, &CoveredClass)> {
        let place = *self.by_name.get(name)?;
        Some((place, &self.classes[place]))
    }

    /// All goals, by number.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// The number of probes.
    pub fn probe_count(&self) -> u32 {
        self.probes
    }

    /// The goals that a run with these hits covers, in all classes.
    pub fn covered(&self, hits: &[u64]) -> GoalSet {
        let mut goals = GoalSet::default();
        for class in &self.classes {
            class.cover(hits, &mut goals);
        }
        goals
    }

    /// The goals of a class that these hits do not cover, by number.
    pub fn uncovered(&self, class: usize, hits: &[u64]) -> Vec<(GoalId, &Goal)> {
        let Some(class) = self.classes.get(class) else { return Vec::new() };
        let mut covered = GoalSet::default();
        class.cover(hits, &mut covered);
        let open = class.goals.clone().map(GoalId).filter(|goal| !covered.contains(*goal));
        open.map(|goal| (goal, &self.goals[goal.0 as usize])).collect()
    }

    /// How many goals of each kind `goals` has and `known` does not.
    pub fn gain(&self, goals: &GoalSet, known: &GoalSet) -> Gain {
        let mut gain = Gain::default();
        for goal in goals.difference(known).iter() {
            match self.goals.get(goal.0 as usize) {
                Some(Goal::Line { .. }) => gain.lines += 1,
                Some(Goal::Branch { .. }) => gain.branches += 1,
                Some(Goal::Requirement { .. }) => gain.requirements += 1,
                None => {}
            }
        }
        gain
    }

    /// How many lines and branches hits cover beyond `known`, the goals that `known_hits` cover. Costs next to
    /// nothing if no probe is new, as for most runs of an exploration.
    pub fn gain_of_hits(&self, hits: &[u64], known_hits: &[u64], known: &GoalSet) -> Gain {
        let fresh = |(at, word): (usize, &u64)| word & !known_hits.get(at).copied().unwrap_or(0);
        let fresh: Vec<u64> = hits.iter().enumerate().map(fresh).collect();
        if fresh.iter().all(|word| *word == 0) {
            return Gain::default();
        }
        self.gain(&self.covered(&fresh), known)
    }

    /// The figures of a class, by its place.
    pub fn coverage(&self, class: usize, hits: &[u64]) -> Option<ClassCoverage> {
        self.classes.get(class).map(|class| class.coverage(hits))
    }
}

impl CoveredClass {
    /// Its figures.
    pub fn coverage(&self, hits: &[u64]) -> ClassCoverage {
        let mut lines = BTreeMap::new();
        let mut counters = Counters::default();
        let mut methods = Vec::new();
        for method in self.methods.iter().filter(|method| !method.counted.is_empty()) {
            let figures = method.coverage(hits, &mut lines);
            counters += figures.counters;
            methods.push(figures);
        }
        counters.set_lines(&lines);
        ClassCoverage {
            name: self.name.clone(),
            source_file: self.source_file.clone(),
            lines,
            methods,
            counters,
        }
    }

    /// The method at a place in the class file.
    pub fn method(&self, index: usize) -> Option<&CoveredMethod> {
        self.methods.iter().find(|it| it.index == index)
    }

    /// Its probes that are not among the hits, each with its method's index in the class file.
    pub fn unhit<'a>(&'a self, hits: &'a [u64]) -> impl Iterator<Item = (usize, &'a Probe)> {
        let probes = self.methods.iter().flat_map(|m| m.probes.iter().map(|probe| (m.index, probe)));
        probes.filter(|(_, probe)| !is_hit(hits, probe.number))
    }

    fn cover(&self, hits: &[u64], goals: &mut GoalSet) {
        for requirement in &self.requirements {
            if let (Some(probe), Some(goal)) = (requirement.probe, requirement.goal)
                && is_hit(hits, probe)
            {
                goals.insert(goal);
            }
        }
        for method in &self.methods {
            let Some(covered) = method.covered_ways(hits) else { continue };
            for counted in &method.counted {
                for (way, _) in covered[counted.ways.clone()].iter().enumerate().filter(|(_, c)| **c) {
                    counted.line_goal.iter().for_each(|goal| goals.insert(*goal));
                    counted.branch_goals.iter().for_each(|goal| goals.insert(GoalId(goal.0 + way as u32)));
                }
            }
        }
    }
}

impl CoveredMethod {
    /// The instructions that count, in order of their offsets.
    pub fn instructions(&self) -> impl Iterator<Item = CountedInstruction> {
        let counted = self.counted.iter();
        counted.map(|it| CountedInstruction {
            offset: it.offset,
            ways: it.ways.clone(),
            goals: it.branch_goals,
        })
    }

    /// Which edges of the instructions that count are covered; `None` if no probe of the method is hit. An
    /// instruction is covered if any of its edges is.
    pub fn covered_ways(&self, hits: &[u64]) -> Option<Vec<bool>> {
        let mut hit =
            (0..self.probes.len()).filter(|probe| is_hit(hits, self.probes[*probe].number)).peekable();
        hit.peek()?;
        let mut covered = vec![false; self.counted.last().map_or(0, |last| last.ways.end)];
        for (way, _) in self.graph.covered(hit).iter().enumerate().filter(|(_, covered)| **covered) {
            if let Some(way) = self.counts_as[way] {
                covered[way as usize] = true;
            }
        }
        Some(covered)
    }

    /// The source line of an instruction.
    pub fn line_at(&self, offset: u32) -> Option<u32> {
        let after = self.counted.partition_point(|it| it.offset <= offset);
        self.counted[..after].last()?.line
    }

    fn coverage(&self, hits: &[u64], class_lines: &mut BTreeMap<u32, LineCoverage>) -> MethodCoverage {
        let covered = self.covered_ways(hits);
        let mut lines: BTreeMap<u32, LineCoverage> = BTreeMap::new();
        let mut counters = Counters::default();
        for counted in &self.counted {
            let total = counted.ways.len() as u32;
            let covered = covered.as_ref().map_or(0, |covered| {
                covered[counted.ways.clone()].iter().filter(|covered| **covered).count() as u32
            });
            let branches = match total {
                0 | 1 => Counter::default(),
                _ => Counter { missed: total - covered, covered },
            };
            counters.add_instruction(covered > 0, branches);
            if let Some(line) = counted.line {
                for lines in [&mut lines, &mut *class_lines] {
                    let line = lines.entry(line).or_default();
                    line.instructions.add(covered > 0);
                    line.branches += branches;
                }
            }
        }
        counters.set_lines(&lines);
        counters.add_method();
        MethodCoverage {
            index: self.index,
            name: self.name.clone(),
            descriptor: self.descriptor.clone(),
            first_line: lines.keys().next().copied(),
            counters,
        }
    }
}

/// Measures one class.
struct Builder<'a> {
    class: usize,
    first_goal: u32,
    next_probe: u32,
    goals: Vec<Goal>,
    lines: BTreeMap<u32, GoalId>,
    unmeasured: Vec<usize>,
    asked: &'a [RequirementKind],
    /// The requirements of each method, in order.
    found: Vec<requirements::MethodRequirements>,
}

impl Builder<'_> {
    fn class(&mut self, file: &ClassFile) -> Result<Vec<CoveredMethod>, CoverageError> {
        let mut methods = Vec::new();
        if file.access.is_synthetic() || file.access.is_module() {
            return Ok(methods);
        }
        for method in &file.methods {
            let Some(code) = file.code(method)? else { continue };
            match CoveredBody::new(file, method, code) {
                Ok(body) => methods.push(self.method(&body, method, code)),
                Err(_) => self.unmeasured.push(usize::from(method.index)),
            }
        }
        Ok(methods)
    }

    fn method(&mut self, body: &CoveredBody<'_>, method: &Method, code: &Code) -> CoveredMethod {
        let placed = place(body, self.next_probe);
        self.next_probe += placed.probes.len() as u32;
        let filtered = FilterResult::of(body);
        if !self.asked.is_empty() {
            self.found.push(requirements::find(body, code, &filtered, self.asked));
        }
        let (counted, counts_as) = self.count(body, &placed.graph, &filtered);
        CoveredMethod {
            index: usize::from(method.index),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            plan: placed.plan,
            probes: placed.probes,
            graph: placed.graph,
            counted,
            counts_as,
        }
    }

    /// Assigns goals and probes to the requirements, after those of all methods.
    fn number_requirements(&mut self, methods: &mut [CoveredMethod]) -> Vec<Requirement> {
        let mut all = Vec::new();
        for (found, method) in std::mem::take(&mut self.found).into_iter().zip(methods) {
            let mut probe_of = Vec::new();
            for (requirement, check) in &found.requirements {
                let mut requirement = requirement.clone();
                if check.is_some() {
                    requirement.goal = Some(self.next_goal());
                    requirement.probe = Some(self.next_probe);
                    let (class, place, line) = (self.class, all.len(), requirement.line);
                    self.goals.push(Goal::Requirement { class, place, line });
                    self.next_probe += 1;
                }
                probe_of.push(requirement.probe);
                all.push(requirement);
            }
            method.plan.checks = requirements::plan(&found, &probe_of);
        }
        all
    }

    fn count(
        &mut self,
        body: &CoveredBody<'_>,
        graph: &Graph,
        filtered: &FilterResult,
    ) -> (Vec<MappedInstruction>, Vec<Option<u32>>) {
        let mut counted: Vec<MappedInstruction> = Vec::new();
        let mut place_of = vec![None; body.nodes.len()];
        for (index, node) in body.nodes.iter().enumerate() {
            if filtered.counted_as(index) == Some(index) {
                let first = counted.last().map_or(0, |last| last.ways.end);
                let ways = first..first + graph.ways(index).len();
                place_of[index] = Some(counted.len());
                let line_goal = node.line.map(|line| self.line_goal(line));
                let branch_goals = (ways.len() > 1).then(|| self.branch_goals(body, node.line, ways.len()));
                let (offset, line) = (node.pc, node.line);
                counted.push(MappedInstruction { offset, line, line_goal, ways, branch_goals });
            }
        }
        let mut counts_as = vec![None; graph.owner.len()];
        for (index, node) in body.nodes.iter().enumerate() {
            let Some(place) = filtered.counted_as(index).and_then(|original| place_of[original]) else {
                continue;
            };
            for (way, counted_way) in graph.ways(index).zip(counted[place].ways.clone()) {
                counts_as[way] = Some(counted_way as u32);
                if let Some(first) = counted[place].branch_goals {
                    let goal = first.0 + (counted_way - counted[place].ways.start) as u32;
                    self.add_edge(GoalId(goal), BranchEdge { offset: node.pc, target: graph.target[way] });
                }
            }
        }
        (counted, counts_as)
    }

    fn line_goal(&mut self, line: u32) -> GoalId {
        let next = self.next_goal();
        let goal = *self.lines.entry(line).or_insert(next);
        if goal == next {
            self.goals.push(Goal::Line { class: self.class, line });
        }
        goal
    }

    fn branch_goals(&mut self, body: &CoveredBody<'_>, line: Option<u32>, ways: usize) -> GoalId {
        let first = self.next_goal();
        let method = usize::from(body.method.index);
        for _ in 0..ways {
            self.goals.push(Goal::Branch { class: self.class, method, line, edges: Vec::new() });
        }
        first
    }

    fn add_edge(&mut self, goal: GoalId, edge: BranchEdge) {
        if let Goal::Branch { edges, .. } = &mut self.goals[(goal.0 - self.first_goal) as usize] {
            edges.push(edge);
        }
    }

    fn next_goal(&self) -> GoalId {
        GoalId(self.first_goal + self.goals.len() as u32)
    }
}
