//! State visible only in fields and behind getters (`order.getCustomer().name`), and the result of a final call
//! that changes the object (`stack.pop()`). Both are used only if simpler assertions show nothing; chains also if they
//! show a fault that nothing else does ([`mod@super::spare`]).

use super::changes::has_changed;
use super::is_stub;
use super::observer::{Observer, Volatility};
use super::observers::{Candidate, Extent, tells_contents};
use super::texts::is_text_of_jdk;
use crate::invokable::{is_nameable, kind_of};
use crate::plan::PlanStep;
use crate::realization::Realization;
use cupping_case::{
    Assertion, Expectation, FieldRef, JavaType, Member, MethodRef, Operand, Probe, VarId,
    parse_method_descriptor,
};
use cupping_coverage::merge;
use cupping_machine::{Addr, ClassId, ClassKind, Kind, Snapshot, Value};
use std::collections::{BTreeSet, VecDeque};

/// Limit on the chains that assertions about one object use.
const MAX_SAID: usize = 2;
/// Limits on the chains that are followed from one object: for assertions that are made, and for those that may be.
const MAX_FOLLOWED: usize = 40;
pub(super) const MAX_TRIED: usize = 100;
/// Members of a chain, at most, without those that only choose an element.
const MAX_LENGTH: usize = 3;
/// Limit on the state-changing calls that are tried on one object.
const MAX_CLOSING: usize = 6;

/// A member of a chain.
#[derive(Clone)]
pub(super) enum Link {
    /// A method without parameters.
    Getter(Candidate),
    /// A field, by its declaring class and its index there.
    Field(ClassId, usize, FieldRef),
    /// An element of a collection, by the calls that lead to it.
    Element(Vec<Candidate>),
}

/// The end of a chain.
pub(super) struct End {
    /// The expectation about its value, if there is one.
    pub(super) shown: Option<Expectation>,
    /// The object, with its class.
    pub(super) object: Option<(Addr, ClassId)>,
    /// The probes that were hit on the way.
    pub(super) hits: Vec<u64>,
    pub(super) effects: cupping_case::Effects,
    /// Whether it depends on a value that differs from run to run.
    pub(super) is_volatile: bool,
}

impl End {
    /// Whether the way there has effects that are not among these.
    pub(super) fn has_more_effects(&self, than: &cupping_case::Effects) -> bool {
        self.effects.iter().any(|effect| !than.contains(effect))
    }
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

    /// Says what chains from an object lead to. In a run that confirms assertions, [`Self::asked_chains`] follows
    /// those that were said, and no others.
    pub(super) fn further(&mut self, id: VarId, declared: &JavaType, object: Addr, extent: Extent<'_>) {
        if self.is_confirming() {
            return;
        }
        let Some((declared, dynamic)) = self.classes(declared, object) else { return };
        let mut said = 0;
        self.chains(object, (declared, dynamic), MAX_FOLLOWED, |it, way, now, end| {
            if it.is_worth_asserting(extent, object, way, &now) {
                it.say(chain(id, way), now);
                it.is_volatile |= end.is_volatile;
                it.effects.extend(end.effects);
                merge(&mut it.hits, &end.hits);
                said += 1;
            }
            said < MAX_SAID
        });
    }

