//! Measures certification of a small test class, from the start of the JVM to the verdict.
//!
//! `cargo run --release -p cupping-report --example certify_time JDK_HOME`

use cupping_case::{Action, Case, Literal, MethodRef, Operand, Outcome, Step, Suite, VarId};
use cupping_case::{Assertion, Expectation, JavaType, Probe, Variable};
use cupping_report::certify::{Certifier, CertifierOptions};
use cupping_report::facts::NoFacts;
use cupping_report::junit::{Framework, test_classes};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let home = std::env::args().nth(1).unwrap_or("/usr/lib/jvm/java-17-openjdk-amd64".into());
    for version in [Framework::Junit5, Framework::Junit4] {
        for waited in [0, 0, 0, 200, 400] {
            let begin = Instant::now();
            let mut certifier = match Certifier::start(CertifierOptions::new(Path::new(&home), version)) {
                Ok(certifier) => certifier,
                Err(error) => return eprintln!("{error}"),
            };
            std::thread::sleep(Duration::from_millis(waited));
            let asked = Instant::now();
            let verdict = certifier.certify(test_classes(&suite(), version, &NoFacts));
            let kept = verdict.map(|it| it.classes.iter().map(|class| class.methods.len()).sum::<usize>());
            println!(
                "{version:?}: {:?} from start, {:?} from the request, kept {kept:?}",
                begin.elapsed(),
                asked.elapsed()
            );
        }
    }
}

/// Twelve tests of `Math.floorMod`.
fn suite() -> Suite {
    let method = MethodRef {
        class: "java/lang/Math".into(),
        name: "floorMod".into(),
        descriptor: "(II)I".into(),
        varargs: false,
        throws: vec![],
        parameter_names: vec![],
    };
    let case = |value: i32| Case {
        under_test: method.clone(),
        variables: vec![Variable { ty: JavaType::Int }],
        steps: vec![Step {
            action: Action::InvokeStatic {
                method: method.clone(),
                args: vec![Operand::Literal(Literal::Int(value)), Operand::Literal(Literal::Int(5))],
            },
            result: Some(VarId(0)),
        }],
        outcome: Outcome::Returned,
        assertions: vec![Assertion {
            probe: Probe::Var(VarId(0)),
            expectation: Expectation::Equals(Literal::Int(value.rem_euclid(5))),
        }],
        distinction: String::new(),
        path: vec![],
        name: None,
        restores: Vec::new(),
        empties: Vec::new(),
        cause: None,
        effects: Default::default(),
        purpose: Vec::new(),
        caught: Vec::new(),
    };
    Suite { cases: (-6..6).map(case).collect(), ..Suite::new("java/lang/Math") }
}
