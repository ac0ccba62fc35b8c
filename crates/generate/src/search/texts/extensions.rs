//! Growth of sentences: words of the code are appended to a text, each of them once.
//!
//! A sentence that a parser refuses at its end is the beginning of one that it accepts (parser-directed fuzzing, Mathis
//! et al., PLDI 2019). A word that is accepted runs something new, or is refused at another place, so the longer
//! sentence is kept and grows in turn. Random changes rarely hit the one word of fifty that the parser waits for.

use super::changes::{append_word, text_of, with_text};
use crate::plan::{Plan, PlanStep};
use crate::search::Search;
use std::rc::Rc;

/// Words that are drawn for an extension; the most successful of them is taken.
const DRAWN: usize = 3;
impl Search<'_> {
    /// The next extension of a sentence, and that sentence.
    pub(super) fn extension(&mut self) -> Option<(Rc<Plan>, Rc<Plan>)> {
        loop {
            let sentences = self.texts.sentences.iter().enumerate();
            let growing = sentences.filter(|(_, it)| !it.growth.is_over);
            // The newest of those that have had the least.
            let (at, sentence) = growing.min_by_key(|(at, it)| (it.growth.turns(), usize::MAX - at))?;
            let plan = sentence.plan.clone();
            let Some(word) = self.untried_word(at) else {
                self.texts.sentences[at].growth.is_over = true;
                continue;
            };
            self.texts.sentences[at].growth.tried.insert(word.clone());
            let Some(longer) = extended(&plan, &word) else {
                self.texts.sentences[at].growth.is_over = true;
                continue;
            };
            self.texts.successes.current = Some(word);
            return Some((Rc::new(longer), plan));
        }
    }

    /// A word that has not been appended to this sentence: a successful one rather than others.
    fn untried_word(&mut self, sentence: usize) -> Option<Vec<u16>> {
        let tried = &self.texts.sentences[sentence].growth.tried;
        let words = self.texts.words.for_extensions();
        let untried: Vec<&Vec<u16>> = words.iter().filter(|it| !tried.contains(*it)).collect();
        let mut best: Option<Vec<u16>> = None;
        for _ in 0..DRAWN {
            let at = self.texts.random.below(untried.len());
            let word = untried.get(at)?;
            let successes = &self.texts.successes;
            if best.as_ref().is_none_or(|it| successes.of(it) < successes.of(word)) {
                best = Some((*word).clone());
            }
        }
        best
    }
}

/// A sentence with a word at the end of its last text.
fn extended(plan: &Plan, word: &[u16]) -> Option<Plan> {
    let mut plan = plan.clone();
    let setup = plan.setup;
    for step in plan.steps[setup..].iter_mut().rev() {
        let PlanStep::Input { input, .. } = step else { continue };
        if let Some(text) = text_of(input) {
            *input = with_text(input, append_word(text, word)?);
            return Some(plan);
        }
    }
    None
}
