//! Texts with a grammar: sequences run with other texts, which grow by what they cover.
//!
//! An exploration of a parser asks for one character after the other. Soon no single character reaches anything
//! new; a whole sentence is needed. So texts are built from the words of the code under test and changed at
//! random, and those that run something new in the application are kept and changed further (coverage-guided
//! fuzzing with a dictionary, as by AFL; a text that fails a comparison is replaced by what it was compared
//! with, as in REDQUEEN by Aschermann et al., NDSS 2019). These runs have no symbols, so thousands of them cost
//! as much as a few paths. A text that covers something new under test becomes the start of an exploration.

mod changes;
mod comparisons;
mod extensions;
mod finds;
mod growth;
mod run;
mod runs;
mod shares;
mod words;

use super::Search;
use crate::driver::PlanDriver;
use crate::input::Input;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep};
use crate::random::Random;
pub(super) use changes::changed;
use changes::{is_text, text_in};
use cupping_classfile::ClassFile;
use cupping_classfile::reads::without_recording;
use cupping_coverage::CoverageMap;
use cupping_explore::CompletedPath;
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use growth::{Growth, Successes};
use run::Run;
use rustc_hash::{FxHashMap, FxHashSet};
use shares::Shares;
pub(super) use shares::Source;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
pub(super) use words::Words;

/// Trials in one turn.
const TRIALS: usize = 24;
/// Limits on the number of sequences, on those of one method, on those that run something new, and on the steps of
/// each.
const MAX_SENTENCES: usize = 400;
const MAX_SHAPES: usize = 4;
const MAX_NEW_SHAPES: usize = 24;
const MAX_STEPS: usize = 48;
/// Sentences drawn at random for the next change, and how many of them are considered.
const DRAWS: usize = 16;
const CONSIDERED: usize = 4;
/// Limit on the classes whose coverage leads on.
const MAX_CLASSES: usize = 48;
/// Limit on the texts that sentences take parts of.
const MAX_TEXTS: usize = 200;
/// Limit on the recorded ends by exceptions.
const MAX_ENDS: usize = 120;
/// The work of a run beside its fuel.
const WORK_OF_RUN: u64 = 40;

/// Turns of six: those of sentences that comparisons ask for, and then those of longer sentences; the others are for
/// random changes.
const TURNS: usize = 6;
const ASKED: usize = 2;
const GROWING: usize = 5;
/// Changes without any effect after which a sentence is given up.
const MAX_VAIN_CHANGES: u32 = 16;

/// Hits that were new, by the places of their words.
type Fresh = Vec<(usize, u64)>;

/// A sequence with fixed inputs, some of which are texts.
struct Sentence {
    plan: Rc<Plan>,
    /// Whether it comes from a path, and is no change of another sentence.
    is_noted: bool,
    /// What such a path runs that no other sentence of its method has run, until unnecessary calls are left out.
    fresh: Fresh,
    tries: u32,
    /// What a run of it shows, once it has been run.
    shows: Option<u64>,
    /// The number of its changes that showed nothing else; none once one did.
    vain_changes: Option<u32>,
    growth: Growth,
}

/// The texts of a search.
#[derive(Default)]
pub(super) struct Texts {
    words: Words,
    sentences: Vec<Sentence>,
    /// The calls of sequences from which sentences have been made.
    shapes: FxHashSet<Vec<MethodId>>,
    /// Probes that sentences have hit in the application, by the last method. What is known of a parser that is called
    /// alone is new where a method under test calls it.
    hits: FxHashMap<MethodId, Vec<u64>>,
    /// Probes under test hit by sentences that cannot become tests.
    refused: Vec<u64>,
    /// The sentence of which the one that is tried next is a change.
    changed: Option<Rc<Plan>>,
    /// The distinct exceptional ends of sentences.
    ends: FxHashSet<u64>,
    /// The texts of sentences.
    texts: Vec<Vec<u16>>,
    /// New sentences, with what they run that no other has run.
    noted: VecDeque<(Rc<Plan>, Fresh)>,
    /// Sentences that are tried next, and those of which they are changes.
    next: VecDeque<(Rc<Plan>, Rc<Plan>)>,
    /// Hashes of those that were ever to be tried next.
    asked: FxHashSet<u64>,
    /// Sentences whose comparisons have not been examined.
    unseen: VecDeque<Rc<Plan>>,
    is_ready: bool,
    /// The classes whose coverage leads on.
    wide: Option<CoverageMap>,
    /// Work spent on texts, and its part since something new was last run.
    pub(super) work: u64,
    vain: u64,
    shares: Shares,
    successes: Successes,
    /// Choices of words for extensions.
    random: Random,
}

impl Texts {
    fn hits_of(&self, method: MethodId) -> &[u64] {
        self.hits.get(&method).map_or(&[], Vec::as_slice)
    }

