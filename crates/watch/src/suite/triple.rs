//! The triple of a call of a test with a condition after it.

use super::assertions::Condition;
use super::code::length_of;
use super::continuation::Region;
use super::origin::{TripleClaim, origin};
use super::slots::bindings;
use super::triple_builder::{Subject, TripleBuilder};
use crate::binding::Binding;
use crate::branch::Branch;
use crate::dependence::{UnchangedMemory, reached};
use crate::method_names::named;
use cupping_contract::{CompiledTriple, Method, Span};
use cupping_machine::{Kind, Machine, Value};
use std::sync::Arc;

impl TripleBuilder {
    /// Adds the triple of a call with one of the conditions after it.
    pub(super) fn triple(
        &mut self,
        machine: &mut Machine,
        subject: &Subject<'_>,
        condition: Option<&Condition>,
        initial: &UnchangedMemory,
    ) {
        let Subject { recording, observed, source, .. } = subject;
        let predicate = condition.and_then(|it| Some(&recording.predicates[it.predicate?]));
        if predicate.is_some_and(|it| !self.is_general(machine, subject, &it.arguments)) {
            return;
        }
        let wider = match condition {
            Some(condition) => match self.wider(machine, subject, condition.reads, initial) {
                Some(wider) => Some(wider),
                None => return,
            },
            None => None,
        };
        let bindings = match (condition, &wider) {
            (Some(condition), Some(wider)) => bindings(machine, subject, condition, wider),
            _ => Vec::new(),
        };
        let property = predicate.map(|it| {
            let Method { class, name, .. } = named(machine, it.method);
            (format!("{class}.{name}"), it.holds)
        });
        let Some(triple) = self.compiled(machine, subject, condition, &bindings, property.as_ref()) else {
            return;
        };
        let says = match (condition, &subject.thrown, &property) {
            (_, Some(thrown), _) => TripleClaim::Throws(thrown),
            (Some(_), None, Some((name, _))) => {
                TripleClaim::Predicate(name.rsplit('.').next().unwrap_or(name))
            }
            (Some(_), None, None) => TripleClaim::Assertions,
            (None, None, _) => TripleClaim::Returns,
        };
        let loaded = machine.method(observed.call.method);
        let next = observed.pc + length_of(&source.code, observed.pc);
        let next = source.code.bytecode.get(next as usize).copied().unwrap_or(0);
        let uses_result = match predicate {
            Some(predicate) => {
                predicate.arguments.iter().any(|(_, value)| Some(value.as_ref()) == subject.result)
            }
            // `pop` and `pop2`: the test ignores the result.
            None => loaded.result != Kind::Void && !observed.is_by_reference && !matches!(next, 0x57 | 0x58),
        };
        let unsure = match condition {
            Some(condition) => recording.unsure_in(observed.reads.0, condition.reads),
            None => subject.unsure,
        };
        let branch = Branch {
            case: source.case,
            triple,
            bindings,
            restrictions: subject.restrictions.clone(),
            assumed: Vec::new(),
            is_always: false,
            path: subject.path.clone(),
            is_pathless: false,
            kinds: subject.kinds.clone(),
            classes: observed.classes.iter().map(|it| machine.class(*it).name.replace('/', ".")).collect(),
            origin: Some(origin(machine, observed, &source.code, &says)),
            dependence: Some(Arc::new(subject.call.dependence.clone())),
            wider: wider.map(|it| Arc::new(it.dependence)),
            unsure,
            uses_result,
            property,
            is_long: condition.is_some_and(|it| it.is_long),
        };
        self.add(branch, subject, condition.is_some() || subject.thrown.is_some());
    }

    /// Repetitions of a call in a loop form one triple.
    fn add(&mut self, branch: Branch, subject: &Subject<'_>, says_something: bool) {
        let known = self.by_triple.entry((branch.case, branch.triple)).or_default();
        let is_same = |it: &Branch| {
            it.restrictions == branch.restrictions
                && it.bindings == branch.bindings
                && it.dependence == branch.dependence
                && it.wider == branch.wider
        };
        match known.iter().find(|at| is_same(&self.branches[**at])) {
            Some(at) => self.branches[*at].path.merge(&branch.path),
            None => {
                known.push(self.branches.len());
                let taken = self.taken.entry(subject.target.clone()).or_default();
                *(if says_something { &mut taken.0 } else { &mut taken.1 }) += 1;
                self.branches.push(branch);
            }
        }
    }

