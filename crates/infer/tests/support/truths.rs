//! A specification checked against truths that were written by hand before the first run, and against an opponent's
//! calls.

use super::completeness::{Completeness, completeness};
use super::opponent::Opponent;
use cupping_generate::Session;
use cupping_infer::{
    Explorer, ExplorerLimits, Formula, InferOptions, InferenceOutcome, ProgramPoint, Recording, Subject,
    Term, axioms, infer_class, infer_relevant,
};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;
use std::rc::Rc;

/// A truth: a program point, and the alternative forms of the statement.
pub struct Truth {
    place: String,
    forms: Vec<String>,
}

/// The truths of a file. Alternatives are separated by `||`; conditions of exceptions contain it, too.
pub fn truths(file: &Path) -> Vec<Truth> {
    let text = fs::read_to_string(file).expect("the truths are there");
    let truth = |line: &str| {
        let (place, forms) = line.split_once(" | ").unwrap_or_else(|| panic!("{}: {line}", file.display()));
        let throws = " || throws ";
        let forms: Vec<String> = match forms.strip_prefix("throws ") {
            Some(rest) => rest.split(throws).map(|it| format!("throws {it}")).collect(),
            None => forms.split(" || ").map(str::to_owned).collect(),
        };
        Truth { place: place.to_owned(), forms }
    };
    text.lines().filter(|it| !it.is_empty()).map(truth).collect()
}

/// The result for a class.
#[derive(Default)]
pub struct Verdict {
    /// Its name.
    pub class: String,
    /// The number of lines.
    pub lines: usize,
    /// The number of truths.
    pub truths: usize,
    /// Truths that no line says.
    pub missed: Vec<String>,
    /// Lines that some call refutes, with that call.
    pub wrong: Vec<String>,
    /// The number of calls that were checked against the lines.
    pub calls: usize,
    /// The methods that the opponent did not call.
    pub uncalled: Vec<String>,
    /// The lines.
    pub said: Vec<String>,
    /// Which mutants of states after calls the lines reject.
    pub ours: Completeness,
    /// The same for lines of Daikon's templates, inferred from the same executions.
    pub daikons: Completeness,
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let found = self.truths - self.missed.len();
        writeln!(
            f,
            "{:<12} {:>5} {:>5} {:>6} {:>6} {:>6} {:>7}",
            self.class,
            self.lines,
            self.wrong.len(),
            found,
            self.missed.len(),
            self.ours.percent(),
            self.daikons.percent(),
        )?;
        self.wrong.iter().try_for_each(|it| writeln!(f, "    false  {it}"))?;
        self.missed.iter().try_for_each(|it| writeln!(f, "    missed {it}"))?;
        self.uncalled.iter().try_for_each(|it| writeln!(f, "    not called {it}"))
    }
}

/// The head of a table of verdicts.
pub fn head() -> String {
    let names = ["lines", "false", "found", "missed", "ours", "daikon"];
    let [lines, wrong, found, missed, ours, daikon] = names;
    format!("{:<12} {lines:>5} {wrong:>5} {found:>6} {missed:>6} {ours:>5}% {daikon:>6}%\n", "class")
}