    fn know_hits(&mut self, method: MethodId, hits: &[u64]) {
        cupping_coverage::merge(self.hits.entry(method).or_default(), hits);
    }

    /// Schedules a sentence that a comparison asks for, unless another one has asked for it.
    fn ask(&mut self, plan: Plan, original: &Rc<Plan>) {
        let mut hasher = rustc_hash::FxHasher::default();
        plan.methods().hash(&mut hasher);
        plan.steps.iter().filter_map(text_in).for_each(|text| text.hash(&mut hasher));
        if self.asked.insert(hasher.finish()) {
            self.next.push_back((Rc::new(plan), original.clone()));
        }
    }

    fn has_any(&self) -> bool {
        !self.sentences.is_empty() || !self.noted.is_empty()
    }
}

/// The methods that invocations may run, and their classes: those of the first invocation first.
#[derive(Default)]
struct RunMethods {
    classes: Vec<ClassId>,
    methods: Vec<MethodId>,
    /// Those that have been added, in no order.
    added: FxHashSet<MethodId>,
}

impl RunMethods {
    /// Adds methods, and the initialisers of their classes, which fill tables.
    fn add(&mut self, machine: &Machine, methods: impl Iterator<Item = MethodId>) {
        for method in methods {
            let class = machine.method(method).class;
            if !self.classes.contains(&class) {
                if self.classes.len() >= MAX_CLASSES {
                    continue;
                }
                self.classes.push(class);
                let initialiser = machine.declared_method(class, "<clinit>", "()V");
                self.methods.extend(initialiser.filter(|it| self.added.insert(*it)));
            }
            if self.added.insert(method) {
                self.methods.push(method);
            }
        }
    }
}

