//! Failed comparisons of texts while a sentence runs: the compared text is replaced by what it was compared
//! with.

use super::changes::{text_of, with_text};
use crate::plan::{Plan, PlanStep};
use crate::search::Search;
use cupping_machine::{Addr, CallEnd, ClassId, Machine, MethodId, Observer, Value, WatchScope, WatchedCall};
use std::cell::RefCell;
use std::rc::Rc;

/// Comparisons that one sentence shows, at most.
const MAX_COMPARISONS: usize = 64;
/// Limit on the keys of a map in which a look-up failed.
const MAX_KEYS: usize = 24;
/// Limit on the positions of one sentence at which a text is replaced.
const MAX_PLACES: usize = 3;
/// Limit on the length of a text that is compared.
const MAX_LENGTH: usize = 40;
/// The methods that compare texts.
const METHODS: [(&str, &str); 10] = [
    ("equals", "(Ljava/lang/Object;)Z"),
    ("equalsIgnoreCase", "(Ljava/lang/String;)Z"),
    ("startsWith", "(Ljava/lang/String;)Z"),
    ("startsWith", "(Ljava/lang/String;I)Z"),
    ("endsWith", "(Ljava/lang/String;)Z"),
    ("contains", "(Ljava/lang/CharSequence;)Z"),
    ("indexOf", "(Ljava/lang/String;)I"),
    ("compareTo", "(Ljava/lang/String;)I"),
    ("contentEquals", "(Ljava/lang/CharSequence;)Z"),
    ("compareToIgnoreCase", "(Ljava/lang/String;)I"),
];
/// The methods that perform all look-ups in hash maps and sets, and in those of `Set.of` and `Map.of`.
const LOOK_UPS: [(&str, &str, &str); 3] = [
    ("java/util/HashMap", "getNode", "(Ljava/lang/Object;)Ljava/util/HashMap$Node;"),
    ("java/util/ImmutableCollections$SetN", "probe", "(Ljava/lang/Object;)I"),
    ("java/util/ImmutableCollections$MapN", "probe", "(Ljava/lang/Object;)I"),
];

/// A text that was compared, and the text that it was compared with.
type Compared = (Vec<u16>, Vec<u16>);

/// Writes comparisons down.
struct Witness {
    /// The texts of the sentence. Only what is part of one of them can be replaced.
    texts: Vec<Vec<u16>>,
    seen: Rc<RefCell<Vec<Compared>>>,
    string: ClassId,
    look_ups: Vec<MethodId>,
}

impl Witness {
    fn text(&self, machine: &Machine, value: Option<&Value>) -> Option<Vec<u16>> {
        let object = value?.as_ref();
        if object == 0 || machine.class_of(object) != self.string {
            return None;
        }
        Some(machine.string_units(object)).filter(|text| text.len() <= MAX_LENGTH)
    }

    fn see(&self, have: &[u16], want: &[u16]) {
        if have == want || !self.texts.iter().any(|text| occurrences(have, text).next().is_some()) {
            return;
        }
        let mut seen = self.seen.borrow_mut();
        let pair = (have.to_vec(), want.to_vec());
        if seen.len() < MAX_COMPARISONS && !seen.contains(&pair) {
            seen.push(pair);
        }
    }
}

impl Observer for Witness {
    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
        let arguments = machine.arguments_of_call(call.method);
        let Some(other) = self.text(machine, arguments.get(1)) else { return false };
        if self.look_ups.contains(&call.method) {
            for key in keys(machine, arguments[0].as_ref()) {
                if let Some(key) = self.text(machine, Some(&key)) {
                    self.see(&other, &key);
                }
            }
            return false;
        }
        if let Some(own) = self.text(machine, arguments.first()) {
            self.see(&own, &other);
            self.see(&other, &own);
        }
        false
    }

    fn left(&mut self, _machine: &mut Machine, _call: WatchedCall, _how: CallEnd) {}
}

