//! `--suite-class-path`: the suites run with an earlier version of the program's classes.

use crate::shared::specifications;
use cupping_classfile::{ClassPath, Program};
use cupping_contract::Method;
use cupping_coverage::CoverageMap;
use cupping_watch::{EarlierCode, EarlierVersion, SuiteTriples};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The version with which the suites run.
pub struct Earlier {
    pub program: Arc<Program>,
    pub coverage: CoverageMap,
    /// The methods whose code differs from the watched version.
    pub replaced: BTreeSet<Method>,
    /// The classes of its class path.
    own: BTreeSet<String>,
    /// The classes whose fields differ.
    reshaped: BTreeSet<String>,
}

impl Earlier {
    /// Opens the class path; the rest of the program is behind it.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or one of its classes is damaged.
    pub fn open(class_path: &str, now: &Program) -> Result<Earlier, String> {
        let jdk = now.jdk();
        let named = ClassPath::open(class_path, jdk.feature_version())
            .map_err(|error| format!("--suite-class-path: {error}"))?;
        let mut names = BTreeSet::new();
        for entry in named.entries() {
            names.extend(entry.class_names().map_err(|error| error.to_string())?);
        }
        let mut all = named;
        all.append(now.class_path());
        let program = Arc::new(Program::new(jdk.clone(), all).with_assertions(now.has_assertions()));
        let compared = cupping_diff::compare(&program, now, &names).map_err(|error| error.to_string())?;
        let (mut replaced, mut reshaped) = (BTreeSet::new(), BTreeSet::new());
        for class in compared.classes {
            // An added method may override another one.
            replaced.extend(class.methods.iter().map(|it| Method {
                class: class.name.to_string(),
                name: it.name.to_string(),
                descriptor: it.descriptor.to_string(),
            }));
            if !class.fields.is_empty() {
                reshaped.insert(class.name.to_string());
            }
        }
        let coverage = specifications::coverage_of_class_path(&program);
        let own = names.iter().map(ToString::to_string).collect();
        Ok(Earlier { program, coverage, replaced, own, reshaped })
    }

    /// What the changed methods did.
    pub fn code(&self, now: &Program) -> EarlierCode {
        EarlierCode::of(&self.program, now, &self.replaced, self.own.clone())
    }

    /// Makes triples from this version fit the version that is watched.
    pub fn fit(&self, triples: &mut SuiteTriples, now: &CoverageMap) {
        fn probes<'m>(map: &'m CoverageMap, of: &Method) -> Option<&'m [cupping_coverage::Probe]> {
            let (_, class) = map.class(&of.class)?;
            let is_it = |it: &&cupping_coverage::CoveredMethod| {
                *it.name == *of.name && *it.descriptor == *of.descriptor
            };
            class.methods.iter().find(is_it).map(|it| &it.probes[..])
        }
        let label = |of: &Method, label: u32| {
            let (was, is) = (probes(&self.coverage, of)?, probes(now, of)?);
            let at = was.iter().position(|it| it.number == label)?;
            is.get(at).filter(|_| was.len() == is.len()).map(|it| it.number)
        };
        triples.watch_later(&EarlierVersion {
            replaced: &self.replaced,
            reshaped: &self.reshaped,
            label: &label,
        });
    }
}
