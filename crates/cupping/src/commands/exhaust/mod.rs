//! `cupping exhaust`: all inputs within a scope, from a relational specification.

pub mod arguments;
mod counterexamples;
mod findings;
mod limits;
mod live_report;
mod outcome;
mod parts;
mod predicate;
use crate::process::console;
use crate::process::exit::Status;
use crate::process::internal_errors;
use crate::process::interrupt::interrupted;
use crate::process::panics;
use crate::shared::class_path;
use arguments::Arguments;
use counterexamples::write_tests;
use cupping_classfile::Program;
use cupping_exhaust::freedom::Freedom;
use cupping_exhaust::portions::Progress;
use cupping_exhaust::{
    CheckResult, Error, Picture, Specification, Vacuity, World, difference, gallery, growth, heading,
    portions, trivial, trivial_doubts, vacuity,
};
use cupping_generate::InternalError;
use cupping_report::files::Author;
use limits::{limits, other, plain, threads};
use live_report::{LiveReport, warn};
use outcome::{InputCount, conclude, names, notes, picture, pictures, write_counted, write_page};
use parts::InputSource;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs the command.
pub fn run(args: &Arguments, author: Author) -> ExitCode {
    let author = &author;
    let status = match panics::catch(|| exhaust(args, author)) {
        Ok(Ok(status)) => status,
        Ok(Err(message)) => {
            console::diagnostic(message.trim_end());
            Status::BAD_INPUT
        }
        Err(panic) => panicked(args, author, panic),
    };
    ExitCode::from(status.code())
}

/// Reports a panic, with what reproduces it.
fn panicked(args: &Arguments, author: &Author, panic: String) -> Status {
    let message = format!("panic: {panic}");
    let reproduction = format!("cupping exhaust {}", author.options);
    let about = args.repok.clone().unwrap_or_else(|| {
        let name = args.specification.as_ref().and_then(|it| it.file_stem());
        name.unwrap_or_default().to_string_lossy().into_owned()
    });
    let error = InternalError { message, reproduction };
    let lines = internal_errors::record(args.out.as_deref(), &about, &[error]);
    lines.iter().for_each(|line| console::error(line));
    Status::WRONG
}

fn exhaust(args: &Arguments, author: &Author) -> Result<Status, String> {
    args.report.findings.check()?;
    parts::check_stage(args)?;
    let jdk = args.jdk.locate()?;
    let class_path = class_path::open(args.class_path.classpath.as_deref(), &jdk)?;
    let program = args.assertions.of(&Program::new(jdk, class_path));
    if let Some(predicate) = &args.repok {
        return predicate::search(args, author, predicate, program).map_err(plain);
    }
    let path = args.specification.clone().unwrap_or_default();
    let file = path.display().to_string();
    let source = fs::read_to_string(&path).map_err(|error| format!("{file}: it cannot be read ({error})"))?;
    let rendered = |error: Error| error.render(&file, &source);
    let mut specification =
        Specification::read(&file, &source, &program, args.scope.as_deref()).map_err(rendered)?;
    warn(&specification, &specification.warnings);
    if let [a, b] = &args.equivalent[..] {
        return equivalent(args, &specification, a, b).map_err(|error| match error {
            // The formulas are not in the file.
            Error::Specification(error) => format!("--equivalent: {}", error.message),
            other => other.render(&file, &source),
        });
    }
    let done = match args.show {
        Some(most) => show(args, &specification, most),
        None if args.count => count(args, author, &specification, &program),
        None => check(args, author, &mut specification, program),
    };
    done.map_err(rendered)
}

fn check(
    args: &Arguments,
    author: &Author,
    specification: &mut Specification,
    program: Arc<Program>,
) -> Result<Status, Error> {
    if specification.target.is_none() {
        return Err(other(format!(
            "{}: the specification names no method; add a line `method NAME(TYPES)`, or use --count or --show",
            specification.file
        )));
    }
    let (checked, mut world, mut empty) = if parts::are_wanted(args) && !args.grow {
        let source = specification_source(specification);
        let (found, status) = parts::all(args, author, &program, &source).map_err(other)?;
        let Some(found) = found else { return Ok(status) };
        (found.checked, World::boot(program.clone(), specification)?, status)
    } else {
        let mut world = World::boot(program.clone(), specification)?;
        let checked = all_inputs(args, specification, &program, &mut world)?;
        (checked, world, Status::DONE)
    };
    if checked.inputs == 0 && checked.is_complete {
        empty.add(no_input(specification)?);
    } else if !interrupted() {
        let doubts = trivial_doubts(specification, &trivial(specification)?);
        warn(specification, &doubts);
        specification.warnings.extend(doubts);
    }
    empty.add(conclude(args, &program, specification, &checked)?);
    empty.add(write_tests(args, author, &mut world, &program, specification, None, &checked)?);
    Ok(empty)
}

fn specification_source(specification: &Specification) -> InputSource<'_> {
    let Specification { file, text, scope, .. } = specification;
    InputSource::Specification { file, text, scope }
}

