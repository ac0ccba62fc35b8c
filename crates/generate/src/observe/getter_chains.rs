//! State visible only in fields and behind getters (`order.getCustomer().name`), and the result of a final call
//! that changes the object (`stack.pop()`). Both are used only if simpler assertions show nothing.

use super::changes::has_changed;
use super::is_stub;
use super::observer::Observer;
use super::observers::{Candidate, Extent};
use crate::invokable::{is_nameable, kind_of};
use crate::plan::PlanStep;
use crate::realization::Realization;
use cupping_case::{Expectation, FieldRef, JavaType, Member, Operand, Probe, VarId};
use cupping_coverage::merge;
use cupping_machine::{Addr, ClassId, Kind, Snapshot, Value};
use std::collections::{BTreeSet, VecDeque};

/// Limit on the chains that assertions about one object use.
const MAX_SAID: usize = 2;
/// Limit on the chains that are followed from one object.
const MAX_FOLLOWED: usize = 40;
/// Members of a chain, at most.
const MAX_LENGTH: usize = 3;
/// Limit on the state-changing calls that are tried on one object.
const MAX_CLOSING: usize = 6;

/// A member of a chain.
#[derive(Clone)]
enum Link {
    /// A method without parameters.
    Getter(Candidate),
    /// A field, by its declaring class and its index there.
    Field(ClassId, usize, FieldRef),
}

/// The end of a chain.
struct End {
    /// The expectation about its value, if there is one.
    shown: Option<Expectation>,
    /// The object, with its class.
    object: Option<(Addr, ClassId)>,
    /// The probes that were hit on the way.
    hits: Vec<u64>,
    effects: cupping_case::Effects,
}