    /// Follows chains from an object, short ones first, while the visitor of their ends wants more.
    pub(super) fn chains(
        &mut self,
        object: Addr,
        (declared, dynamic): (ClassId, ClassId),
        most: usize,
        mut visit: impl FnMut(&mut Self, &[Link], Expectation, End) -> bool,
    ) {
        let mut followed = 0;
        let mut seen = BTreeSet::from([object]);
        let mut open = VecDeque::from([(Vec::new(), declared, dynamic)]);
        while let Some((way, declared, dynamic)) = open.pop_front() {
            let is_from_jdk = self.machine.class(declared).from_jdk;
            let mut is_told = false;
            for link in self.links(declared, dynamic) {
                // The text and the size of a collection repeat its contents.
                if is_told && matches!(link, Link::Getter(_)) {
                    continue;
                }
                if followed == most {
                    return;
                }
                followed += 1;
                let mut way: Vec<Link> = way.clone();
                way.push(link);
                let Some(mut end) = self.follow(object, &way, true) else { continue };
                // A getter by itself has been asked already.
                let is_asked = !is_from_jdk && matches!(way.as_slice(), [Link::Getter(_)]);
                match (end.shown.take(), end.object) {
                    (Some(now), _) if !is_asked => {
                        is_told = is_from_jdk && !end.is_volatile;
                        if !visit(self, &way, now, end) {
                            return;
                        }
                    }
                    (None, Some((inner, class)))
                        if length(&way) < MAX_LENGTH && !self.is_array(class) && seen.insert(inner) =>
                    {
                        let declared = way.last().and_then(|it| self.class_of_type(&it.ty()));
                        let declared = declared.map(|it| self.as_cast(it, class));
                        open.extend(declared.map(|declared| (way, declared, class)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// The class by which a test can use an object of this declared class: if it is declared as any object, as elements
    /// of collections are, its own.
    pub(super) fn as_cast(&mut self, declared: ClassId, dynamic: ClassId) -> ClassId {
        let is_any = &*self.machine.class(declared).name == "java/lang/Object";
        let is_own = is_any && !self.machine.class(dynamic).from_jdk;
        if is_own && is_nameable(self.machine, dynamic, self.package) { dynamic } else { declared }
    }

    fn is_array(&self, class: ClassId) -> bool {
        matches!(self.machine.class(class).kind, ClassKind::Array { .. })
    }

    /// Follows the chains that are to be confirmed.
    pub(super) fn asked_chains(&mut self, realized: &Realization, ids: &[Option<VarId>]) {
        let Volatility::Confirmed(asked) = self.volatility else { return };
        for asked in asked.into_iter().flatten() {
            if let Some(expectation) = self.end_of(&asked.probe, realized, ids) {
                self.unchanged.push(Assertion { probe: asked.probe.clone(), expectation });
            }
        }
    }

    /// What the chain of a probe leads to in this run; `None` if the probe is no chain from an object.
    pub(super) fn end_of(
        &mut self,
        probe: &Probe,
        realized: &Realization,
        ids: &[Option<VarId>],
    ) -> Option<Expectation> {
        let Probe::Chain { of: Some(id), members } = probe else { return None };
        let var = ids.iter().position(|it| it == &Some(*id))?;
        let object = realized.driver.slots[var].value?.as_ref();
        let way: Option<Vec<Link>> = members.iter().map(|it| self.link(it)).collect();
        self.follow(object, &way?, false)?.shown
    }

    /// The member of a chain that a test already has.
    pub(super) fn link(&mut self, member: &Member) -> Option<Link> {
        match member {
            Member::Method { method: reference, arguments } => {
                let class = self.machine.load(&reference.class).ok()?;
                let method = self.machine.find_method(class, &reference.name, &reference.descriptor)?;
                let (_, result) = parse_method_descriptor(&reference.descriptor)?;
                let argument = arguments.first().map(|it| (it.clone(), None));
                let getter = Candidate::getter(method, reference.clone(), result);
                Some(Link::Getter(Candidate { argument, ..getter }))
            }
            Member::Field(field) => {
                let class = self.machine.load(&field.class).ok()?;
                let is_it = |it: &cupping_machine::Field| *it.name == *field.name && !it.is_static();
                let index = self.machine.class(class).fields.iter().position(is_it)?;
                Some(Link::Field(class, index, field.clone()))
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
        let was = self.at(before, |it| it.follow(object, way, false)).and_then(|it| it.shown);
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

    /// Follows a chain on a fork of the state; `None` if it stops on the way. A new chain must not change the object.
    pub(super) fn follow(&mut self, object: Addr, way: &[Link], is_new: bool) -> Option<End> {
        let here = self.machine.snapshot();
        let reads = self.machine.registers().volatile_reads;
        // Only a chain that is said makes the test one that differs from run to run.
        let was_volatile = self.is_volatile;
        let value = self.value_at(object, way);
        let is_as_before = !is_new || self.is_harmless(object, way, &here);
        let effects = self.machine.effects_beside_hooks(&self.hooks);
        let reaches_out = !self.is_confirming()
            && effects.escapes(self.machine.test_folder()).into_iter().any(|it| !self.effects.contains(it));
        let hits = self.machine.registers().coverage.as_ref().clone();
        let is_volatile = self.machine.registers().volatile_reads > reads;
        let is_good = self.is_stable(reads) && is_as_before && !reaches_out;
        let kind = way.last().map(|it| kind_of(&it.ty()));
        let end = value.zip(kind).filter(|_| is_good).map(|(value, kind)| match kind {
            Kind::Reference => {
                let inner = value.as_ref();
                let class = (inner != 0).then(|| (inner, self.machine.class_of(inner)));
                End { shown: self.shown(inner, object), object: class, hits, effects, is_volatile }
            }
            _ => End { shown: Some(primitive(kind, value)), object: None, hits, effects, is_volatile },
        });
        self.is_volatile = was_volatile;
        self.machine.restore(&here);
        end
    }

    /// Whether a chain that has just been followed leaves an object as it was. Collections and maps keep the views that
    /// their text and their elements are read through: what is kept once does not change when the chain is followed
    /// again.
    fn is_harmless(&mut self, object: Addr, way: &[Link], before: &Snapshot) -> bool {
        let tells = |it: &MethodRef| tells_contents(it) || is_text_of_jdk(it);
        if way.last().is_some_and(|it| matches!(it, Link::Getter(it) if tells(&it.reference))) {
            return true;
        }
        let root = [(Kind::Reference, Value::reference(object))];
        if !has_changed(self.machine, &root, before) {
            return true;
        }
        let has_element = way.iter().any(|it| matches!(it, Link::Element(_)));
        let once = self.machine.snapshot();
        has_element && self.value_at(object, way).is_some() && !has_changed(self.machine, &root, &once)
    }

    fn value_at(&mut self, object: Addr, way: &[Link]) -> Option<Value> {
        let mut at = Value::reference(object);
        for link in way {
            let object = Some(at.as_ref()).filter(|it| *it != 0)?;
            at = match link {
                Link::Getter(getter) => self.call_observer(getter, object)?,
                Link::Element(calls) => {
                    let first = Value::reference(object);
                    calls.iter().try_fold(first, |at, call| self.call_observer(call, at.as_ref()))?
                }
                Link::Field(class, index, _) => {
                    if !self.machine.is_subtype(self.machine.class_of(object), *class) {
                        return None;
                    }
                    let offset = u32::from(self.machine.class(*class).fields[*index].offset);
                    Value::concrete(self.machine.field(object, offset))
                }
            };
        }
        Some(at)
    }

    /// The members that a chain can go on with.
    pub(super) fn links(&mut self, declared: ClassId, dynamic: ClassId) -> Vec<Link> {
        if self.machine.class(declared).from_jdk {
            let contents = self.contents_of(declared).into_iter();
            let texts = contents.chain(self.texts_of(declared)).map(Link::Getter);
            let texts: Vec<Link> = texts.collect();
            return texts
                .into_iter()
                .chain(self.elements_of(declared).into_iter().map(Link::Element))
                .collect();
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
    pub(super) fn class_of_type(&mut self, ty: &JavaType) -> Option<ClassId> {
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
            Link::Element(_) => JavaType::class("java/lang/Object"),
        }
    }

    pub(super) fn members(&self) -> Vec<Member> {
        let call = |it: &Candidate| {
            let arguments = it.argument.iter().map(|(operand, _)| operand.clone()).collect();
            Member::Method { method: it.reference.clone(), arguments }
        };
        match self {
            Link::Getter(getter) => vec![call(getter)],
            Link::Field(.., field) => vec![Member::Field(field.clone())],
            Link::Element(calls) => calls.iter().map(call).collect(),
        }
    }
}

/// The probe of a chain from a variable.
pub(super) fn chain(id: VarId, way: &[Link]) -> Probe {
    Probe::Chain { of: Some(id), members: way.iter().flat_map(Link::members).collect() }
}

/// The members of a way, without those that only choose an element.
fn length(way: &[Link]) -> usize {
    way.iter().filter(|it| !matches!(it, Link::Element(_))).count()
}

fn primitive(kind: Kind, value: Value) -> Expectation {
    Expectation::Equals(crate::input::primitive_literal(kind, kind.narrow(value.bits)))
}
