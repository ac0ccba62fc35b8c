//! Assertions on files in the test's folder, and on paths in it.

use crate::environment::speaks_of_environment;
use cupping_case::{Assertion, Expectation, FileAspect, JavaType, Literal, Probe};
use cupping_machine::{Addr, ExportedFile, Kind, Machine};
use std::collections::BTreeMap;

/// Limit on the assertions about files.
const MAX_CLAIMS: usize = 12;
/// Limit on the length of a text asserted in full.
const MAX_CHARACTERS: usize = 400;
/// Limit on the bytes asserted individually.
const MAX_BYTES: usize = 64;
/// Number of consecutive digits that look like a random name.
const RANDOM_DIGITS: usize = 6;

/// The content of each file, or `None` for a folder, by path.
type Tree<'a> = BTreeMap<&'a str, Option<&'a [u8]>>;

/// Asserts what the invocation under test did to files. `before` is the earlier content of the folder; the
/// machine is after the invocation.
pub(super) fn observe(
    machine: &mut Machine,
    before: &[ExportedFile],
    is_volatile: bool,
    has_folder: bool,
) -> Vec<Assertion> {
    if !has_folder {
        return Vec::new();
    }
    let after = machine.export(machine.test_folder());
    let (before, after) = (tree(before), tree(&after));
    let mut paths: Vec<&str> = before.keys().chain(after.keys()).copied().collect();
    paths.sort_unstable();
    paths.dedup();
    let mut claims = Vec::new();
    for path in paths {
        if claims.len() == MAX_CLAIMS {
            break;
        }
        let claim = match (before.get(path), after.get(path)) {
            // The removal of a folder implies that of its content.
            (Some(_), None) if after.contains_key(parent(path)) || path.is_empty() => {
                Some((FileAspect::Exists, Literal::Boolean(false).into()))
            }
            (Some(was), Some(is)) if was == is => None,
            (_, Some(None)) => Some((FileAspect::IsFolder, Literal::Boolean(true).into())),
            // Content that depends on the clock or on randomness is only asserted to exist.
            (_, Some(Some(_))) if is_volatile => Some((FileAspect::Exists, Literal::Boolean(true).into())),
            (_, Some(Some(content))) => Some(held(content)),
            (_, None) => None,
        };
        if let Some((aspect, claim)) = claim
            && !(is_volatile && is_random(path))
        {
            let Claim(expectation) = claim;
            claims.push(Assertion { probe: Probe::File { path: path.into(), aspect }, expectation });
        }
    }
    claims
}

struct Claim(Expectation);

impl From<Literal> for Claim {
    fn from(literal: Literal) -> Claim {
        Claim(Expectation::Equals(literal))
    }
}

fn tree(files: &[ExportedFile]) -> Tree<'_> {
    files.iter().map(|(path, content)| (path.as_str(), content.as_deref())).collect()
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The strongest assertion on a file's content in a few lines.
fn held(content: &[u8]) -> (FileAspect, Claim) {
    let is_shown = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    let text = std::str::from_utf8(content).ok().filter(|it| it.chars().all(is_shown));
    match text {
        Some(text) if text.chars().count() <= MAX_CHARACTERS => {
            let units: Vec<u16> = text.encode_utf16().collect();
            // A text that contains the folder's path differs from run to run, possibly in length too.
            if units.len() >= "cupping-".len() && speaks_of_environment(&units) {
                return (FileAspect::Exists, Literal::Boolean(true).into());
            }
            (FileAspect::Text, Literal::String(units).into())
        }
        None if content.len() <= MAX_BYTES => {
            let bytes = content.iter().map(|byte| Literal::Byte(*byte as i8)).collect();
            (FileAspect::Bytes, Claim(Expectation::ArrayEquals(bytes)))
        }
        _ => (FileAspect::Length, Literal::Long(content.len() as i64).into()),
    }
}

/// Whether a name may be random.
fn is_random(path: &str) -> bool {
    path.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() >= RANDOM_DIGITS)
}

/// The path text of an object with this declared type: a `File`, `Path` or string.
fn path_text(machine: &Machine, ty: &JavaType, object: Addr) -> Option<String> {
    if object == 0 {
        return None;
    }
    let JavaType::Class(declared) = ty else { return None };
    let class = machine.class_of(object);
    match &**declared {
        "java/lang/String" => String::from_utf16(&machine.string_units(object)).ok(),
        "java/io/File" => {
            let path = machine.field(object, machine.field_offset(class, "path")?) as Addr;
            String::from_utf16(&machine.string_units(path)).ok()
        }
        "java/nio/file/Path" if machine.class_name_of(object) == "sun/nio/fs/UnixPath" => {
            let path = machine.field(object, machine.field_offset(class, "path")?) as Addr;
            let length = machine.array_length(path);
            let bytes = (0..length).map(|at| machine.element(path, at, Kind::Byte) as u8).collect();
            String::from_utf8(bytes).ok()
        }
        _ => None,
    }
}

/// Whether an object with this declared type is a path whose properties depend on the computer.
pub(super) fn is_path_of_environment(machine: &Machine, ty: &JavaType, object: Addr) -> bool {
    path_text(machine, ty, object).is_some_and(|text| {
        let units: Vec<u16> = text.encode_utf16().collect();
        speaks_of_environment(&units)
    })
}

/// The path relative to the test's folder that an object with this declared type denotes, if it is inside.
pub(super) fn path_in_folder(machine: &Machine, ty: &JavaType, object: Addr) -> Option<Box<str>> {
    let text = path_text(machine, ty, object)?;
    let rest = text.strip_prefix(machine.test_folder())?;
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    match rest.strip_prefix('/') {
        None if rest.is_empty() => Some("".into()),
        Some(path) if path.split('/').all(is_plain) => Some(path.into()),
        _ => None,
    }
}
