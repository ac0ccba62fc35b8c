//! Objects that the code under test passes to stubs, such as events: what they lead to, where a text does not show it.

use super::calls::Recorded;
use super::getter_chains::Link;
use super::observer::{Observer, known_var};
use cupping_case::{
    Assertion, CapturedArgument, Expectation, JavaType, Probe, VarId, parse_method_descriptor,
};
use cupping_machine::{Addr, Kind};

/// Limit on the calls of a stub whose objects are looked at.
const MAX_CALLS: usize = 3;
/// Limit on what is asked of the objects of one stub.
const MAX_ASKED: usize = 12;

impl Observer<'_> {
    /// What could be asserted about the objects that the invocation under test has passed to a stub. It is asserted
    /// where it shows a fault: most objects are no news.
    pub(super) fn captured(&mut self, recorded: &Recorded, known: &[(VarId, Addr)]) {
        let mut left = MAX_ASKED;
        for (argument, ty, object) in recorded.objects(self) {
            if let Some(same) = known_var(known, object) {
                let probe = Probe::Captured { argument, members: Vec::new() };
                self.unchanged.push(Assertion { probe, expectation: Expectation::Same(same) });
                continue;
            }
            let Some(declared) = self.class_of_type(&ty) else { continue };
            let dynamic = self.machine.class_of(object);
            let declared = self.as_cast(declared, dynamic);
            for link in self.links(declared, dynamic).into_iter().take(left) {
                left -= 1;
                let Some(end) = self.follow(object, std::slice::from_ref(&link), true) else { continue };
                let has_more_effects = end.has_more_effects(&self.effects);
                let Some(expectation) = end.shown.filter(|_| !has_more_effects) else { continue };
                let probe = Probe::Captured { argument: argument.clone(), members: link.members() };
                self.unchanged_hits.push((probe.clone(), end.hits));
                self.unchanged.push(Assertion { probe, expectation });
            }
        }
    }

    /// The same of those that are to be confirmed.
    pub(super) fn confirm_captured(
        &mut self,
        asked: &Assertion,
        recorded: &Recorded,
        known: &[(VarId, Addr)],
    ) {
        let Probe::Captured { argument, members } = &asked.probe else { return };
        if argument.stub != recorded.id {
            return;
        }
        let objects = recorded.all_objects(self);
        let Some((.., object)) = objects.into_iter().find(|(_, it, ..)| it == argument) else { return };
        let expectation = match members.is_empty() {
            true => known_var(known, object).map(Expectation::Same),
            false => {
                let way: Option<Vec<Link>> = members.iter().map(|it| self.link(it)).collect();
                way.and_then(|way| self.follow(object, &way, false)).and_then(|it| it.shown)
            }
        };
        if let Some(expectation) = expectation {
            self.unchanged.push(Assertion { probe: asked.probe.clone(), expectation });
        }
    }
}

impl Recorded {
    /// The objects of the first calls of the invocation under test, as far as no text shows them.
    fn objects(&self, observer: &Observer<'_>) -> Vec<(CapturedArgument, JavaType, Addr)> {
        let mut earlier: Vec<usize> = vec![0; self.stub.methods.len()];
        self.calls[..self.earlier].iter().for_each(|it| earlier[it.method] += 1);
        let is_new = |(method, it, ..): &(usize, CapturedArgument, JavaType, Addr)| {
            (earlier[*method]..earlier[*method] + MAX_CALLS).contains(&it.call)
        };
        let new = self.all_objects(observer).into_iter().filter(is_new);
        new.map(|(_, argument, ty, object)| (argument, ty, object)).collect()
    }

    /// The objects that have been passed to methods without a result, as far as no text shows them, with the indices of
    /// the methods.
    fn all_objects(&self, observer: &Observer<'_>) -> Vec<(usize, CapturedArgument, JavaType, Addr)> {
        let mut counts: Vec<usize> = vec![0; self.stub.methods.len()];
        let mut found = Vec::new();
        for call in &self.calls {
            let number = counts[call.method];
            counts[call.method] += 1;
            let descriptor = &self.stub.descriptors[call.method];
            let Some((types, _)) = parse_method_descriptor(descriptor) else { continue };
            if call.has_result {
                continue;
            }
            for (parameter, (ty, (kind, value))) in types.into_iter().zip(&call.arguments).enumerate() {
                let object = value.as_ref();
                if *kind != Kind::Reference || object == 0 || observer.text_of(&ty, *value).is_some() {
                    continue;
                }
                let argument = CapturedArgument {
                    stub: self.id,
                    method: Box::from(&*observer.machine.method(self.stub.methods[call.method].0).name),
                    descriptor: descriptor.clone(),
                    call: number,
                    parameter,
                };
                found.push((call.method, argument, ty, object));
            }
        }
        found
    }
}
