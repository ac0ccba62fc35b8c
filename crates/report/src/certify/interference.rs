//! Interference: tests that fail because of what another test leaves behind, such as the settings of an object that a
//! static field holds. One test that changes shared state can make all others fail; it is the one to drop.

use super::attribution::TestId;
use super::worker::TestEnd;
use super::{CertifyError, Round, Stage};
use std::collections::BTreeMap;

/// Tests to drop, with the stage at which they failed and why.
type DroppedTests = BTreeMap<TestId, (Stage, String)>;

/// A test, and how many others fail if they run after it.
struct Disturber {
    test: TestId,
    disturbed: usize,
}

impl Round<'_> {
    /// The tests to drop for the sake of tests whose outcome depends on others. `orders` are the orders in which all
    /// tests ran, and how they ended. `None` if the JVM ended meanwhile.
    pub(super) fn tests_that_interfere(
        &mut self,
        unstable: DroppedTests,
        orders: &[(Vec<TestId>, BTreeMap<TestId, TestEnd>)],
    ) -> Result<Option<DroppedTests>, CertifyError> {
        let victims: Vec<TestId> = unstable.keys().copied().collect();
        for victim in victims.iter().copied() {
            let Some(before) = orders.iter().find_map(|(order, ends)| {
                let fails = ends
                    .get(&victim)
                    .is_some_and(|it| self.as_expected(victim, it.clone()) != TestEnd::Passed);
                let at = order.iter().position(|it| *it == victim)?;
                fails.then(|| order[..at].to_vec())
            }) else {
                continue;
            };
            let Some(found) = self.disturber(victim, before, &victims)? else { return Ok(None) };
            let Some(Disturber { test, disturbed }) = found else { continue };
            // Of two tests that do not get on with each other, the later one leaves.
            if disturbed <= 1 && victim > test {
                let detail = "it fails after another test, which changes what they share";
                return Ok(Some([(victim, (Stage::Interferes, detail.to_owned()))].into()));
            }
            let others = match disturbed {
                0 | 1 => "another test fails".to_owned(),
                several => format!("{several} other tests fail"),
            };
            let detail = format!("{others} after it, since it changes what they share");
            return Ok(Some([(test, (Stage::Interferes, detail))].into()));
        }
        // No single test is to blame: drop the last first, one by one if they are few.
        let leaving = if unstable.len() > 8 { unstable.len() / 2 } else { 1 };
        Ok(Some(unstable.into_iter().rev().take(leaving).collect()))
    }

    /// The test among those before a victim after which it fails, though it passes alone. The outer `None` if the JVM
    /// ended.
    fn disturber(
        &mut self,
        victim: TestId,
        before: Vec<TestId>,
        victims: &[TestId],
    ) -> Result<Option<Option<Disturber>>, CertifyError> {
        let mut suspects = before;
        match self.failing_after(&[], &[victim])? {
            None => return Ok(None),
            Some(0) => {}
            Some(_) => return Ok(Some(None)),
        }
        while suspects.len() > 1 {
            let right = suspects.split_off(suspects.len() / 2);
            match self.failing_after(&suspects, &[victim])? {
                None => return Ok(None),
                Some(0) => suspects = right,
                Some(_) => {}
            }
        }
        let &[test] = suspects.as_slice() else { return Ok(Some(None)) };
        match self.failing_after(&[test], &[victim])? {
            None => return Ok(None),
            Some(0) => return Ok(Some(None)),
            Some(_) => {}
        }
        let others: Vec<TestId> = victims.iter().copied().filter(|it| *it != test).collect();
        let disturbed = self.failing_after(&[test], &others)?;
        Ok(disturbed.map(|disturbed| Some(Disturber { test, disturbed })))
    }

    /// How many of `tests` fail if they run after `first`. `None` if the JVM ended.
    fn failing_after(&mut self, first: &[TestId], tests: &[TestId]) -> Result<Option<usize>, CertifyError> {
        let Some(ends) = self.run(&[first, tests].concat())? else { return Ok(None) };
        let fails =
            |id: &&TestId| ends.get(id).map(|it| self.as_expected(**id, it.clone())) != Some(TestEnd::Passed);
        Ok(Some(tests.iter().filter(fails).count()))
    }
}
