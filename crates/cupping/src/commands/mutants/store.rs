//! Results of earlier runs, so that mutants are not judged again by the same suite.
//!
//! A file has the results of one class. Its name is a digest of what they depend on: this program's version, the
//! JDK, the class, the classes of the suite, the jars of the class path, and the options of a run. Other classes in
//! folders of the class path are not included: a run of tests also runs them, but otherwise every change would
//! invalidate everything. `docs/mutants.md` says so.

use super::arguments::Arguments;
use crate::shared::mutation::KnownResults;
use crate::shared::mutation::faults::Faults;
use crate::shared::suite::Suite;
use crate::shared::write;
use cupping_mutate::Mutant;
use cupping_report::files::sha256 as digest;
use cupping_report::mutants::MutantEnd;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A folder with results.
pub struct Store<'a> {
    folder: &'a Path,
    /// What results depend on besides the class.
    context: String,
}

impl<'a> Store<'a> {
    /// The results of a suite in a folder.
    pub fn new(folder: &'a Path, args: &Arguments, suite: &Suite) -> Store<'a> {
        let mut parts = vec![
            env!("CARGO_PKG_VERSION").to_owned(),
            suite.program.jdk().home().display().to_string(),
            args.max_steps.to_string(),
        ];
        parts.extend(args.properties.iter().cloned());
        for entry in suite.own.entries() {
            for name in entry.class_names().unwrap_or_default() {
                let bytes = entry.read(&format!("{name}.class")).ok().flatten().unwrap_or_default();
                parts.push(format!("{name} {}", digest(&bytes)));
            }
        }
        let jars = suite.program.class_path().entries().map(|it| it.path()).filter(|it| it.is_file());
        parts.extend(
            jars.map(|jar| std::fs::read(jar).map_or_else(|_| String::new(), |bytes| digest(&bytes))),
        );
        Store { folder, context: digest(parts.join("\n").as_bytes()) }
    }

    /// The results of earlier runs.
    pub fn read(&self, faults: &Faults) -> KnownResults {
        let mut known = KnownResults::nothing(faults);
        for class in 0..faults.files.len() {
            let text = std::fs::read(self.file(faults, class)).ok();
            let Some(Value::Object(file)) = text.and_then(|text| serde_json::from_slice(&text).ok()) else {
                continue;
            };
            let count = |name: &str| file.get(name)?.as_u64().and_then(|it| usize::try_from(it).ok());
            known.tests = known.tests.or_else(|| count("passed").zip(count("left_out")));
            let Some(results) = file.get("mutants").and_then(Value::as_object) else { continue };
            for (at, mutant) in faults.mutants_of(class) {
                known.ends[at] = results.get(&key(mutant)).and_then(end_of);
            }
        }
        known
    }

    /// Stores the present results together with earlier ones.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn write(&self, faults: &Faults, known: &KnownResults) -> Result<(), String> {
        let Some((passed, left_out)) = known.tests else { return Ok(()) };
        for class in 0..faults.files.len() {
            let path = self.file(faults, class);
            let before: Option<Value> =
                std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
            let mut results: Map<String, Value> =
                before.and_then(|it| it.get("mutants")?.as_object().cloned()).unwrap_or_default();
            for (at, mutant) in faults.mutants_of(class) {
                if let Some((end, steps)) = known.ends[at].filter(|(end, _)| *end != MutantEnd::NotJudged) {
                    results.insert(key(mutant), json!([end, steps]));
                }
            }
            let name = faults.files[class].name.replace('/', ".");
            let file = json!({ "class": name, "passed": passed, "left_out": left_out, "mutants": results });
            let text = format!("{file:#}\n");
            write::file(&path, text.as_bytes(), "name another folder with --store")?;
        }
        Ok(())
    }

    fn file(&self, faults: &Faults, class: usize) -> PathBuf {
        let class = digest(faults.files[class].bytes());
        self.folder.join(format!("{}.json", digest(format!("{} {class}", self.context).as_bytes())))
    }
}

/// The identity of a mutant within the same class.
pub fn key(mutant: &Mutant) -> String {
    format!("{} {} {}: {}", mutant.method, mutant.pc, mutant.operator, mutant.description())
}

fn end_of(value: &Value) -> Option<(MutantEnd, u64)> {
    let end = match value.get(0)?.as_str()? {
        "killed" => MutantEnd::Killed,
        "survived" => MutantEnd::Survived,
        "not_reached" => MutantEnd::NotReached,
        _ => return None,
    };
    Some((end, value.get(1)?.as_u64()?))
}
