//! Builds the report: the outcomes at each call site, with examples.

use super::limits::MOST_FRAMES;
use super::method_knowledge::MethodTriples;
use super::running_call::RunningCall;
use super::state::WatcherState;
use crate::binding::Binding;
use crate::method_names::named;
use crate::outcome::{AffectedTriple, Example, Regression, Report, SiteRow, Suggestion, WatchOutcome};
use crate::path::{RETURNED, THREW};
use crate::picture::Picture;
use crate::shape::shape_of;
use cupping_contract::Method;
use cupping_machine::{CallEnd, Kind, Machine, MethodId, Value};
use std::collections::{BTreeMap, BTreeSet};

impl WatcherState {
    pub(super) fn picture(
        &self,
        machine: &Machine,
        tested: &MethodTriples,
        method: MethodId,
        arguments: &[Value],
        result: Option<(Kind, Value)>,
    ) -> Picture {
        let is_static = machine.method(method).is_static();
        let named = tested.kinds.iter().zip(arguments).enumerate().map(|(at, (kind, value))| {
            let name = if at == 0 && !is_static {
                "this".into()
            } else {
                format!("argument {}", at + is_static as usize)
            };
            (name, *kind, *value)
        });
        let result = result.map(|(kind, value)| ("result".to_owned(), kind, value));
        let roots: Vec<(String, Kind, Value)> = named.chain(result).collect();
        Picture::of(machine, &roots, self.options.depth)
    }

    pub(super) fn show(
        &self,
        machine: &Machine,
        tested: &MethodTriples,
        method: MethodId,
        arguments: &[Value],
    ) -> Vec<(String, String)> {
        let is_static = machine.method(method).is_static();
        tested
            .kinds
            .iter()
            .zip(arguments)
            .enumerate()
            .map(|(at, (kind, value))| {
                let name = if at == 0 && !is_static {
                    "this".to_owned()
                } else {
                    format!("argument {}", at + is_static as usize)
                };
                (name, shape_of(machine, *kind, value.bits, self.options.depth, None).to_string())
            })
            .collect()
    }

    /// The current receiver and arguments, as text and as a picture.
    pub(super) fn state_of(
        &self,
        machine: &Machine,
        tested: &MethodTriples,
        method: MethodId,
        arguments: &[Value],
    ) -> (Vec<(String, String)>, Picture) {
        let drawn = self.picture(machine, tested, method, arguments, None);
        (self.show(machine, tested, method, arguments), drawn)
    }

    pub(super) fn example(
        &self,
        machine: &mut Machine,
        running: &RunningCall,
        branch: Option<usize>,
        how: CallEnd,
        note: String,
    ) -> Example {
        let mut stack = machine.running_stack();
        stack.insert(0, running.tested.name.clone());
        stack.truncate(MOST_FRAMES);
        let mut after = self.show(machine, &running.tested, running.call.method, &running.arguments);
        let mut result = None;
        match how {
            CallEnd::Returned(value) => {
                let kind = machine.method(running.call.method).result;
                if kind != Kind::Void {
                    result = Some((kind, value));
                    let shown = shape_of(machine, kind, value.bits, self.options.depth, None).to_string();
                    after.push(("result".into(), shown));
                }
            }
            CallEnd::Threw(thrown) => {
                let text = machine.describe_throwable(thrown);
                after.push(("thrown".into(), text.lines().next().unwrap_or_default().to_owned()));
            }
        }
        let (triple, text) = branch.map(|it| self.place(it)).unwrap_or_default();
        let method = running.call.method;
        let after_state = self.picture(machine, &running.tested, method, &running.arguments, result);
        let (before, before_state) =
            running.before.clone().unwrap_or_else(|| match running.pinned.is_empty() {
                true => self.state_of(machine, &running.tested, method, &running.arguments),
                false => Default::default(),
            });
        Example { stack, triple, text, before, after, note, before_state, after_state }
    }

    /// The position and text of a triple.
    pub(super) fn place(&self, branch: usize) -> (String, String) {
        if let Some(origin) = &self.branches[branch].origin {
            return (origin.place.clone(), origin.text.clone());
        }
        let case = &self.compiled.cases[self.branches[branch].case];
        let source = &self.specifications[case.specification].source;
        let span = case.triples[self.branches[branch].triple].span;
        let text = source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        (format!("{}:{} {}", source.file, source.place(span.start).0, case.name), text)
    }

