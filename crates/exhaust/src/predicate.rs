//! A check without a specification: inputs are the objects of which a predicate in Java holds, and it is to hold afterwards.

use crate::abstraction::{capture, read_back};
use crate::bounds::Bounds;
use crate::candidates::{Candidates, Tried, still_holds};
use crate::check::{Cause, Checked, Example, Settings, keep, outcome_of};
use crate::classes::Finder;
use crate::error::{Error, other};
use crate::header::{self, Phrase};
use crate::specification::Specification;
use crate::world::{Ended, World};
use cupping_classfile::Program;
use cupping_machine::{MethodId, Value};

/// A predicate and what is to be run on the objects of which it holds.
#[derive(Debug)]
pub struct Predicate {
    /// The class, its fields, and the method under test, as a specification has them.
    pub specification: Specification,
    /// The scope.
    pub bounds: Bounds,
    /// Whether integers that the predicate only compares get values last; all values are tried one by one without.
    pub symbolic: bool,
    name: String,
}

impl Predicate {
    /// `com.acme.Tree.repOk`, the method under test if there is one, and the scope; `lines` are further lines of a header, as
    /// `exclude` and `type`.
    pub fn read(
        program: &Program,
        predicate: &str,
        method: Option<&str>,
        scope: &str,
        lines: &[String],
    ) -> Result<Predicate, Error> {
        let Some((class, name)) = predicate.rsplit_once('.') else {
            return Err(other(format!("{predicate}: write the predicate as CLASS.METHOD")));
        };
        let mut text = format!("class {class}\n");
        if let Some(method) = method {
            text += &format!("method {method}\n");
        }
        for line in lines {
            text += &format!("{line}\n");
        }
        let mut specification = Specification::read(predicate, &text, program, None)?;
        specification.notes.retain(|it| !it.starts_with("there is no postcondition"));
        if specification.plan.receiver.is_none() {
            // Of a static method, the object is an argument; the class is still that of the predicate.
            let (header, _) = header::read(&text)?;
            let finder = Finder::new(program, &header, &text);
            let class = finder.class_named(&Phrase { text: class.to_owned(), ..Phrase::default() })?;
            return Err(other(format!(
                "{} is static; a method under test is one of the objects of {}",
                method.unwrap_or_default(),
                class.name.replace('/', ".")
            )));
        }
        let bounds = Bounds::read(scope)?;
        let known = |name: &str| {
            let field = |it: &str| {
                let plan = &specification.plan;
                let own = plan.classes.classes.values().flat_map(|it| &it.fields).map(|it| it.name.as_str());
                let own = own.chain(specification.before.model.fields().map(|(_, it)| it.name.as_str()));
                own.chain(plan.parameters.iter().map(|it| it.name.as_str())).any(|name| name == it)
            };
            name == "int"
                || name.ends_with("length")
                || specification.before.model.find_signature(name).is_some()
                || field(name.rsplit('.').next().unwrap_or(name))
        };
        if let Some(unknown) = bounds.names().find(|it| !known(it)) {
            return Err(other(format!("--scope {unknown}: no class, field or parameter is called so")));
        }
        Ok(Predicate { specification, bounds, symbolic: true, name: name.to_owned() })
    }

    /// The name of the predicate.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn method(&self, world: &World) -> Result<MethodId, Error> {
        let receiver = self.specification.plan.receiver.as_deref().unwrap_or_default();
        let class = world.classes[receiver];
        let machine = &world.machine;
        let of = |descriptor: &str| machine.find_method(class, &self.name, descriptor);
        of("()Z").or_else(|| of(&format!("(L{receiver};)Z"))).ok_or_else(|| {
            other(format!("{} has no predicate `boolean {}()`", receiver.replace('/', "."), self.name))
        })
    }

    /// Counts the structures of which the predicate holds.
    pub fn count(&self, world: &mut World, mut progress: impl FnMut(Tried) -> bool) -> Result<Tried, Error> {
        let predicate = self.method(world)?;
        let mut candidates =
            Candidates::new(&self.specification, world, predicate, &self.bounds, self.symbolic)?;
        candidates.each(world, false, |_, so_far| Ok(progress(so_far.tried)))?;
        Ok(candidates.tried)
    }

    /// The first structures, as instances.
    pub fn show(&self, world: &mut World, most: usize) -> Result<Vec<cupping_relation::Instance>, Error> {
        let predicate = self.method(world)?;
        let mut candidates =
            Candidates::new(&self.specification, world, predicate, &self.bounds, self.symbolic)?;
        let mut shown = Vec::new();
        candidates.each(world, true, |world, so_far| {
            let arguments = vec![Value::reference(so_far.receiver()); 1];
            shown.push(capture(world, &self.specification, &arguments).0);
            Ok(shown.len() < most)
        })?;
        Ok(shown)
    }

    /// Runs the method under test on all structures.
    pub fn check(
        &self,
        world: &mut World,
        settings: Settings,
        mut progress: impl FnMut(&Checked) -> bool,
    ) -> Result<(Checked, Tried), Error> {
        let predicate = self.method(world)?;
        let method = world.method.ok_or_else(|| other("no method to run; name one with --method"))?;
        let mut candidates =
            Candidates::new(&self.specification, world, predicate, &self.bounds, self.symbolic)?;
        let mut checked = Checked { is_complete: true, ..Checked::default() };
        candidates.each(world, true, |world, so_far| {
            let receiver = so_far.receiver();
            let all = so_far.arguments(world)?;
            let start = world.machine.snapshot();
            for arguments in all {
                if checked.inputs >= settings.limit || !progress(&checked) {
                    checked.is_complete = false;
                    return Ok(false);
                }
                checked.inputs += 1;
                world.machine.restore(&start);
                let ended = world.call(method, &arguments);
                let (cause, outcome) = outcome_of(world, &ended);
                let cause = match cause {
                    Some(cause) => Some(cause),
                    None => {
                        let after = world.machine.snapshot();
                        let holds = still_holds(world, predicate, receiver);
                        world.machine.restore(&after);
                        holds.err().map(Cause::Predicate)
                    }
                };
                let Some(cause) = cause else {
                    checked.passed += 1;
                    continue;
                };
                // The states are only read where something went wrong.
                let after = world.machine.snapshot();
                world.machine.restore(&start);
                let (instance, input) = capture(world, &self.specification, &arguments);
                world.machine.restore(&after);
                let ended = if matches!(ended, Ended::Stopped(_)) { ended } else { ended.clone() };
                let pair = read_back(world, &self.specification, &instance, &input, &ended);
                keep(&mut checked, settings.examples, cause, Example::new(0, pair, outcome, Vec::new()));
            }
            world.machine.restore(&start);
            Ok(true)
        })?;
        checked.sort();
        Ok((checked, candidates.tried))
    }
}
