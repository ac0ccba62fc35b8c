//! The sources of changed methods, for the page that shows both versions side by side.

use super::arguments::Arguments;
use super::plan::SearchPlan;
use super::report::place;
use super::versions::Versions;
use crate::shared::sources::Sources;
use cupping_classfile::{ClassFile, Program};
use cupping_generate::ChangedMethod;
use cupping_report::differences::{Differences, Excerpt, SourcePair};

/// Number of lines above the first instruction in which the head of a method is searched.
const HEAD: usize = 6;

/// Adds the sources of the changed methods to each cause, where both are found.
///
/// # Errors
/// A source path cannot be opened.
pub fn add(
    args: &Arguments,
    versions: &Versions,
    plan: &SearchPlan,
    all: &mut Differences,
) -> Result<(), String> {
    let (old, errors) = Sources::open(args.source_path_old.as_deref());
    let (new, more) = Sources::open(args.source_path_new.as_deref());
    if let Some(error) = errors.into_iter().chain(more).next() {
        return Err(error);
    }
    let pairs: Vec<SourcePair> =
        plan.changed.iter().filter_map(|method| pair(versions, method, &old, &new)).collect();
    for cause in &mut all.causes {
        let is_here = |it: &&SourcePair| cause.changed.contains(&it.method);
        cause.sources = pairs.iter().filter(is_here).cloned().collect();
    }
    Ok(())
}

fn pair(versions: &Versions, method: &ChangedMethod, old: &Sources, new: &Sources) -> Option<SourcePair> {
    let was = excerpt(&versions.old, &method.class, method, old);
    // In the new version, a moved class has its source at its new path.
    let (program, own) = (&versions.new, versions.moves.original());
    let is = excerpt(own.unwrap_or(program), &versions.moves.new_name(&method.class), method, new);
    if was.is_none() && is.is_none() {
        return None;
    }
    let (old, new) = (was.unwrap_or_default(), is.unwrap_or_default());
    Some(SourcePair { method: place(versions, method), old, new })
}

/// The lines of a method, from its head to the brace after its last instruction.
fn excerpt(program: &Program, class: &str, method: &ChangedMethod, sources: &Sources) -> Option<Excerpt> {
    let file = program.find(class).ok().flatten()?;
    let (first, last) = lines(&file, method)?;
    let text = sources.find(&file, program)?;
    let lines: Vec<&str> = text.lines().collect();
    let first = first.checked_sub(1).filter(|it| *it < lines.len())?;
    let ends = |at: usize| lines[at].trim_end().ends_with([';', '}', '/']) || lines[at].trim().is_empty();
    let start = (0..HEAD).map_while(|up| first.checked_sub(up + 1)).take_while(|at| !ends(*at)).last();
    let start = start.unwrap_or(first);
    let mut end = last.min(lines.len());
    // After the last instruction, as many braces as are open belong to the method.
    let depth = |text: &str| text.matches('{').count() as i64 - text.matches('}').count() as i64;
    let mut open: i64 = lines[start..end].iter().map(|it| depth(it)).sum();
    while open > 0 && end < lines.len() {
        open += depth(lines[end]);
        end += 1;
    }
    let lines = lines[start..end].iter().map(|it| (*it).to_owned()).collect();
    Some(Excerpt { first: u32::try_from(start + 1).ok()?, lines })
}

fn lines(file: &ClassFile, method: &ChangedMethod) -> Option<(usize, usize)> {
    let declared = file.method(&method.name, &method.descriptor).or_else(|| {
        // The descriptor may use the other name of a moved class.
        let mut same_name = file.methods.iter().filter(|it| *it.name == *method.name);
        same_name.next().filter(|_| same_name.next().is_none())
    })?;
    let code = file.code(declared).ok()??;
    let lines = || code.line_numbers.entries().iter().map(|it| usize::from(it.line));
    Some((lines().min()?, lines().max()?))
}
