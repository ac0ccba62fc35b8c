//! Small classes, each with a feature that related approaches or a plain search cannot handle.

mod lab;

use cupping_dataflow::claims::Invariant;
use cupping_dataflow::{PairVerdict, Reason, SequenceSource};
use lab::{analysed, options, rows};

/// The verdicts on the pairs of a fixture.
fn found(class: &str) -> Vec<String> {
    analysed(class, &options(), rows)
}

fn has(rows: &[String], row: &str) -> bool {
    rows.iter().any(|r| r == row)
}

#[test]
fn a_precondition_may_relate_two_variables() {
    let rows = found("Window");
    for row in [
        "low setLow -> measure: covered",
        "high setHigh -> measure: covered",
        "width measure -> getWidth: covered",
    ] {
        assert!(has(&rows, row), "{row}: {rows:#?}");
    }
    assert!(rows.iter().all(|r| r.ends_with("covered")), "{rows:#?}");
}

#[test]
fn pairs_go_through_two_levels_of_inheritance() {
    let rows = found("Leaf");
    for row in [
        "count Base.bump -> isFull: covered",
        "limit Middle -> isFull: covered",
        "limit raise -> Middle.bump: covered",
    ] {
        assert!(has(&rows, row), "{row}: {rows:#?}");
    }
}

#[test]
fn elements_of_an_array_define_and_use_its_variable() {
    let rows = found("Ring");
    for row in ["slots put -> oldest: covered", "slots Ring -> oldest: covered", "next put -> put: covered"] {
        assert!(has(&rows, row), "{row}: {rows:#?}");
    }
}

#[test]
fn methods_of_a_field_object_define_and_use_its_variable() {
    let rows = found("Names");
    for row in ["names add -> size: covered", "names clear -> size: covered", "names Names -> size: covered"]
    {
        assert!(has(&rows, row), "{row}: {rows:#?}");
    }
    assert_eq!(rows.len(), 3, "add and clear define, size uses: {rows:#?}");
}

#[test]
fn deduction_alone_shows_some_pairs_infeasible() {
    analysed("Latch", &options(), |analysis, machine| {
        let rows = rows(analysis, machine);
        let at = rows.iter().position(|r| r.starts_with("count step -> open"));
        // The first use of the count, before the comparison, is reached; the second is not.
        assert!(at.is_some(), "{rows:#?}");
        let refuted = analysis.pairs.iter().zip(&analysis.verdicts).filter(|(pair, verdict)| {
            pair.has_clear_path && matches!(verdict, PairVerdict::Infeasible(Reason::Contradiction))
        });
        assert!(refuted.count() > 0, "{rows:#?}");
        assert!(!rows.iter().any(|r| r.ends_with("inconclusive")), "{rows:#?}");
    });
}

#[test]
fn a_pair_may_need_five_calls() {
    let each = cupping_dataflow::DataflowOptions { each: true, ..options() };
    analysed("Lock", &each, |analysis, machine| {
        let rows = rows(analysis, machine);
        let at = rows.iter().position(|r| r == "open three -> isOpen: covered");
        let at = at.unwrap_or_else(|| panic!("{rows:#?}"));
        let PairVerdict::Covered { calls, .. } = &analysis.verdicts[at] else { panic!("it is covered") };
        assert_eq!(calls.join(", "), "Lock(), one(), two(), three(), isOpen()");
    });
}

fn odd(rows: Vec<String>) -> Option<String> {
    rows.into_iter().find(|r| r.starts_with("odd check -> isOdd"))
}

#[test]
fn an_invariant_settles_what_a_loop_leaves_open() {
    assert_eq!(odd(found("Tally")).as_deref(), Some("odd check -> isOdd: inconclusive"));
    for text in ["sum == 2 * i", "(sum & 1) == 0 || this.total < 0 && odd"] {
        let invariant = Invariant { method: "count".into(), line: None, text: text.into() };
        let rows = lab::with_claims("Tally", &[invariant], &[], &options(), rows);
        let expected = if text.contains("odd") { "inconclusive" } else { "infeasible" };
        assert_eq!(odd(rows), Some(format!("odd check -> isOdd: {expected}")), "{text}");
    }
}

#[test]
fn a_triple_settles_what_a_method_leaves_open() {
    let triple = |post: &str| {
        format!(
            "package flows; test Tally {{ testcase even {{ Tally t = new Tally(); requirement int n in 0 .. 9; \
             (true) requiredBy t.count(n) ensure ({post}); }} }}"
        )
    };
    // The triple does not cover other arguments, after which the total may have any value.
    let rows_of = |text: &str| lab::with_claims("Tally", &[], &[text.to_owned()], &options(), rows);
    assert_eq!(
        odd(rows_of(&triple("t.total % 2 == 0"))).as_deref(),
        Some("odd check -> isOdd: inconclusive")
    );
    let all =
        triple("t.total % 2 == 0 && t.odd == old(t.odd)").replace("requirement int n in 0 .. 9", "int n = 1");
    assert_eq!(odd(rows_of(&all)).as_deref(), Some("odd check -> isOdd: infeasible"));
}

