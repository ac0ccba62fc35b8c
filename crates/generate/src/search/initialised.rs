//! What the initialisers of the class under test, and of its nested classes, have run before all tests.
//!
//! A constant made by a constructor covers the constructor, and a builder that makes one covers its setters. No test
//! has to call them then, and none shows what they do. So such runs are no coverage of methods that tests can call.

use super::Search;
use cupping_machine::MethodId;

impl Search<'_> {
    /// Sets aside what the initialisers have run: tests start without hits, and goals in methods that tests can call
    /// are open again.
    pub(crate) fn set_aside_initialisation(&mut self) {
        self.machine.restore(&self.base);
        self.initialised = self.machine.registers().coverage.as_ref().clone();
        let mut others = self.initialised.clone();
        let subject = self.subject;
        for invokable in subject.under_test.iter().chain(&subject.makers) {
            for probe in self.probes_of(invokable.method) {
                if let Some(word) = others.get_mut(probe as usize / 64) {
                    *word &= !(1 << (probe % 64));
                }
            }
        }
        self.machine.set_coverage(Vec::new());
        self.base = self.machine.snapshot();
        self.covered_before = others.clone();
        self.hits = others;
        self.goals = self.map.covered(&self.hits);
        self.count_covered();
    }

    /// The numbers of the probes of a method.
    pub(super) fn probes_of(&self, method: MethodId) -> Vec<u32> {
        let method = self.machine.method(method);
        let class = self.map.class(&self.machine.class(method.class).name);
        let found = class.and_then(|(_, class)| class.method(method.index));
        found.map_or_else(Vec::new, |it| it.probes.iter().map(|probe| probe.number).collect())
    }

    /// What has been hit before all tests: by initialisers, all of it, and the part that counts as covered.
    pub(crate) fn hits_before_tests(&self) -> [&[u64]; 2] {
        [&self.initialised, &self.covered_before]
    }
}
