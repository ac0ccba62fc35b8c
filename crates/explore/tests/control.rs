//! Switches, arrays, exception handlers and `finally`.

mod lab;

use lab::{Datum, Lab, Outcome, Setup};

/// A method, whether arrays are always simulated, and the outcomes of its paths: results, or the initials of
/// the exception's class.
type Row = (&'static str, bool, &'static [&'static str]);

const COMPLETE: &[Row] = &[
    // A fall-through case is a path of its own.
    ("table", false, &["0", "6", "6", "10", "20"]),
    ("lookup", false, &["0", "1", "2", "3", "4"]),
    ("elements", false, &["-1", "1", "ArrayIndexOutOfBounds"]),
    ("elements", true, &["-1", "-1", "-1", "1", "2", "3", "ArrayIndexOutOfBounds"]),
    ("stored", false, &["0", "1", "ArrayIndexOutOfBounds"]),
    ("stored", true, &["0", "0", "0", "1", "ArrayIndexOutOfBounds"]),
    // Ascending arrays of at most one, two and three elements; a descent at 1 or at 2.
    ("sorted", false, &["0", "0", "0", "1", "2"]),
    ("bytesOf", false, &["0", "0", "0", "1"]),
    ("constant", false, &["0", "1"]),
    ("references", false, &["1", "1", "ArrayIndexOutOfBounds", "NullPointer"]),
    ("guarded", false, &["-11", "-12", "-13", "12", "13", "IllegalState"]),
    ("nested", false, &["0", "101", "IllegalState"]),
];

#[test]
fn every_path_of_control_flow_is_found() {
    let mut lab = Lab::new();
    for (method, is_simulated, expected) in COMPLETE {
        let mut setup = Setup::of("samples/Control", method);
        if *is_simulated {
            setup.reasoning_elements = 0;
        }
        let explored = lab.explore(&setup);
        assert!(explored.is_complete, "{method}: {:?}", explored.counters);
        let mut outcomes: Vec<String> = explored.outcomes().iter().map(show).collect();
        outcomes.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(outcomes, expected, "{method}, simulated: {is_simulated}");
        lab.sample(&explored, 500);
    }
}

#[test]
fn library_code_on_arrays_depends_on_their_symbolic_lengths() {
    let mut lab = Lab::new();
    for method in ["same", "sameBytes", "samePlaces", "copied", "moved", "hashed"] {
        let explored = lab.explore(&Setup::of("samples/Control", method));
        assert!(explored.is_complete, "{method}: {:?}", explored.counters);
        lab.sample(&explored, 1000);
        match method {
            "same" => {
                let (a, b) = (Datum::ints(&[1, 2]), Datum::ints(&[1, 3]));
                assert_eq!(lab.run_known(&explored, &[a.clone(), a.clone()]), Outcome::int(1));
                assert_eq!(lab.run_known(&explored, &[a, b]), Outcome::int(0));
            }
            "moved" => {
                let a = Datum::ints(&[5, 77, 6]);
                assert_eq!(lab.run_known(&explored, &[a.clone(), Datum::Word(2)]), Outcome::int(1));
                let failure = Outcome::threw("ArrayIndexOutOfBoundsException");
                assert_eq!(lab.run_known(&explored, &[a, Datum::Word(4)]), failure);
            }
            _ => assert!(explored.outcomes().contains(&Outcome::int(1)), "{method}"),
        }
    }
}

#[test]
fn a_size_is_checked_and_then_fixed() {
    let mut lab = Lab::new();
    let setup = Setup { most_paths: 12, ..Setup::of("samples/Control", "sizes") };
    let sizes = lab.explore(&setup);
    let negative = Outcome::threw("NegativeArraySizeException");
    let refusals = sizes.outcomes().iter().filter(|o| **o == negative).count();
    assert_eq!(refusals, 1, "all negative sizes are one path");
    assert_eq!(sizes.found.len(), 12, "every other size is a path of its own");
    for wanted in [0, 1] {
        assert!(sizes.outcomes().contains(&Outcome::int(wanted)));
    }
}

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Bits(bits) => (*bits as u32 as i32).to_string(),
        Outcome::Threw(class) => class.trim_start_matches("java/lang/").trim_end_matches("Exception").into(),
        other => format!("{other:?}"),
    }
}