/// The keys of a hash map, or the elements of a table of keys or of keys and values.
fn keys(machine: &Machine, map: Addr) -> Vec<Value> {
    let field = |object: Addr, name: &str| {
        let mut class = Some(machine.class_of(object));
        while let Some(at) = class {
            let known = machine.class(at);
            if let Some(field) = known.fields.iter().find(|it| !it.is_static() && &*it.name == name) {
                return machine.field_ref(object, field.offset.into());
            }
            class = known.super_class;
        }
        0
    };
    let mut found = Vec::new();
    let (table, elements) = (field(map, "table"), field(map, "elements"));
    let is_open = elements != 0 || machine.class(machine.class_of(map)).name.ends_with("$MapN");
    if is_open {
        let table = if elements != 0 { elements } else { table };
        let all = (0..machine.array_length(table)).map(|at| machine.element_ref(table, at));
        return all.filter(|it| *it != 0).take(MAX_KEYS).map(Value::reference).collect();
    }
    if table == 0 {
        return found;
    }
    for at in 0..machine.array_length(table) {
        let mut node = machine.element_ref(table, at);
        while node != 0 && found.len() < MAX_KEYS {
            found.push(Value::reference(field(node, "key")));
            node = field(node, "next");
        }
    }
    found
}

impl Search<'_> {
    /// Runs a sentence and schedules variants in which texts that failed a comparison are replaced.
    pub(super) fn look_at_comparisons(&mut self, plan: &Rc<Plan>) {
        let Ok(string) = self.machine.load("java/lang/String") else { return };
        let mut look_ups = Vec::new();
        for (class, name, descriptor) in LOOK_UPS {
            let Ok(class) = self.machine.load(class) else { continue };
            look_ups.extend(self.machine.declared_method(class, name, descriptor));
        }
        let mut watched: Vec<MethodId> = METHODS
            .iter()
            .filter_map(|(name, descriptor)| self.machine.declared_method(string, name, descriptor))
            .collect();
        watched.extend(&look_ups);
        let seen = Rc::new(RefCell::new(Vec::new()));
        let texts = plan.steps.iter().skip(plan.setup).filter_map(|step| match step {
            PlanStep::Input { input, .. } => text_of(input),
            _ => None,
        });
        let witness = Witness { texts: texts.collect(), seen: seen.clone(), string, look_ups };
        self.machine.watch(WatchScope::default(), Some(Box::new(witness)));
        watched.iter().for_each(|method| self.machine.set_watched(*method, true));
        let run = self.run_sentence(plan);
        watched.iter().for_each(|method| self.machine.set_watched(*method, false));
        self.machine.watch(WatchScope::default(), None);
        if let (Some(run), Some(method)) = (run, plan.methods().last()) {
            self.texts.know_hits(*method, &run.hits);
        }
        let seen = seen.take();
        for (have, want) in seen {
            let mut places = 0;
            // The last call has mostly made the comparison.
            for (at, step) in plan.steps.iter().enumerate().skip(plan.setup).rev() {
                let PlanStep::Input { input, .. } = step else { continue };
                let Some(text) = text_of(input) else { continue };
                for place in occurrences(&have, &text) {
                    if places >= MAX_PLACES {
                        break;
                    }
                    places += 1;
                    let mut other = text.clone();
                    other.splice(place..place + have.len(), want.iter().copied());
                    self.texts.ask(replaced(plan, at, other), plan);
                }
            }
            if places > 0 {
                self.texts.words.add(want);
            }
        }
    }
}

/// The positions at which one text occurs in another.
fn occurrences<'a>(part: &'a [u16], text: &'a [u16]) -> impl Iterator<Item = usize> + 'a {
    let last = (text.len() + 1).saturating_sub(part.len().max(1));
    let is_empty = part.is_empty() && text.is_empty();
    let places = (0..last).filter(move |at| !part.is_empty() && text[*at..].starts_with(part));
    places.chain(is_empty.then_some(0))
}

/// A sentence with another text in one step.
fn replaced(plan: &Plan, step: usize, text: Vec<u16>) -> Plan {
    let mut plan = plan.clone();
    if let Some(PlanStep::Input { input, .. }) = plan.steps.get_mut(step) {
        *input = with_text(input, text);
    }
    plan
}

#[cfg(test)]
mod tests;