/// Checks the inputs of the scope, and with `--grow` those of larger ones.
fn all_inputs(
    args: &Arguments,
    specification: &mut Specification,
    program: &Arc<Program>,
    world: &mut World,
) -> Result<CheckResult, Error> {
    let limits = limits(args);
    let threads = threads(args);
    let mut so_far = Progress::default();
    let mut new = Vec::new();
    loop {
        let mut live = LiveReport::new(specification);
        let (inputs, passed) = (so_far.checked.inputs, so_far.checked.passed);
        let mut problem = specification.problem_with(&new)?;
        so_far = portions::check(
            specification,
            program,
            world,
            (limits, threads),
            so_far,
            &mut problem,
            &mut |so_far, found| {
                found.into_iter().for_each(|it| live.input(it));
                live.update(so_far);
                !interrupted()
            },
        )?;
        let doubts = live.finish();
        specification.warnings.extend(doubts);
        if !args.grow {
            return Ok(so_far.checked);
        }
        let Progress { checked, work } = &so_far;
        let (inputs, passed) = (checked.inputs - inputs, checked.passed - passed);
        let more = if new.is_empty() { "" } else { "more " };
        let within = growth::shown(specification, &specification.scope);
        let partly = if checked.is_complete { "" } else { ", not all of them" };
        console::say(&format!("{within}: {inputs} {more}inputs, {passed} passed{partly}\n"));
        let is_over =
            *work >= limits.work || checked.inputs >= limits.limit || checked.failed() >= limits.stop_after;
        if !checked.is_complete || is_over || interrupted() {
            return Ok(so_far.checked);
        }
        let next = growth::larger(specification);
        new = vec![growth::is_new(specification, &specification.scope)?];
        specification.scope = next;
    }
}

/// Says why there is no input.
fn no_input(specification: &Specification) -> Result<Status, Error> {
    let mut message =
        format!("{}: {} has no input within the scope", specification.file, heading(specification));
    match vacuity(specification)? {
        Some(Vacuity::Conjuncts(blamed)) => {
            message += match blamed.len() {
                1 => "; this cannot hold:",
                _ => "; these contradict each other, and without any one of them inputs exist:",
            };
            for at in blamed {
                let conjunct = &specification.required[at];
                let span = conjunct.condition.span();
                message += &format!(
                    "\n  {}:{}: {}: {}",
                    specification.file,
                    specification.line(span),
                    conjunct.part.name(),
                    specification.words(span)
                );
            }
        }
        _ => message += "; facts, declarations and scope alone allow none",
    }
    console::diagnostic(&message);
    Ok(Status::BAD_INPUT)
}

fn count(
    args: &Arguments,
    author: &Author,
    specification: &Specification,
    program: &Arc<Program>,
) -> Result<Status, Error> {
    if parts::are_wanted(args) {
        let (found, status) =
            parts::all(args, author, program, &specification_source(specification)).map_err(other)?;
        let Some(found) = found else { return Ok(status) };
        return counted(args, specification, found.checked.inputs, status);
    }
    let mut problem = specification.problem()?;
    let mut live = LiveReport::new(specification);
    let mut count: u64 = 0;
    while !interrupted() && problem.advance() {
        count += 1;
        if count <= Freedom::LAST {
            live.input(&problem.instance());
        }
        live.counted(count);
    }
    live.finish();
    let status = if interrupted() { Status::INTERRUPTED } else { Status::DONE };
    counted(args, specification, count, status)
}

/// Reports the number of inputs.
fn counted(
    args: &Arguments,
    specification: &Specification,
    count: u64,
    status: Status,
) -> Result<Status, Error> {
    if count == 0 && status == Status::DONE {
        return no_input(specification);
    }
    notes(specification);
    console::answer(&format!("{}: {count} inputs\n", heading(specification)));
    write_counted(args, specification, status, InputCount { inputs: count, candidates: None })?;
    Ok(status)
}

fn show(args: &Arguments, specification: &Specification, most: usize) -> Result<Status, Error> {
    let names = names(specification);
    let shown: Vec<Picture> =
        specification.problem()?.take(most).map(|it| picture(&specification.before, &names, &it)).collect();
    if shown.is_empty() {
        return no_input(specification);
    }
    pictures(args, specification, shown)
}

fn equivalent(args: &Arguments, specification: &Specification, a: &str, b: &str) -> Result<Status, Error> {
    let (first, second) = (specification.formula(a)?, specification.formula(b)?);
    let Some((instance, is_first)) = difference(specification, &first, &second)? else {
        console::answer(&"equivalent within the scope\n");
        return Ok(Status::DONE);
    };
    let (holds, fails) = if is_first { (a, b) } else { (b, a) };
    console::answer(&format!("not equivalent: here `{holds}` holds and `{fails}` does not\n"));
    let picture = picture(&specification.before, &names(specification), &instance);
    for line in picture.text() {
        console::say(&format!("  {line}\n"));
    }
    if let Some(folder) = &args.report.html {
        let caption = format!("{holds} holds, {fails} does not");
        let page = gallery(&heading(specification), &[(caption, picture)]);
        write_page(args, folder, specification, &page)?;
    }
    Ok(Status::WRONG)
}