    pub(super) fn report(&mut self, machine: &Machine) -> Report {
        for pending in std::mem::take(&mut self.pending) {
            let mut example = pending.example;
            let missing: Vec<String> = pending
                .open
                .iter()
                .map(|(case, triple)| self.compiled.cases[*case].triples[*triple].target.name.clone())
                .collect();
            example.note =
                format!("{} was not called afterwards, or not as the triple requires", missing.join(", "));
            self.record_outcome(pending.row, WatchOutcome::FailedTest, example);
        }
        let name = |method: MethodId| {
            let named = named(machine, method);
            format!("{}.{}", named.class.replace('/', "."), named.name)
        };
        let mut report =
            Report { calls: self.calls, skipped: self.skipped + machine.quiet_calls(), ..Report::default() };
        for ((method, caller, pc), row) in self.rows.sorted() {
            let counts: BTreeMap<WatchOutcome, u64> = row.counts().collect();
            // The program ended during this call.
            if counts.is_empty() {
                continue;
            }
            for (outcome, count) in &counts {
                *report.counts.entry(*outcome).or_default() += count;
            }
            let site = site(machine, *caller, *pc);
            report.sites.push(SiteRow {
                method: name(*method),
                declared: declared(machine, *method),
                site,
                counts,
                examples: row.examples.clone(),
            });
        }
        let rank = |row: &SiteRow| row.counts.keys().max().copied().unwrap_or(WatchOutcome::Success);
        report.sites.sort_by(|a, b| {
            rank(b).cmp(&rank(a)).then_with(|| (&a.method, &a.site).cmp(&(&b.method, &b.site)))
        });
        let counts = self.counts.iter();
        let counts = counts.map(|(method, count)| (name(*method), *count + machine.counted_calls(*method)));
        report.untested = counts.collect();
        report.untested.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let untested: u64 = report.untested.iter().map(|(_, count)| count).sum();
        if untested > 0 {
            report.counts.insert(WatchOutcome::Untested, untested);
        }
        for (method, way, count) in self.untested_ways.all() {
            report.untested_paths.push((name(method), self.lines(machine, method, way), count));
        }
        report.untested_paths.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.cmp(b)));
        let mut suggested = BTreeSet::new();
        for (at, branch) in self.branches.iter().enumerate() {
            let place = self.place(at).0;
            let triple = self.triple(at);
            for assumed in &branch.assumed {
                let variable = branch.bindings.iter().position(|it| *it == Binding::Argument(assumed.spot.0));
                let variable =
                    variable.map_or("?", |it| self.compiled.cases[branch.case].variables[it].0.as_str());
                let fields: String = assumed.spot.1.iter().map(|it| format!(".{it}")).collect();
                let argument = if variable == "?" {
                    {
                        let is_static = branch.kinds.len() == triple.arguments.len();
                        format!("argument {} of {}", assumed.spot.0 + is_static as usize, triple.target.name)
                    }
                } else {
                    variable.to_owned()
                };
                let ty = primitive(assumed.kind);
                let requirement = if fields.is_empty() && variable != "?" {
                    format!("requirement {ty} {argument} {};", assumed.bounds())
                } else {
                    format!("{argument}{fields} {}", assumed.bounds())
                };
                // An assumption about all values is not a requirement.
                if assumed.low.is_none() && assumed.high.is_none() {
                    continue;
                }
                let suggestion = Suggestion { triple: place.clone(), requirement, refined: assumed.refined };
                if suggested.insert((suggestion.triple.clone(), suggestion.requirement.clone())) {
                    report.suggestions.push(suggestion);
                }
            }
        }
        report.regression = self.regression();
        report
    }

    /// The triples whose calls run code of the changed classes.
    fn regression(&self) -> Option<Regression> {
        let changed = &self.options.changed;
        if changed.is_empty() {
            return None;
        }
        // A nested class changes with its outer class.
        let is_of = |class: &str, changed: &str| {
            class.strip_prefix(changed).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        };
        let mut triples = Vec::new();
        for (at, branch) in self.branches.iter().enumerate() {
            let because_of: Vec<String> = changed
                .iter()
                .filter(|it| branch.classes.iter().any(|class| is_of(class, it)))
                .cloned()
                .collect();
            if !because_of.is_empty() {
                let target = &self.triple(at).target;
                let method = format!("{}.{}", target.class.replace('/', "."), target.name);
                let calls = self.used[at];
                triples.push(AffectedTriple { triple: self.place(at).0, method, because_of, calls });
            }
        }
        Some(Regression { changed: changed.clone(), triples })
    }

    /// The lines of a path that no test takes.
    pub(super) fn lines(&self, machine: &Machine, method: MethodId, way: &[(u32, u32)]) -> String {
        let loaded = machine.method(method);
        let covered = self.coverage.class(&machine.class(loaded.class).name).map(|(_, it)| it);
        let covered = covered.and_then(|it| {
            it.methods.iter().find(|it| it.name == loaded.name && it.descriptor == loaded.descriptor)
        });
        let line = |label: u32| {
            let probe = covered?.probes.iter().find(|it| it.number == label)?;
            machine.line_of(method, probe.offset)
        };
        let ends = way.iter().map(|(_, to)| match *to {
            RETURNED => "return".to_owned(),
            THREW => "throw".to_owned(),
            label => line(label).map_or("?".to_owned(), |it| it.to_string()),
        });
        ends.collect::<Vec<_>>().join(" → ")
    }
}

fn primitive(kind: Kind) -> &'static str {
    match kind {
        Kind::Byte => "byte",
        Kind::Char => "char",
        Kind::Short => "short",
        Kind::Long => "long",
        Kind::Float => "float",
        Kind::Double => "double",
        _ => "int",
    }
}

/// The source file of a method, below its package's folder, and its first line.
fn declared(machine: &Machine, method: MethodId) -> Option<(String, u64)> {
    let class = machine.class(machine.method(method).class);
    let file = class.file.as_ref()?.source_file.clone()?;
    let folder = class.name.rsplit_once('/').map_or(String::new(), |(package, _)| format!("{package}/"));
    Some((folder + &file, machine.line_of(method, 0).map_or(1, u64::from)))
}

/// `Class.method(File.java:12)`.
fn site(machine: &Machine, caller: MethodId, pc: u32) -> String {
    let Method { class, name, .. } = named(machine, caller);
    let offset = match &machine.method(caller).body {
        cupping_machine::MethodBody::Code(code) => code.offsets.get(pc as usize).copied(),
        _ => None,
    };
    let line = offset
        .and_then(|offset| machine.line_of(caller, offset))
        .map_or(String::new(), |line| format!(":{line}"));
    let loaded = machine.class(machine.method(caller).class);
    let file = loaded.file.as_ref().and_then(|it| it.source_file.clone()).unwrap_or_else(|| "Unknown".into());
    format!("{}.{name}({file}{line})", class.replace('/', "."))
}