    /// Whether a predicate concerns only the call's operands: its arguments, its result, and the objects reachable
    /// from these. The memory is that before the call, before and after.
    fn is_general(&self, machine: &mut Machine, subject: &Subject<'_>, arguments: &[(Kind, Value)]) -> bool {
        let Subject { observed, result, .. } = subject;
        let Some(after) = &observed.after else { return false };
        machine.restore_memory(after);
        let roots =
            subject.kinds.iter().zip(&observed.arguments).filter(|(kind, _)| **kind == Kind::Reference);
        let roots = roots.map(|(_, value)| value.as_ref()).chain(*result);
        let reached = reached(machine, roots).unwrap_or_default();
        let is_about = |(kind, value): &(Kind, Value)| {
            let object = value.as_ref();
            *kind == Kind::Reference
                && object != 0
                && (Some(object) == *result
                    || reached.contains(&object) && machine.class_name_of(object) != "java/lang/String")
        };
        let is_general = !arguments.is_empty() && arguments.iter().all(is_about);
        machine.restore_memory(&observed.before);
        is_general
    }

    /// The number of the triple of a call with this condition, made if it is new.
    fn compiled(
        &mut self,
        machine: &Machine,
        subject: &Subject<'_>,
        condition: Option<&Condition>,
        bindings: &[Binding],
        property: Option<&(String, bool)>,
    ) -> Option<usize> {
        let Subject { observed, source, target, thrown, is_new, .. } = subject;
        let loaded = machine.method(observed.call.method);
        let until = condition.and_then(|it| it.until);
        let predicate = property.map(|it| it.0.clone());
        let caller = named(machine, observed.caller);
        let key = (target.clone(), caller, observed.pc, until, thrown.clone(), predicate);
        let known = self.triples.get(&key).copied();
        let case = &mut self.cases[source.case];
        // The same position without assertions, as at the end of a loop, forms a triple of its own.
        if let Some(triple) = known.filter(|it| case.triples[*it].post.is_some() == condition.is_some()) {
            return Some(triple);
        }
        let place = case.triples.len();
        let made = &mut self.made[source.made].1;
        let mut post = None;
        if let Some(condition) = condition {
            let name = format!("p{}_{place}", source.case);
            let result = match (is_new, loaded.result) {
                (true, _) => Some(("Ljava/lang/Object;".to_owned(), false)),
                (false, Kind::Void) => None,
                _ => Some((target.descriptor.rsplit(')').next().unwrap_or("V").to_owned(), true)),
            };
            let region = Region {
                file: &source.file,
                code: &source.code,
                returns: &source.returns,
                slots: (observed.locals, observed.slots.len().saturating_sub(observed.locals)),
                result: result.as_ref().map(|(it, is_put)| (it.as_str(), *is_put)),
                from: observed.pc + length_of(&source.code, observed.pc),
                until,
                without: &condition.without,
            };
            post = made.region(&name, &region).then_some(name);
            // A predicate without its condition says nothing.
            if post.is_none() && property.is_some() {
                return None;
            }
        }
        let throws = thrown.as_ref().map(|class| {
            let name = format!("x{}_{place}", source.case);
            made.instance_of(&name, class);
            name
        });
        let is_found = |it: &Binding| matches!(it, Binding::Argument(_) | Binding::Constant(_));
        let needed = bindings.iter().enumerate().filter(|(_, it)| !is_found(it)).map(|(at, _)| at).collect();
        case.triples.push(CompiledTriple {
            span: Span { start: 0, end: 0 },
            seen: bindings.len(),
            target: target.clone(),
            receiver: None,
            arguments: vec![None; loaded.parameters.len()],
            is_new: *is_new,
            pre_span: Span { start: 0, end: 0 },
            pre: String::new(),
            pre_nested: Vec::new(),
            pre_names: Vec::new(),
            pre_is_true: true,
            run: String::new(),
            throws,
            post,
            post_nested: Vec::new(),
            post_names: needed,
            old: Vec::new(),
            modifies: Vec::new(),
        });
        self.triples.insert(key, place);
        Some(place)
    }
}
