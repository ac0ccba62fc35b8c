//! The counters of a run: for `--stats` and for the JSON report.

use cupping_generate::Statistics;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Sums over the classes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Time that the JDK took to compile and run the tests, including its start if that was waited for.
    pub certification: Duration,
    sum: Statistics,
}

impl Totals {
    /// The totals for one class.
    pub fn of(class: &Statistics) -> Totals {
        let mut totals = Totals::default();
        totals.add(class);
        totals
    }

    /// Adds the counters of a class.
    pub fn add(&mut self, class: &Statistics) {
        // Destructured completely: a new counter must be summed here.
        let Statistics {
            paths,
            infeasible,
            time_outs,
            sequences,
            states,
            isomorphic_states,
            subsumed_states,
            redundant_states,
            phases,
            solver,
            missing_natives,
            // Each class has a note of its own.
            missing_classes: _,
        } = class;
        self.sum.paths += paths;
        self.sum.infeasible += infeasible;
        self.sum.time_outs += time_outs;
        self.sum.sequences += sequences;
        self.sum.states += states;
        self.sum.isomorphic_states += isomorphic_states;
        self.sum.subsumed_states += subsumed_states;
        self.sum.redundant_states += redundant_states;
        self.sum.phases.collaborators += phases.collaborators;
        self.sum.phases.search += phases.search;
        self.sum.phases.writing += phases.writing;
        self.sum.phases.mutants += phases.mutants;
        self.sum.solver.add(solver);
        self.sum.missing_natives.extend(missing_natives.iter().cloned());
    }

    /// By name, without times, so that the same run gives the same counters, and those of classes can be added.
    pub fn counters(&self) -> BTreeMap<String, u64> {
        let sum = &self.sum;
        let mut counters: BTreeMap<String, u64> = [
            ("paths", sum.paths),
            ("infeasible", sum.infeasible),
            ("time_outs", sum.time_outs),
            ("sequences", sum.sequences),
            ("states", sum.states),
            ("states_isomorphic", sum.isomorphic_states),
            ("states_subsumed", sum.subsumed_states),
            ("states_redundant", sum.redundant_states),
            ("queries", sum.solver.total.asked),
            ("queries_unknown", sum.solver.unknown),
        ]
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
        for (layer, stats) in &sum.solver.layers {
            counters.insert(format!("queries_{layer}"), stats.sat + stats.unsat);
        }
        counters
    }

    /// The output of `--stats`, with final newline.
    pub fn text(&self) -> String {
        let Statistics { paths, infeasible, time_outs, sequences, states, .. } = &self.sum;
        let mut text = format!(
            "\n{paths} paths run, {infeasible} infeasible, {time_outs} timed out; {sequences} sequences, {states} states ({} more isomorphic, {} subsumed, {} redundant)\n",
            self.sum.isomorphic_states, self.sum.subsumed_states, self.sum.redundant_states
        );
        let seconds = |time: Duration| time.as_secs_f64();
        let phases = &self.sum.phases;
        let _ = writeln!(
            text,
            "{:.2} s for objects of other classes, {:.2} s for paths (of which {:.2} s in the solver), {:.2} s to write \
             tests down, {:.2} s aimed at mutants, {:.2} s for certification",
            seconds(phases.collaborators),
            seconds(phases.search),
            seconds(self.sum.solver.total.inclusive),
            seconds(phases.writing),
            seconds(phases.mutants),
            seconds(self.certification),
        );
        let solver = self.sum.solver.to_string();
        let _ = writeln!(text, "{}", solver.trim_end());
        if let Some(peak) = peak_memory() {
            let _ = writeln!(text, "peak memory {peak} MB, without the JVM that certifies");
        }
        for native in &self.sum.missing_natives {
            let _ = writeln!(text, "missing native: {native}");
        }
        text
    }
}

/// The peak of resident memory of this process, in megabytes, if the system tells (Linux).
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024)
}