impl Search<'_> {
    /// Tries some sentences.
    pub(super) fn vary_texts(&mut self) {
        let before = self.work;
        self.find_words();
        while let Some((plan, fresh)) = self.texts.noted.pop_front() {
            self.keep_sentence(plan, Some(fresh), Growth::new(true, false));
        }
        for _ in 0..TRIALS {
            if self.is_over() {
                break;
            }
            let Some(plan) = self.next_sentence() else { break };
            self.work += WORK_OF_RUN / 4;
            self.try_sentence(plan);
        }
        self.texts.work += self.work - before;
        self.texts.vain += self.work - before;
        self.enter_gains(Source::Texts);
    }

    /// Collects the words of the classes that invocations under test run, and starts to record their coverage.
    fn find_words(&mut self) {
        if std::mem::replace(&mut self.texts.is_ready, true) {
            return;
        }
        let subject = self.subject;
        let mut run = RunMethods::default();
        run.add(self.machine, self.machine.class(subject.class).methods.iter().copied());
        for invokable in subject.under_test.iter().chain(&subject.makers) {
            let effects = self.influence.effects(self.machine, invokable.class, invokable.method);
            run.add(self.machine, effects.runs.iter().copied());
        }
        let RunMethods { classes, methods, .. } = run;
        self.texts.words = Words::of(self.machine, &methods, self.options.seed);
        self.texts.random = Random::new(self.options.seed);
        self.work += 20 * classes.len() as u64;
        // Requirements are those of the class under test alone.
        let requirements = self.options.criteria.requirements();
        if !requirements.is_empty() {
            return;
        }
        let files = |search: &Self, class: ClassId| search.machine.class(class).file.clone();
        let mut wide = CoverageMap::asking(&requirements);
        let own: Vec<Arc<str>> = self.map.classes().iter().map(|it| it.name.clone()).collect();
        let own = own.iter().filter_map(|name| self.machine.loaded(name)).filter_map(|it| files(self, it));
        let others = classes.iter().filter_map(|it| files(self, *it));
        let all: Vec<Arc<ClassFile>> = own.chain(others).collect();
        // Only bodies that run matter, and the machine records them: others have probes that nothing hits.
        let is_measured = without_recording(|| all.iter().all(|file| wide.track(file).is_ok()));
        // Probes of the class under test keep their numbers.
        let same = self.map.classes().iter().zip(wide.classes());
        if is_measured && same.into_iter().all(|(one, other)| one.probes == other.probes) {
            self.machine.track(&wide);
            self.texts.wide = Some(wide);
        }
    }

    /// A sentence to try: one that a comparison asks for, or a changed one.
    fn next_sentence(&mut self) -> Option<Rc<Plan>> {
        if let Some(plan) = self.texts.unseen.pop_front() {
            self.look_at_comparisons(&plan);
        }
        // What comparisons ask for must not starve changes of what they have led to.
        let turn = self.texts.words.below(TURNS);
        let is_next = self.texts.sentences.is_empty() || turn < ASKED;
        if let Some((plan, original)) = if is_next { self.texts.next.pop_front() } else { None } {
            self.texts.changed = Some(original);
            return Some(plan);
        }
        if turn < GROWING
            && let Some((longer, original)) = self.extension()
        {
            self.texts.changed = Some(original);
            return Some(longer);
        }
        // Among a few random sentences under test that lead to something uncovered, the least tried one.
        let mut best: Option<usize> = None;
        let mut considered = 0;
        for _ in 0..DRAWS {
            let count = self.texts.sentences.len();
            if count == 0 {
                return None;
            }
            let newest = self.texts.words.below(count.min(8));
            let at =
                if self.texts.words.one_in(2) { count - 1 - newest } else { self.texts.words.below(count) };
            let tries = self.texts.sentences[at].tries;
            if !self.is_wanted(at) {
                continue;
            }
            if best.is_none_or(|best| self.texts.sentences[best].tries > tries) {
                best = Some(at);
            }
            considered += 1;
            if considered == CONSIDERED {
                break;
            }
        }
        let at = best?;
        self.texts.sentences[at].tries += 1;
        let plan = self.texts.sentences[at].plan.clone();
        self.texts.changed = Some(plan.clone());
        let Texts { texts, words, .. } = &mut self.texts;
        Some(Rc::new(changed(&plan, texts, words)))
    }

    fn is_wanted(&mut self, sentence: usize) -> bool {
        let plan = &self.texts.sentences[sentence].plan;
        let method = plan.under_test().map(|it| it.method);
        method.is_some_and(|method| self.is_relevant(method, 0)) || self.texts.words.one_in(8)
    }

    /// Runs a sentence, and keeps it if it runs something new.
    fn try_sentence(&mut self, plan: Rc<Plan>) {
        let original = self.texts.changed.take();
        let Some(run) = self.run_sentence(&plan) else { return };
        if let Some(original) = &original {
            self.note_effect(original, &run);
        }
        let is_find = run.is_complete && self.gains(&run.hits);
        let Some(method) = plan.methods().last().copied() else { return };
        let fresh = new_in(&run.hits, self.texts.hits_of(method));
        // A parser that fails at a new position has advanced further.
        let has_room = self.texts.ends.len() < MAX_ENDS;
        let end = run.end.filter(|end| has_room && self.texts.ends.insert(*end));
        let is_kept = !fresh.is_empty() || is_find || end.is_some();
        self.texts.successes.note(is_kept);
        if !is_kept {
            return;
        }
        let plan = self.shortened(plan, original.as_ref(), &fresh, end, is_find);
        self.texts.know_hits(method, &run.hits);
        self.texts.vain = 0;
        if is_find && !self.find_sentence(&plan) {
            cupping_coverage::merge(&mut self.texts.refused, &run.hits);
        }
        self.keep_sentence(plan, None, Growth::new(is_find, end.is_some()));
    }

    /// Notes whether a change of a sentence showed anything else. A sentence whose texts nobody looks at is given up.
    fn note_effect(&mut self, original: &Rc<Plan>, run: &Run) {
        let find = |texts: &Texts| texts.sentences.iter().position(|it| Rc::ptr_eq(&it.plan, original));
        let Some(at) = find(&self.texts) else { return };
        if self.texts.sentences[at].shows.is_none() {
            self.texts.sentences[at].shows = self.run_sentence(original).map(|run| run.shown());
        }
        let is_extension = self.texts.successes.is_extension();
        let sentence = &mut self.texts.sentences[at];
        if is_extension {
            sentence.growth.note(sentence.shows == Some(run.shown()));
        }
        if sentence.shows.is_some_and(|it| it != run.shown()) {
            sentence.vain_changes = None;
            // What only breaks an earlier call is no reason to look closer.
            if run.is_complete {
                let fresh = std::mem::take(&mut sentence.fresh);
                let shorter = self.without_idle_calls(original.clone(), &fresh);
                self.texts.sentences[at].plan = shorter;
            }
        } else if let Some(changes) = &mut sentence.vain_changes {
            *changes += 1;
            if *changes >= MAX_VAIN_CHANGES {
                self.texts.sentences.swap_remove(at);
            }
        }
    }

    /// The words of the classes that an invocation runs.
    pub(super) fn words_of(&mut self, invokable: &Invokable) -> Words {
        let effects = self.influence.effects(self.machine, invokable.class, invokable.method);
        let mut run = RunMethods::default();
        // Its class may keep what it calls: patterns, or lambda expressions of other methods.
        let near = self.machine.class(invokable.class).methods.iter().copied();
        let is_own = |it: &MethodId| !self.machine.class(self.machine.method(*it).class).from_jdk;
        run.add(self.machine, near.chain(effects.runs.iter().copied()).filter(is_own));
        self.work += 20 * run.classes.len() as u64;
        Words::of(self.machine, &run.methods, self.options.seed)
    }

    /// Records coverage again as before, after other classes were tracked.
    pub(super) fn track_again(&mut self) {
        self.machine.track(self.texts.wide.as_ref().unwrap_or(self.map));
    }

    /// Whether hits cover something under test that nothing else covers.
    fn gains(&self, hits: &[u64]) -> bool {
        let mut known = self.hits.clone();
        cupping_coverage::merge(&mut known, &self.texts.refused);
        self.map.gain_of_hits(hits, &known, &self.goals).total() > 0
    }

    fn keep_sentence(&mut self, plan: Rc<Plan>, fresh: Option<Fresh>, growth: Growth) {
        for text in plan.steps.iter().filter_map(text_in) {
            self.texts.words.prove(&text);
            if !self.texts.texts.contains(&text) {
                if self.texts.texts.len() >= MAX_TEXTS {
                    let at = self.texts.words.below(MAX_TEXTS);
                    self.texts.texts.swap_remove(at);
                }
                self.texts.texts.push(text);
            }
        }
        self.texts.unseen.push_back(plan.clone());
        if self.texts.sentences.len() >= MAX_SENTENCES {
            let at = self.texts.words.below(MAX_SENTENCES);
            self.texts.sentences.swap_remove(at);
        }
        let is_noted = fresh.is_some();
        let fresh = fresh.unwrap_or_default();
        self.texts.sentences.push(Sentence {
            plan,
            is_noted,
            fresh,
            tries: 0,
            shows: None,
            vain_changes: Some(0),
            growth,
        });
    }

    /// Turns a path of a method under test into a sentence, if it is the first one with these calls.
    pub(super) fn note_sentence(&mut self, done: &CompletedPath<PlanDriver>) {
        let whole = &done.driver.plan;
        if !self.is_for_texts() || whole.steps.len() > MAX_STEPS || whole.has_folder() {
            return;
        }
        let Some(fixed) = done.driver.fixed_plan(&done.model) else { return };
        // In a world, calls that concern other objects come before.
        let plan = if fixed.setup > 0 { fixed } else { fixed.leading_to(fixed.steps.len() - 1) };
        let holds_text = |step: &PlanStep| match step {
            PlanStep::Input { input, .. } => is_text(input) || is_free_text(input),
            _ => false,
        };
        if !plan.steps.iter().any(holds_text) {
            return;
        }
        let methods = plan.methods();
        let noted = self.texts.noted.iter().map(|(plan, _)| plan);
        let living = self.texts.sentences.iter().filter(|it| it.is_noted).map(|it| &it.plan);
        let alike = noted.chain(living).filter(|it| it.methods().last() == methods.last()).count();
        if alike >= MAX_NEW_SHAPES || self.texts.shapes.contains(&methods) {
            return;
        }
        // The first ones may have come before the calls that let the code look at the text.
        let hits = self.machine.hits_under(&done.model);
        let Some(method) = methods.last().copied() else { return };
        let fresh = new_in(&hits, self.texts.hits_of(method));
        if alike < MAX_SHAPES || !fresh.is_empty() {
            self.texts.shapes.insert(methods);
            self.texts.know_hits(method, &hits);
            self.texts.noted.push_back((Rc::new(plan), fresh));
        }
    }
}

