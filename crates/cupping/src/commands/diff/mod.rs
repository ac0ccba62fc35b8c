//! `cupping diff`: the behavioural effect of a change of a program.
//!
//! The two versions, of which `--git` makes checkouts ([`checkouts`]), are compared class by class
//! ([`cupping_diff`]), moved classes under their old names ([`moves`]). Classes from which a change is visible are
//! searched for calls that distinguish the versions ([`search`]), some of which break a contract ([`contracts`]); the
//! JDK confirms them ([`confirm`]); the findings are grouped by the change that causes them ([`report`]), and pages get
//! the sources ([`source_pairs`]). Results of classes can be kept ([`store`]).

pub mod arguments;
mod checkouts;
mod confirm;
mod contracts;
mod jdk_search;
mod moves;
mod plan;
mod report;
mod search;
mod source_pairs;
mod store;
mod versions;

use crate::frame::store_context::StoreContext;
use crate::process::console::{self, bad_input};
use crate::process::exit::Status;
use crate::process::interrupt::{self, interrupted};
use crate::shared::accepted_findings::AcceptableFinding;
use arguments::Arguments;
use cupping_report::differences::{markdown, page, sarif, text};
use cupping_report::files::Author;
use cupping_view::{Envelope, Problem};
use std::process::ExitCode;
use versions::Versions;

/// Runs the command.
pub fn run(args: &'static Arguments, author: Author) -> ExitCode {
    ExitCode::from(diff(args, &author).unwrap_or_else(|error| bad_input(&error)).code())
}

fn diff(args: &'static Arguments, author: &Author) -> Result<Status, String> {
    let versions = Versions::open(args)?;
    let plan = plan::SearchPlan::of(args, &versions)?;
    contracts::check_records(args, &plan)?;
    let mut status = Status::DONE;
    let mut problems: Vec<Problem> = Vec::new();
    let mut keeping = store::keeping(args, author, &versions, &plan)?;
    let out = args.out.as_deref().map(|it| StoreContext::place(&mut keeping, "out", it));
    let judge = match &keeping {
        Some(keeping) if !keeping.stage.works() => None,
        _ => confirm::Judge::start(args, author, &versions, &plan, out.as_deref())?,
    };
    let (found, of_parts) = search::search(args, &versions, &plan, judge, keeping.as_ref())?;
    interrupt::closing();
    status.add(of_parts);
    let Some(mut found) = found else { return Ok(status) };
    for problem in std::mem::take(&mut found.problems) {
        console::error(&problem.message);
        problems.push(problem);
        status.add(Status::WRONG);
    }
    let unconfirmed = found.unconfirmed;
    let mut all = report::differences(&versions, &plan, &found);
    all.unconfirmed = unconfirmed;
    if args.documents.html.is_some() {
        source_pairs::add(args, &versions, &plan, &mut all)?;
    }
    if let Some(mut accepted) = args.accept.read()? {
        let examples = all.causes.iter_mut().flat_map(|it| &mut it.examples).map(|it| AcceptableFinding {
            id: &it.id,
            method: &it.method,
            old: &it.old,
            new: &it.new,
            accepted: &mut it.accepted,
        });
        accepted.apply(args.accept.reason.as_deref(), examples)?;
    }
    if interrupted() {
        status.add(Status::INTERRUPTED);
    }
    let envelope = || Envelope::new("diff", &all).errors(problems).status(status.word());
    args.documents.write(envelope, || markdown(&all), || sarif(&all), || page(&all))?;
    console::say(&text(&all));
    if unconfirmed > 0 {
        console::remark(|| {
            format!("{unconfirmed} differences were left out, because the JDK did not confirm them")
        });
    }
    if interrupted() {
        console::error(&"interrupted; classes that were not searched count as unknown");
    }
    if !all.is_silent() {
        status.add(Status::WRONG);
    }
    Ok(status)
}
