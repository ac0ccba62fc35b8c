//! Finds the methods that triples may concern from class files alone: only these get labels, all others run
//! without.
//!
//! A triple of `C.m` concerns the method that `m` resolves to in `C`, which a superclass may declare. Unless
//! the method is static or a constructor, it also concerns the methods that override it in subclasses.

use cupping_classfile::Program;
use cupping_coverage::{CoveredClass, CoveredMethod};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

type Names = BTreeSet<Arc<str>>;

/// The methods that triples concern.
pub(super) struct Targets<'t> {
    program: &'t Program,
    /// Classes by name and descriptor of the method.
    classes: BTreeMap<(&'t str, &'t str), BTreeSet<&'t str>>,
    above: RefCell<BTreeMap<Arc<str>, Rc<Names>>>,
}

impl<'t> Targets<'t> {
    pub(super) fn new(
        program: &'t Program,
        targets: impl Iterator<Item = &'t cupping_contract::Method>,
    ) -> Targets<'t> {
        let mut classes: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        for target in targets {
            let key = (target.name.as_str(), target.descriptor.as_str());
            classes.entry(key).or_default().insert(&target.class);
        }
        Targets { program, classes, above: RefCell::default() }
    }

    /// Whether a triple may concern a method.
    pub(super) fn includes(&self, class: &CoveredClass, method: &CoveredMethod) -> bool {
        let Some(classes) = self.classes.get(&(&*method.name, &*method.descriptor)) else { return false };
        classes.contains(&*class.name)
            || classes.iter().any(|it| self.above(it).contains(&class.name))
            || &*method.name != "<init>" && self.above(&class.name).iter().any(|it| classes.contains(&**it))
    }

    /// All superclasses and interfaces of a class.
    fn above(&self, class: &str) -> Rc<Names> {
        if let Some(known) = self.above.borrow().get(class) {
            return known.clone();
        }
        let mut found = Names::new();
        let mut due: Vec<Arc<str>> = vec![class.into()];
        while let Some(name) = due.pop() {
            let Ok(Some(file)) = self.program.find(&name) else { continue };
            let next = file.super_name.iter().chain(file.interfaces.iter()).cloned();
            due.extend(next.filter(|it| found.insert(it.clone())));
        }
        let found = Rc::new(found);
        self.above.borrow_mut().insert(class.into(), found.clone());
        found
    }
}