/// Whether an input is text that can be chosen.
fn is_free_text(input: &Input) -> bool {
    matches!(input, Input::String { .. } | Input::Array { element: Kind::Char | Kind::Byte, .. })
}

/// The hits that are not known, by their places.
pub(super) fn new_in(hits: &[u64], known: &[u64]) -> Fresh {
    let fresh = |(at, word): (usize, &u64)| (at, word & !known.get(at).copied().unwrap_or(0));
    hits.iter().enumerate().map(fresh).filter(|(_, word)| *word != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hits_that_are_not_known_are_new() {
        assert_eq!(new_in(&[0b0110, 0, 0b1000], &[0b0010, 0b1111]), [(0, 0b0100), (2, 0b1000)]);
        assert!(new_in(&[0b0110], &[0b1110, 1]).is_empty());
        assert_eq!(new_in(&[0b1], &[]), [(0, 0b1)]);
    }

    #[test]
    fn symbolic_strings_and_arrays_of_characters_or_bytes_are_text_to_choose() {
        let array = |element| Input::Array { element, max: 6 };
        assert!(is_free_text(&Input::string(6)));
        assert!(is_free_text(&array(Kind::Char)) && is_free_text(&array(Kind::Byte)));
        assert!(!is_free_text(&array(Kind::Int)));
        assert!(!is_free_text(&Input::Text(vec![0x61])), "it is chosen already");
        assert!(!is_free_text(&Input::Primitive(Kind::Char)));
    }
}
