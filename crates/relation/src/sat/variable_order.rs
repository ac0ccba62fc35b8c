//! Variable order: decides the variable most active in recent conflicts (VSIDS), the first among equals.

/// A heap of variables by activity.
#[derive(Default)]
pub(super) struct VariableOrder {
    heap: Vec<u32>,
    /// The position of each variable in the heap.
    place: Vec<u32>,
    activity: Vec<f64>,
    step: f64,
}

const OUT: u32 = u32::MAX;
const DECAY: f64 = 0.95;

impl VariableOrder {
    /// Adds the next variable.
    pub(super) fn add(&mut self, variable: u32) {
        if self.step == 0.0 {
            self.step = 1.0;
        }
        self.activity.push(0.0);
        self.place.push(OUT);
        self.put_back(variable);
    }

    fn before(&self, a: u32, b: u32) -> bool {
        let (x, y) = (self.activity[a as usize], self.activity[b as usize]);
        x > y || (x == y && a < b)
    }

    pub(super) fn put_back(&mut self, variable: u32) {
        if self.place[variable as usize] != OUT {
            return;
        }
        self.heap.push(variable);
        self.rise(self.heap.len() - 1);
    }

    pub(super) fn pop(&mut self) -> Option<u32> {
        let first = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.place[first as usize] = OUT;
        if !self.heap.is_empty() {
            self.heap[0] = last;
            self.place[last as usize] = 0;
            self.sink();
        }
        Some(first)
    }

    pub(super) fn bump(&mut self, variable: u32) {
        let Some(activity) = self.activity.get_mut(variable as usize) else { return };
        *activity += self.step;
        if *activity > 1e100 {
            self.activity.iter_mut().for_each(|it| *it *= 1e-100);
            self.step *= 1e-100;
        }
        let place = self.place[variable as usize];
        if place != OUT {
            self.rise(place as usize);
        }
    }

    pub(super) fn decay(&mut self) {
        self.step /= DECAY;
    }

    fn rise(&mut self, mut at: usize) {
        let variable = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            let above = self.heap[parent];
            if !self.before(variable, above) {
                break;
            }
            self.heap[at] = above;
            self.place[above as usize] = at as u32;
            at = parent;
        }
        self.heap[at] = variable;
        self.place[variable as usize] = at as u32;
    }

    fn sink(&mut self) {
        let mut at = 0;
        let variable = self.heap[0];
        loop {
            let left = 2 * at + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let child = if right < self.heap.len() && self.before(self.heap[right], self.heap[left]) {
                right
            } else {
                left
            };
            if !self.before(self.heap[child], variable) {
                break;
            }
            self.heap[at] = self.heap[child];
            self.place[self.heap[at] as usize] = at as u32;
            at = child;
        }
        self.heap[at] = variable;
        self.place[variable as usize] = at as u32;
    }
}
