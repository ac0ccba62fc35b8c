//! Saved tests in files: each has its fate, and a failing one is reported with old and new value.

mod support;

use cupping_report::certify::Fate;
use cupping_report::framework::Framework;
use cupping_report::test_check::{
    Cause, CheckReport, CheckedFile, TestFile, junit_xml, markdown, sarif, text,
};

/// Tests of `rough.Rough`: of its behaviour, and of things that it never did or no longer has.
const ROUGH: &str = r#"package rough;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import no.Such;
import org.junit.jupiter.api.Test;

class RoughTest {
    @Test
    void holds() {
        assertEquals(1, Rough.one());
    }

    @Test
    void changed() {
        int one = Rough.one();
        assertEquals(2, one);
    }

    @Test
    void throwsNoMore() {
        assertThrows(IllegalStateException.class, () -> Rough.one());
    }

    @Test
    void gone() {
        assertEquals(1, Rough.none());
    }

    @Test
    void goneToo() {
        Such such = null;
    }

    @Test
    void uncompilable() {
        assertEquals(1, Rough.one(3));
    }

    @Test
    void countsFirst() {
        assertEquals(1, Rough.calls());
    }

    @Test
    void countsToo() {
        assertEquals(1, Rough.calls());
    }

    @Test
    void endless() {
        Rough.spin();
    }

    @SuppressWarnings("cupping:check known since May")
    @Test
    void leaves() {
        Rough.leave();
    }

    @Test
    void holdsBehindThem() {
        assertEquals(1, Rough.one());
    }
}
"#;

fn never() -> bool {
    false
}

fn fates(simple: &str, source: &str) -> (TestFile, Vec<Fate>) {
    let file = TestFile::read(simple, source);
    let mut certifier = support::certifier(file.framework);
    let fates = certifier.fates(std::slice::from_ref(&file), never).unwrap().remove(0);
    assert_eq!(fates.len(), file.tests.len());
    (file, fates)
}

#[test]
fn every_test_has_its_own_fate() {
    let (file, fates) = fates("RoughTest", ROUGH);
    let checked = CheckedFile::new("rough/RoughTest.java", "rough.Rough", "generate", false, &file, &fates);
    let found: Vec<(&str, Cause)> = checked
        .findings
        .iter()
        .map(|it| (it.test.trim_start_matches("rough.RoughTest."), it.cause))
        .collect();
    let expected = [
        ("changed", Cause::Changed),
        ("throwsNoMore", Cause::Changed),
        ("gone", Cause::Gone),
        ("goneToo", Cause::Gone),
        ("uncompilable", Cause::Uncompilable),
        ("countsToo", Cause::Unstable),
        ("endless", Cause::Endless),
        ("leaves", Cause::Endless),
    ];
    assert_eq!(found, expected, "{fates:#?}");
    assert_eq!((checked.holding, checked.tests.len()), (3, 11));
    let changed = &checked.findings[0];
    assert_eq!((changed.old.as_str(), changed.new.as_str(), changed.line), ("2", "1", 18));
    assert_eq!(changed.statement, "assertEquals(2, one);");
    assert_eq!(checked.findings[1].new, "nothing is thrown");
    let all = CheckReport { files: vec![checked], ..CheckReport::default() };
    assert_eq!((all.open().count(), all.accepted()), (7, 1));
    let shown = text(&all);
    assert!(shown.ends_with("3 of 11 generated tests hold; 7 do not, and 1 more is accepted\n"), "{shown}");
    assert!(shown.contains("code is gone: rough.RoughTest.gone\n"), "{shown}");
    let comment = markdown(&all);
    for part in [
        "## 7 of 11 generated tests do not hold",
        "### Behaviour changed: 2",
        "| `2` | `1` |",
        "known since May",
    ] {
        assert!(comment.contains(part), "{part}: {comment}");
    }
    let xml = junit_xml(&all);
    assert_eq!((xml.matches("<failure ").count(), xml.matches("<skipped ").count()), (7, 1), "{xml}");
    assert_eq!(sarif(&all).matches("\"ruleId\"").count(), 7);
}

/// A file whose class under test is gone, or a damaged file, only invalidates its own tests.
#[test]
fn a_file_without_its_class_costs_itself() {
    let source = ROUGH.replace("class RoughTest", "class GoneTest extends no.Such");
    let (file, found) = fates("GoneTest", &source);
    assert!(found.iter().all(|it| matches!(it, Fate::Refused { .. })), "{found:?}");
    let checked = CheckedFile::new("x", "rough.Rough", "generate", true, &file, &found);
    assert_eq!(checked.findings.len(), 11);
}

/// A counterexample is to fail.
#[test]
fn a_counterexample_that_passes_is_told() {
    let source = "package rough;\n\nimport org.junit.Test;\n\n\
        /** Each test asserts what the specification demands, and fails until the defect is fixed. */\n\
        public class RoughCounterexampleTest {\n    @Test\n    public void passes() {\n        Rough.one();\n    }\n\n    \
        @Test\n    public void fails() {\n        throw new AssertionError();\n    }\n}\n";
    let (file, found) = fates("RoughCounterexampleTest", source);
    assert_eq!(file.framework, Framework::Junit4);
    assert_eq!(found, [Fate::Mended, Fate::Holds]);
}
