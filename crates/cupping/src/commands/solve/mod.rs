//! `cupping solve`: a saved query asked again.

pub mod arguments;

use crate::process::console;
use crate::process::exit::Status;
use crate::process::panics;
use arguments::Arguments;
use cupping_report::files::Author;
use cupping_solve::{Answer, InternalError, Solver, TextQuery};
use cupping_term::{Model, VarIndex};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    ExitCode::from(solve(args).code())
}

/// Reads the query, asks the whole chain, and prints the answer.
fn solve(args: &Arguments) -> Status {
    let file = args.file.display();
    let bad_input = |message: String| {
        console::error(&message);
        Status::BAD_INPUT
    };
    let text = match std::fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) => return bad_input(format!("{file}: {error}; name a file that Cupping saved")),
    };
    let mut query = match TextQuery::from_text(&text) {
        Ok(query) => query,
        Err(error) => {
            return bad_input(format!(
                "{file}:{}: {}; name a file with a query saved by Cupping",
                error.line, error.message
            ));
        }
    };
    match panics::catch(|| ask(&mut query, args.stats)) {
        Ok((text, errors)) => {
            console::answer(&text);
            errors.iter().for_each(|error| console::error(error));
            if errors.is_empty() { Status::DONE } else { Status::WRONG }
        }
        Err(panic) => {
            console::error(&format!("internal error: panic: {panic}; please report it with {file}"));
            Status::WRONG
        }
    }
}

fn ask(query: &mut TextQuery, stats: bool) -> (String, Vec<InternalError>) {
    let mut solver = Solver::default();
    let asked = cupping_solve::Query { assertions: &query.assertions, hint: query.hint.as_ref() };
    let answer = solver.solve(&mut query.terms, &asked);
    let mut text = match &answer {
        Answer::Sat(model) => format!("satisfiable\n{}", values(query, model)),
        Answer::Unsat { core } => {
            let positions: Vec<String> = core.iter().map(|at| (at + 1).to_string()).collect();
            format!("unsatisfiable; these assertions contradict each other: {}\n", positions.join(", "))
        }
        Answer::Unknown(reason) => format!("unknown: {reason}\n"),
    };
    if stats {
        let _ = writeln!(text, "\n{}", solver.stats().to_string().trim_end());
    }
    (text, solver.take_internal_errors())
}

/// A line for each variable of the query: name, sort, bits.
fn values(query: &TextQuery, model: &Model) -> String {
    let used: BTreeSet<VarIndex> =
        query.assertions.iter().flat_map(|&it| query.terms.variables(it)).copied().collect();
    let mut text = String::new();
    for variable in used {
        let _ = writeln!(text, "  v{} = {}", variable.0, model.get(variable));
    }
    text
}