impl Observer<'_> {
    /// Assertions for a call that returned and has none yet: about deeper changes; if there are none, about the
    /// result of a final call on its receiver; if there is none either, about the state of the receiver.
    pub(super) fn further_changes(&mut self, realized: &Realization, ids: &[Option<VarId>]) {
        let Some(PlanStep::Call { invokable, arguments, result, .. }) = realized.plan.steps.last() else {
            return;
        };
        let Some(before) = realized.driver.before.as_deref() else { return };
        if !self.assertions.is_empty() {
            return;
        }
        let object = |var: usize| {
            let value = realized.driver.slots[var].value?;
            let ty = &realized.plan.variables[var].ty;
            let is_object = ty.is_reference() && value.as_ref() != 0 && !is_stub(&realized.plan, var);
            is_object.then_some((ids[var]?, ty.clone(), value.as_ref()))
        };
        let mut objects: Vec<(VarId, JavaType, Addr)> = Vec::new();
        for (id, ty, object) in arguments.iter().filter_map(|var| object(*var)) {
            if !objects.iter().any(|(known, ..)| *known == id) {
                objects.push((id, ty, object));
            }
        }
        for (id, ty, object) in &objects {
            self.further(*id, ty, *object, Extent::Changed(before));
        }
        if !self.assertions.is_empty() {
            return;
        }
        if let Some((id, ty, made)) = result.filter(|_| invokable.is_constructor()).and_then(object) {
            self.closing(id, &ty, made, Extent::All);
            return;
        }
        let receiver = objects.first().filter(|_| invokable.has_receiver());
        if let Some((id, ty, object)) = receiver {
            self.closing(*id, ty, *object, Extent::Changed(before));
            let is_shown = !self.assertions.is_empty() || !self.unchanged.is_empty();
            if !is_shown {
                self.further(*id, ty, *object, Extent::All);
            }
        }
    }

    /// Says what chains from an object lead to.
    pub(super) fn further(&mut self, id: VarId, declared: &JavaType, object: Addr, extent: Extent<'_>) {
        let Some((declared, dynamic)) = self.classes(declared, object) else { return };
        let (said, mut followed) = (self.assertions.len(), 0);
        let mut seen = BTreeSet::from([object]);
        let mut open = VecDeque::from([(Vec::new(), declared, dynamic)]);
        while let Some((way, declared, dynamic)) = open.pop_front() {
            for link in self.links(declared, dynamic) {
                if followed == MAX_FOLLOWED || self.assertions.len() == said + MAX_SAID {
                    return;
                }
                followed += 1;
                let mut way: Vec<Link> = way.clone();
                way.push(link);
                let Some(end) = self.follow(object, &way) else { continue };
                // A getter by itself has been asked already.
                let is_asked = matches!(way.as_slice(), [Link::Getter(_)]);
                match (end.shown, end.object) {
                    (Some(now), _) if !is_asked && self.is_worth_asserting(extent, object, &way, &now) => {
                        let members = way.iter().map(Link::member).collect();
                        self.say(Probe::Chain { of: Some(id), members }, now);
                        self.effects.extend(end.effects);
                        merge(&mut self.hits, &end.hits);
                    }
                    (None, Some((inner, class))) if way.len() < MAX_LENGTH && seen.insert(inner) => {
                        let declared = way.last().and_then(|it| self.class_of_type(&it.ty()));
                        open.extend(declared.map(|declared| (way, declared, class)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Whether to assert the end of a chain; for a changed object, only if it has changed.
    fn is_worth_asserting(
        &mut self,
        extent: Extent<'_>,
        object: Addr,
        way: &[Link],
        now: &Expectation,
    ) -> bool {
        let Extent::Changed(before) = extent else { return true };
        let was = self.at(before, |it| it.follow(object, way)).and_then(|it| it.shown);
        was.as_ref() != Some(now)
    }

    /// Does something in an earlier state.
    fn at<T>(&mut self, before: &Snapshot, what: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.machine.snapshot();
        self.machine.restore(before);
        let found = what(self);
        self.machine.restore(&here);
        found
    }

    /// Follows a chain on a fork of the state; `None` if it stops on the way or changes the object.
    fn follow(&mut self, object: Addr, way: &[Link]) -> Option<End> {
        let here = self.machine.snapshot();
        let reads = self.machine.registers().volatile_reads;
        let root = [(Kind::Reference, Value::reference(object))];
        let value = self.value_at(object, way);
        let is_changed = has_changed(self.machine, &root, &here);
        let effects = self.machine.effects();
        let reaches_out =
            effects.escapes(self.machine.test_folder()).into_iter().any(|it| !self.effects.contains(it));
        let hits = self.machine.registers().coverage.as_ref().clone();
        let is_good = self.is_stable(reads) && !is_changed && !reaches_out;
        let kind = way.last().map(|it| kind_of(&it.ty()));
        let end = value.zip(kind).filter(|_| is_good).map(|(value, kind)| match kind {
            Kind::Reference => {
                let inner = value.as_ref();
                let class = (inner != 0).then(|| (inner, self.machine.class_of(inner)));
                End { shown: self.shown(inner, object), object: class, hits, effects }
            }
            _ => End { shown: Some(primitive(kind, value)), object: None, hits, effects },
        });
        self.machine.restore(&here);
        end
    }

    fn value_at(&mut self, object: Addr, way: &[Link]) -> Option<Value> {
        let mut at = Value::reference(object);
        for link in way {
            let object = Some(at.as_ref()).filter(|it| *it != 0)?;
            at = match link {
                Link::Getter(getter) => self.call_observer(getter, object)?,
                Link::Field(class, index, _) => {
                    let offset = u32::from(self.machine.class(*class).fields[*index].offset);
                    Value::concrete(self.machine.field(object, offset))
                }
            };
        }
        Some(at)
    }

    /// The members that a chain can go on with.
    fn links(&mut self, declared: ClassId, dynamic: ClassId) -> Vec<Link> {
        if self.machine.class(declared).from_jdk {
            return self.contents_of(declared).map(Link::Getter).into_iter().collect();
        }
        let getters = self.observers(declared, dynamic).into_iter().filter(|it| it.argument.is_none());
        let mut links: Vec<Link> = getters.map(Link::Getter).collect();
        let mut at = Some(declared);
        while let Some(id) = at.filter(|id| !self.machine.class(*id).from_jdk) {
            let fields =
                (0..self.machine.class(id).fields.len()).filter_map(|at| self.field_ref(id, at, false));
            let fields: Vec<(usize, FieldRef)> = fields.collect();
            let is_usable = |field: &FieldRef, it: &mut Self| {
                !field.ty.is_reference() || it.class_of_type(&field.ty).is_some()
            };
            for (index, field) in fields {
                if is_usable(&field, self) {
                    links.push(Link::Field(id, index, field));
                }
            }
            at = self.machine.class(id).super_class;
        }
        links
    }

    /// A field that the test can read.
    pub(super) fn field_ref(
        &self,
        class: ClassId,
        index: usize,
        is_static: bool,
    ) -> Option<(usize, FieldRef)> {
        let owner = self.machine.class(class);
        let field = &owner.fields[index];
        let access = field.access;
        let is_open = access.is_public() || !access.is_private() && owner.package() == self.package;
        if !is_open || access.is_synthetic() || field.is_static() != is_static {
            return None;
        }
        let ty = JavaType::parse(&field.descriptor)?;
        let name = Box::from(&*field.name);
        Some((index, FieldRef { class: Box::from(&*owner.name), name, ty }))
    }

    /// The class of a type, if the test can name it.
    fn class_of_type(&mut self, ty: &JavaType) -> Option<ClassId> {
        let class = self.machine.load_descriptor(&ty.descriptor()).ok()?;
        is_nameable(self.machine, class, self.package).then_some(class)
    }

    /// The declared and the actual class of an object of the code under test.
    fn classes(&mut self, declared: &JavaType, object: Addr) -> Option<(ClassId, ClassId)> {
        let JavaType::Class(_) = declared else { return None };
        let declared = self.class_of_type(declared)?;
        let is_own = object != 0 && !self.machine.class(declared).from_jdk;
        is_own.then(|| (declared, self.machine.class_of(object)))
    }

    /// Asserts the result of one more call that changes an object. It is the last call of the test.
    pub(super) fn closing(&mut self, id: VarId, declared: &JavaType, object: Addr, extent: Extent<'_>) {
        let Some((declared, dynamic)) = self.classes(declared, object) else { return };
        for candidate in self.changing(declared, dynamic).into_iter().take(MAX_CLOSING) {
            let (hits, effects) = (self.hits.clone(), self.effects.clone());
            let Some(now) = self.call(&candidate, dynamic, object) else { continue };
            let is_said = match extent {
                Extent::Changed(before) => {
                    self.call_before(before, &candidate, dynamic, object).as_ref() != Some(&now)
                }
                Extent::All | Extent::Unlike(_) => true,
                Extent::None => false,
            };
            if is_said {
                let method = candidate.reference;
                self.say(Probe::Observer { receiver: id, method, arguments: Vec::<Operand>::new() }, now);
                return;
            }
            (self.hits, self.effects) = (hits, effects);
        }
    }
}

impl Link {
    fn ty(&self) -> JavaType {
        match self {
            Link::Getter(getter) => getter.result.clone(),
            Link::Field(.., field) => field.ty.clone(),
        }
    }

    fn member(&self) -> Member {
        match self {
            Link::Getter(getter) => {
                Member::Method { method: getter.reference.clone(), arguments: Vec::new() }
            }
            Link::Field(.., field) => Member::Field(field.clone()),
        }
    }
}

fn primitive(kind: Kind, value: Value) -> Expectation {
    Expectation::Equals(crate::input::primitive_literal(kind, kind.narrow(value.bits)))
}
