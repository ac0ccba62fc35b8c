//! Which classes are searched for which changes.

use super::arguments::Arguments;
use super::versions::Versions;
use crate::shared::applicability::{missing, obstacle};
use cupping_classfile::{ClassSelector, Program};
use cupping_diff::{MethodFate, MethodName, Status};
use cupping_generate::{ChangedMethod, ComparisonVerdict, Difference};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Limit on the classes searched for a change that no class accessible to tests reaches.
const MAX_CALLERS: usize = 3;

/// Which classes are searched for which changes.
#[derive(Default)]
pub struct SearchPlan {
    /// The methods whose behaviour may have changed.
    pub changed: Vec<ChangedMethod>,
    /// Results by internal name of the searched class.
    pub units: BTreeMap<String, Unit>,
    /// Whether classes of the new version have other names than they were written with.
    pub has_moves: bool,
}

/// Limit on the concrete subclasses of an abstract class that are searched for its changes.
const MAX_SUBCLASSES: usize = 2;

/// The search in a class.
#[derive(Default)]
pub struct Unit {
    /// The changes, as indices into [`SearchPlan::changed`].
    pub changed: BTreeSet<usize>,
    /// The methods to be called, with descriptors; empty for all.
    pub methods: Vec<String>,
}

impl SearchPlan {
    /// Chooses the classes from which the changes are visible.
    ///
    /// # Errors
    ///
    /// A class that the user names does not exist.
    pub fn of(args: &Arguments, versions: &Versions) -> Result<SearchPlan, String> {
        if let Some(classes) = &versions.across_jdks {
            let wanted = wanted(&versions.selected, &versions.old)?;
            let searched = wanted.map_or_else(|| classes.clone(), |it| &it & classes);
            let is_searched = args.budget.budget != Some(Duration::ZERO);
            return Ok(if is_searched {
                plan_across_jdks(versions, &searched)
            } else {
                SearchPlan::default()
            });
        }
        let mut changed = Vec::new();
        for class in versions.comparison.classes.iter().filter(|it| it.status == Status::Changed) {
            for method in class.methods.iter().filter(|it| !matches!(it.fate, MethodFate::Renamed(_))) {
                changed.push(ChangedMethod {
                    class: class.name.clone(),
                    name: method.name.clone(),
                    descriptor: method.descriptor.clone(),
                });
            }
        }
        let wanted = wanted(&versions.selected, &versions.old)?;
        let mut units: BTreeMap<String, Unit> = BTreeMap::new();
        if args.budget.budget != Some(Duration::ZERO) {
            for (at, method) in changed.iter().enumerate() {
                for class in classes_for(versions, method) {
                    if wanted.as_ref().is_none_or(|it| it.contains(&*class)) {
                        units.entry(class.into_string()).or_default().changed.insert(at);
                    }
                }
            }
            // A class that the user names is searched for all changes.
            for class in wanted.iter().flatten().filter(|it| is_testable(versions, it)) {
                units
                    .entry(class.clone())
                    .or_insert_with(|| Unit { changed: (0..changed.len()).collect(), methods: Vec::new() });
            }
        }
        for (class, unit) in &mut units {
            unit.methods = methods(versions, class, unit.changed.iter().map(|at| &changed[*at]));
        }
        Ok(SearchPlan { changed, units, has_moves: !versions.moves.list().is_empty() })
    }
}

/// The classes that the user names; `None` for all.
fn wanted(selected: &[String], old: &Program) -> Result<Option<BTreeSet<String>>, String> {
    if selected.is_empty() {
        return Ok(None);
    }
    let mut names = BTreeSet::new();
    for text in selected {
        names.extend(ClassSelector::parse(text).resolve(old).map_err(|error| error.to_string())?);
    }
    Ok(Some(names))
}

fn named(method: &ChangedMethod) -> MethodName {
    MethodName {
        class: method.class.clone(),
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
    }
}

/// The class of a changed method, or the nearest ones from which it may be run.
fn classes_for(versions: &Versions, method: &ChangedMethod) -> Vec<Box<str>> {
    let mut found: Vec<Box<str>> = Vec::new();
    // The behaviour of an abstract class is observed on objects of its subclasses.
    if versions.now.is_abstract(&method.class) {
        let below = versions.now.concrete_subclasses(&method.class);
        found.extend(below.into_iter().filter(|it| is_testable(versions, it)).take(MAX_SUBCLASSES));
    }
    for influence in [&versions.before, &versions.now] {
        for running in influence.running(&named(method)) {
            if found.len() < MAX_CALLERS
                && !found.contains(&running.class)
                && is_testable(versions, &running.class)
            {
                found.push(running.class);
                if found.last() == Some(&method.class) {
                    return found;
                }
            }
        }
    }
    found
}

/// Whether both versions have a class of this name that tests can be written for.
fn is_testable(versions: &Versions, class: &str) -> bool {
    [&versions.old, &versions.new].into_iter().all(|program: &Arc<Program>| {
        let file = program.find(class).ok().flatten();
        file.is_some_and(|it| obstacle(&it).is_none() && missing(&it, program).is_none())
    })
}

/// The methods of a class to which the search is limited: those that may run the changes, if they are static. If an
/// object changes, any of its methods may show it.
fn methods<'a>(
    versions: &Versions,
    class: &str,
    changed: impl Iterator<Item = &'a ChangedMethod>,
) -> Vec<String> {
    let mut methods = BTreeSet::new();
    for changed in changed {
        for influence in [&versions.before, &versions.now] {
            for running in influence.running(&named(changed)).into_iter().filter(|it| *it.class == *class) {
                if &*running.name == "<clinit>" || influence.is_static(&running) == Some(false) {
                    return Vec::new();
                }
                methods.insert(format!("{}{}", running.name, running.descriptor));
            }
        }
    }
    methods.into_iter().collect()
}

/// The plan: all methods of all classes that are in both versions, or of those that the user names.
fn plan_across_jdks(versions: &Versions, classes: &BTreeSet<String>) -> SearchPlan {
    let mut plan = SearchPlan::default();
    for class in classes.iter().filter(|it| is_testable(versions, it)) {
        let Some(file) = versions.old.find(class).ok().flatten() else { continue };
        let unit = plan.units.entry(class.clone()).or_default();
        let is_own = |it: &&cupping_classfile::Method| {
            it.has_code && !it.access.is_private() && !it.access.is_synthetic() && &*it.name != "<clinit>"
        };
        for method in file.methods.iter().filter(is_own) {
            unit.changed.insert(plan.changed.len());
            plan.changed.push(ChangedMethod {
                class: class.as_str().into(),
                name: Box::from(&*method.name),
                descriptor: Box::from(&*method.descriptor),
            });
        }
    }
    plan
}

/// The differences found in a class.
#[derive(Clone, Serialize, Deserialize)]
pub struct ClassDifferences {
    /// The differences; what they run are indices into the changes of the class.
    pub differences: Vec<Difference>,
    /// A verdict for each change of the class.
    pub verdicts: Vec<ComparisonVerdict>,
    /// How many were left out, because the JDK did not confirm them.
    pub unconfirmed: usize,
}