#[test]
fn exceptions_have_edges() {
    let rows = found("Caught");
    // The definition before the division reaches the handler's use, the one after it does not.
    let own: Vec<&String> = rows.iter().filter(|r| r.starts_with("state divide -> divide")).collect();
    assert_eq!(own.len(), 3, "{rows:#?}");
    assert_eq!(own.iter().filter(|r| r.ends_with("covered")).count(), 1, "{rows:#?}");
    assert_eq!(own.iter().filter(|r| r.ends_with("infeasible")).count(), 2, "{rows:#?}");
}

#[test]
fn calls_within_the_class_and_static_variables_have_pairs() {
    let rows = found("Counter");
    for row in [
        "value set -> get: covered",
        "value set -> twice: covered",
        "made Counter -> made: covered",
        "made Counter -> Counter: covered",
    ] {
        assert!(has(&rows, row), "{row}: {rows:#?}");
    }
}

#[test]
fn the_search_finds_what_is_not_deduced() {
    let with = cupping_dataflow::DataflowOptions {
        limits: cupping_dataflow::deduce::DeductionLimits { depth: 0, ..Default::default() },
        forward: true,
        ..options()
    };
    analysed("CoinBox", &with, |analysis, _| {
        let by_search = analysis
            .verdicts
            .iter()
            .filter(|v| matches!(v, PairVerdict::Covered { by: SequenceSource::Search, .. }));
        assert!(by_search.count() >= 10, "{:?}", analysis.verdicts);
    });
}

#[test]
fn definitions_that_survive_only_exceptions_are_infeasible() {
    let rows = found("Marks");
    let own: Vec<&String> = rows.iter().filter(|r| r.starts_with("text mark -> first")).collect();
    assert_eq!(own, ["text mark -> first: infeasible", "text mark -> first: covered"]);
}

#[test]
fn halves_are_combined() {
    let with = cupping_dataflow::DataflowOptions {
        limits: cupping_dataflow::deduce::DeductionLimits { depth: 0, ..Default::default() },
        chase: false,
        // Hardly any search: combination must find what the search misses.
        search: cupping_generate::GenerateOptions {
            budget: std::time::Duration::from_micros(1),
            ..options().search
        },
        forward: true,
        ..options()
    };
    analysed("Marks", &with, |analysis, machine| {
        let combined = analysis
            .verdicts
            .iter()
            .filter(|v| matches!(v, PairVerdict::Covered { by: SequenceSource::Combined, .. }));
        assert!(combined.count() >= 8, "{}", analysis.table(machine));
        let rows = rows(analysis, machine);
        for definition in ["low", "middle", "high"] {
            for usage in ["isLow", "twice", "both", "high"] {
                let row = format!("level {definition} -> {usage}: covered");
                assert!(has(&rows, &row), "{row}: {rows:#?}");
            }
        }
        for (candidate, pairs) in &analysis.tests {
            let exercised = analysis.exercised.pairs(machine, &candidate.pairs);
            assert!(pairs.iter().all(|pair| exercised.contains(pair)), "{pairs:?}");
        }
    });
}

#[test]
fn assertions_mean_to_deduction_what_they_mean_to_runs() {
    let verdicts = |class: &str, assertions: bool| -> Vec<String> {
        let rows = lab::with_assertions(class, assertions);
        rows.iter().map(|row| row.replace("infeasible", "no").replace("covered", "yes")).collect()
    };
    // The first use of `level` is in the assertion, the second after it.
    let levels = |answers: [&str; 4]| {
        let pairs = ["raise -> level", "raise -> level", "fail -> level", "fail -> level"];
        pairs.iter().zip(answers).map(|(pair, is)| format!("level {pair}: {is}")).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("Guarded", true), levels(["yes", "yes", "yes", "no"]));
    assert_eq!(verdicts("Guarded", false), levels(["no", "yes", "no", "yes"]));
    let pairs = ["state set -> read", "state set -> half", "state set -> half", "failed read -> failed"];
    let checked = |answers: [&str; 4]| {
        pairs.iter().zip(answers).map(|(pair, is)| format!("{pair}: {is}")).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("Checked", true), checked(["yes", "yes", "yes", "yes"]));
    assert_eq!(verdicts("Checked", false), checked(["no", "no", "yes", "no"]));
}

#[test]
fn results_are_reproducible() {
    let text = || {
        analysed("Leaf", &options(), |analysis, machine| {
            let graph =
                cupping_dataflow::graph::svg(machine, &analysis.flat, &analysis.graph, &analysis.accesses);
            analysis.table(machine) + &analysis.conditions(machine) + &graph
        })
    };
    assert_eq!(text(), text());
}