/// Infers a class, and checks each line against this many random sequences.
pub fn judge(
    session: &mut Session,
    class: &str,
    truths: &[Truth],
    limits: ExplorerLimits,
    sequences: usize,
) -> Verdict {
    let mut bench =
        session.open(class, &[], &cupping_generate::GenerateOptions::default()).expect("it loads");
    bench.reset();
    let subject = Rc::new(Subject::new(&mut bench));
    bench.reset();
    let machine = bench.machine();
    let options = InferOptions { limits, ..InferOptions::default() };
    let outcome = infer_class(machine, &subject, &Recording::default(), &options);
    let executions = &outcome.explored.executions;
    let ours = completeness(&subject, executions, &outcome.specification);
    let all: Vec<&cupping_infer::Execution> = executions.iter().collect();
    let theirs = infer_relevant(&subject, &all, &|_, it| is_daikons(it));
    let daikons = completeness(&subject, executions, &theirs);
    let lines = lines(&subject, &outcome);
    let mut refuted: BTreeMap<String, String> = BTreeMap::new();
    let mut calls = vec![0; subject.methods.len()];
    let mut tests = Recording::default();
    Opponent::new(&subject, 19).play(machine, sequences, &mut |recording| {
        for execution in &recording.executions {
            calls[execution.method] += 1;
            for (line, is_broken) in &lines {
                if !refuted.contains_key(line) && is_broken(execution) {
                    let test = execution.test.as_ref().map_or(String::new(), ToString::to_string);
                    refuted.insert(line.clone(), test);
                }
            }
        }
        // Axioms are checked against the values and states of the opponent.
        tests.tests.extend(recording.tests.iter().take(6).cloned());
    });
    let axioms: Vec<axioms::Axiom> = outcome.shown_axioms().cloned().collect();
    let mut explorer = Explorer::new(machine, &subject, &tests, limits);
    explorer.explore(&tests);
    let pairs: Vec<(usize, usize)> =
        axioms.iter().map(|it| (it.first, it.second.unwrap_or(it.first))).collect();
    explorer.compose(&pairs, sequences / 50, 77);
    explorer.compose_at_boundaries(&pairs);
    for (axiom, test) in axioms.iter().zip(axioms::violations(&subject, explorer.found(), &axioms)) {
        refuted.extend(test.map(|it| (format!("axiom | {}", axiom.text(&subject)), it.to_string())));
    }
    let mut said: Vec<String> = lines.iter().map(|it| it.0.clone()).collect();
    said.extend(axioms.iter().map(|it| format!("axiom | {}", it.text(&subject))));
    let is_said = |it: &&Truth| !it.forms.iter().any(|form| said.contains(&format!("{} | {form}", it.place)));
    Verdict {
        class: subject.simple_name(),
        lines: said.len(),
        truths: truths.len(),
        missed: truths.iter().filter(is_said).map(|it| format!("{} | {}", it.place, it.forms[0])).collect(),
        wrong: refuted.into_iter().map(|(line, test)| format!("{line}    [{test}]")).collect(),
        calls: calls.iter().sum(),
        uncalled: (0..calls.len()).filter(|it| calls[*it] == 0).map(|it| subject.signature(it)).collect(),
        said,
        ours,
        daikons,
    }
}

/// Whether Daikon's default templates have a formula of this kind: no conditional formulas, and no relations between
/// whole sequences before and after.
fn is_daikons(formula: &Formula) -> bool {
    !matches!(
        formula,
        Formula::Implies(_)
            | Formula::Iff(_)
            | Formula::Any(_)
            | Formula::Not(_)
            | Formula::Frame(_)
            | Formula::Prefix(_)
            | Formula::StringShape(_)
    ) && !formula.any(|it| matches!(it, Term::Append(..) | Term::Prepend(..)))
}

type Refutes<'o> = Box<dyn Fn(&cupping_infer::Execution) -> bool + 'o>;

/// The lines of a specification, each with its refutation.
fn lines<'o>(subject: &'o Subject, outcome: &'o InferenceOutcome) -> Vec<(String, Refutes<'o>)> {
    let mut all: Vec<(String, Refutes<'o>)> = Vec::new();
    let signature = |key: &str| subject.find(key).map_or_else(|| key.to_owned(), |it| subject.signature(it));
    for clause in &outcome.specification.clauses {
        let (point, formula) = (&clause.point, &clause.formula);
        let place = match point {
            ProgramPoint::Class => "class".to_owned(),
            ProgramPoint::Entry(method) => format!("{} requires", signature(method)),
            ProgramPoint::Exit(method) => signature(method),
        };
        let phase = point.phase();
        all.push((
            format!("{place} | {formula}"),
            Box::new(move |it| point.samples(subject, it) && formula.holds(it, phase) == Some(false)),
        ));
    }
    for throws in &outcome.specification.throws {
        let when = if throws.exact { "exactly when" } else { "when" };
        let class = throws.class.replace('/', ".");
        let place = signature(&throws.method);
        all.push((
            format!("{place} | throws {class} {when} {}", throws.condition),
            Box::new(move |it| throws.is_violated(subject, it)),
        ));
    }
    all
}
