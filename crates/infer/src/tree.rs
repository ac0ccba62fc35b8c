//! The tree of states (slide 32), drawn: each distinct state once, below the state from which it was first reached.

use crate::explore::Exploration;
use cupping_view::svg::{Branch, Drawing, tree};
use std::collections::BTreeMap;

/// States that are drawn.
pub const MOST: usize = 80;

/// The drawing.
pub fn drawing(explored: &Exploration) -> Drawing {
    // The first state of each number stands for it.
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, state) in explored.states.iter().enumerate() {
        first.entry(state.number).or_insert(at);
    }
    let shown: Vec<(u32, usize)> = first.into_iter().take(MOST).collect();
    let places: BTreeMap<u32, usize> =
        shown.iter().enumerate().map(|(place, (number, _))| (*number, place)).collect();
    let branches = shown.iter().map(|(number, at)| {
        let state = &explored.states[*at];
        let parent = state.parent.map(|it| explored.states[it as usize].number);
        let call = state.made.then.last().unwrap_or(&state.made.maker);
        Branch {
            parent: parent.filter(|it| it != number).and_then(|it| places.get(&it).copied()),
            mark: number.to_string(),
            text: call.to_string(),
        }
    });
    tree("States and the calls that lead to them", &branches.collect::<Vec<_>>())
}
