//! Runs the user's own JUnit tests on the machine to find the pairs that they exercise.

use super::arguments::Arguments;
use crate::frame::Share;
use crate::process::console;
use crate::shared::suite::{Junit, Suite};
use cupping_classfile::Program;
use cupping_coverage::CoverageMap;
use cupping_dataflow::{NamedSite, WatchedMethod, named, open, statically};
use cupping_generate::Session;
use cupping_machine::{RunLimits, WorldOptions};
use std::sync::Arc;
use std::time::Duration;

/// Runs the suites while recording the accesses of these classes; returns the definitions and uses that they
/// exercise.
///
/// # Errors
///
/// A suite or JUnit is missing, or the run was stopped; the text says what to do.
pub fn record(
    args: &Arguments,
    program: &Arc<Program>,
    classes: &[&str],
) -> Result<Vec<(NamedSite, NamedSite)>, String> {
    let mut session = Session::new(Arc::clone(program)).map_err(|error| error.to_string())?;
    let mut map = CoverageMap::new();
    let mut watched: Vec<WatchedMethod> = Vec::new();
    let options = args.options(&Arc::default(), Share { budget: Duration::ZERO, clock: None });
    for class in classes {
        // A class that cannot be analysed is reported later, by its own analysis.
        let Ok(mut bench) = open(&mut session, class, &options) else { continue };
        let analysis = statically(&mut bench, &options);
        for of in &analysis.flat.hierarchy {
            if let Some(file) = &bench.machine().class(*of).file
                && !map.classes().iter().any(|known| known.name == file.name)
            {
                map.track(file).map_err(|error| error.to_string())?;
            }
        }
        watched.extend(analysis.watched);
    }
    let junit = Junit::prepare(&args.emission.jars, &args.suite.suite, program)?;
    let mut recorded = Vec::new();
    for name in &args.suite.suite {
        let suite = Suite::open(name, &junit, program, &args.suite_tests)?;
        let mut machine = suite.boot(RunLimits::default(), WorldOptions::default())?;
        machine.track(&map);
        for WatchedMethod { class, method, accesses } in &watched {
            machine.watch_contents(class, *method, accesses.clone());
        }
        suite.run(&mut machine)?.iter().for_each(|note| console::error(note));
        recorded.extend(named(&machine, &machine.registers().pairs));
    }
    Ok(recorded)
}
