//! Methods by which tests look at an object: calls with a result that they assert something of.
//!
//! What a call leaves behind may show only in what tests ask its result, its receiver or its arguments later, in any
//! test. So these questions are asked of the objects, with the arguments that the tests have.

use super::super::running_call::RunningCall;
use super::super::state::WatcherState;
use super::question::Question;
use super::rendering::rendered_outside;
use crate::branch::Restriction;
use crate::shape::Shape;
use cupping_machine::{Addr, CallEnd, ClassId, Kind, Machine, MethodId, Observer, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Limit on the questions to one object.
const MOST_QUESTIONS: usize = 12;

impl WatcherState {
    /// What tests would see of the objects of a call that has ended with this result; by object its class and the
    /// answers. Call this on a fork.
    pub(super) fn answers(
        &self,
        machine: &mut Machine,
        running: &RunningCall,
        result: Value,
        observer: &dyn Fn() -> Box<dyn Observer>,
    ) -> Vec<(String, Vec<String>)> {
        let arguments = running.tested.kinds.iter().copied().zip(running.arguments.iter().copied());
        let all = std::iter::once((machine.method(running.call.method).result, result)).chain(arguments);
        let objects: Vec<Addr> =
            all.filter(|it| it.0 == Kind::Reference && it.1.bits != 0).map(|it| it.1.as_ref()).collect();
        let mut shown = Vec::new();
        for object in objects {
            let class = machine.class_of(object);
            let questions = self.questions(machine, class);
            let answers = questions.iter().map(|it| self.answer(machine, object, it, observer)).collect();
            shown.push((machine.class_name_of(object).to_owned(), answers));
        }
        shown
    }

    fn answer(
        &self,
        machine: &mut Machine,
        object: Addr,
        question: &Question,
        observer: &dyn Fn() -> Box<dyn Observer>,
    ) -> String {
        let text = machine.aside(self.options.fuel, |machine| {
            // Changed methods that only the answer needs are suspects, too.
            machine.exchange_observer(Some(observer()));
            let mut arguments = vec![Value::reference(object)];
            for shape in &question.arguments {
                arguments.push(match shape {
                    Shape::Bits(_, bits) => Value::concrete(*bits),
                    Shape::Text(units) => Value::reference(machine.new_string(units).ok()?),
                    _ => Value::reference(0),
                });
            }
            let looks = machine.registers().entropy_reads;
            let ended = machine.ask(question.method, &arguments);
            machine.exchange_observer(None);
            let end = super::observation::end_of(machine, &ended)?;
            let kind = machine.method(question.method).result;
            let text = match ended {
                Ok(CallEnd::Returned(value)) => rendered_outside(machine, kind, value),
                _ => end,
            };
            // What depends on the time need not be the same twice.
            (machine.registers().entropy_reads == looks).then_some(text)
        });
        let name = machine.method(question.method).name.clone();
        format!("{name}() is {}", text.as_deref().unwrap_or("unknown"))
    }

    /// The questions to objects of a class: of each method one, then of each another one.
    fn questions(&self, machine: &mut Machine, class: ClassId) -> Rc<Vec<Question>> {
        if let Some(known) = self.versions.questions.borrow().get(&class) {
            return known.clone();
        }
        let mut by_method: BTreeMap<u32, Vec<Vec<Shape>>> = BTreeMap::new();
        for (at, branch) in self.branches.iter().enumerate() {
            let triple = self.triple(at);
            let is_sure = branch.origin.is_some() && branch.unsure.is_none() && branch.property.is_none();
            if !is_sure || !branch.uses_result || triple.is_new || triple.post.is_none() {
                continue;
            }
            let target = &triple.target;
            let Some(of) = machine.loaded(&target.class) else { continue };
            if !machine.is_subtype(class, of) {
                continue;
            }
            let Some(method) = machine.find_method(class, &target.name, &target.descriptor) else { continue };
            let loaded = machine.method(method);
            if loaded.is_static() || super::observation::is_hash_code(machine, method) {
                continue;
            }
            let given: Option<Vec<Shape>> = (1..=loaded.parameters.len())
                .map(|at| branch.restrictions.iter().find(|it| it.0 == at))
                .map(|it| match it? {
                    (_, Restriction::Shape(shape @ (Shape::Bits(..) | Shape::Text(_) | Shape::Null))) => {
                        Some(shape.clone())
                    }
                    _ => None,
                })
                .collect();
            let known = by_method.entry(method.0).or_default();
            if let Some(given) = given.filter(|it| !known.contains(it)) {
                known.push(given);
            }
        }
        let most = by_method.values().map(Vec::len).max().unwrap_or_default();
        let questions = (0..most).flat_map(|at| {
            let of_each = by_method.iter().filter_map(move |(method, all)| Some((*method, all.get(at)?)));
            of_each.map(|(method, given)| Question { method: MethodId(method), arguments: given.clone() })
        });
        let questions = Rc::new(questions.take(MOST_QUESTIONS).collect::<Vec<_>>());
        self.versions.questions.borrow_mut().insert(class, questions.clone());
        questions
    }
}
