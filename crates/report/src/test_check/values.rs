//! Expected and actual value of a failed assertion, from its message; frameworks format it differently.

/// The line at the end of a message, `… (at line 12)`, and the message without it.
pub fn line_of(detail: &str) -> (&str, Option<usize>) {
    let cut = || {
        let (message, rest) = detail.rsplit_once(" (at line ")?;
        Some((message, rest.strip_suffix(')')?.parse().ok()?))
    };
    cut().map_or((detail, None), |(message, line)| (message, Some(line)))
}

/// Old and new value. `statement` is the line of the test that failed.
pub fn values(message: &str, statement: &str) -> (String, String) {
    compared(message)
        .or_else(|| thrown(message))
        .or_else(|| condition(message, statement))
        .unwrap_or_else(|| other(message, statement))
}

/// `expected: <1> but was: <2>` of JUnit 5, `expected:<1> but was:<2>` of JUnit 4, `expected [1] but found [2]` of
/// TestNG.
fn compared(message: &str) -> Option<(String, String)> {
    const FORMS: [(&str, &str, &str); 8] = [
        ("expected: not <", "> but was: <", ">"),
        ("expected: <", "> but was: <", ">"),
        ("expected: ", " but was: ", ""),
        ("expected:<", "> but was:<", ">"),
        ("expected null, but was:<", "", ">"),
        ("expected same:<", "> was not:<", ">"),
        ("expected not same", "", ""),
        ("expected [", "] but found [", "]"),
    ];
    for (start, middle, end) in FORMS {
        let Some((_, rest)) = message.split_once(start) else { continue };
        if middle.is_empty() {
            return Some(("null".into(), rest.trim_end_matches(end).to_owned()));
        }
        let Some((old, new)) = rest.split_once(middle) else { continue };
        let new = if end.is_empty() { new } else { new.rsplit_once(end).map_or(new, |(new, _)| new) };
        let old = if start.contains("not <") { format!("not {old}") } else { old.to_owned() };
        return Some((old, new.to_owned()));
    }
    None
}

/// `Expected java.lang.X to be thrown, but nothing was thrown.`
fn thrown(message: &str) -> Option<(String, String)> {
    let at = message.to_lowercase().find("expected ")?;
    let (class, rest) = message.get(at + "expected ".len()..)?.split_once(" to be thrown, but ")?;
    let new = rest.trim_end_matches('.').strip_suffix(" was thrown")?;
    let new = if new == "nothing" { "nothing is thrown".to_owned() } else { format!("throws {new}") };
    Some((format!("throws {class}"), new))
}

/// `assertTrue` without a message.
fn condition(message: &str, statement: &str) -> Option<(String, String)> {
    if message != "java.lang.AssertionError" {
        return None;
    }
    let of = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
    match statement.split('(').next()? {
        "assertTrue" => of("true", "false"),
        "assertFalse" => of("false", "true"),
        "assertNotNull" => of("not null", "null"),
        _ => None,
    }
}

/// An exception in place of a value.
fn other(message: &str, statement: &str) -> (String, String) {
    let is_assertion = message.starts_with("java.lang.AssertionError");
    let new = if is_assertion { message.to_owned() } else { format!("throws {message}") };
    let old = if statement.starts_with("assert") { "the assertion holds" } else { "nothing is thrown" };
    (old.into(), new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_messages() {
        for (message, statement, old, new) in [
            ("org.opentest4j.AssertionFailedError: expected: <2> but was: <1>", "", "2", "1"),
            ("org.junit.ComparisonFailure: expected:<[a]b> but was:<[]b>", "", "[a]b", "[]b"),
            ("java.lang.AssertionError: expected:<2> but was:<1>", "", "2", "1"),
            ("java.lang.AssertionError: expected [true] but found [false]", "", "true", "false"),
            ("java.lang.AssertionError: expected: A<1> but was: B<1>", "", "A<1>", "B<1>"),
            ("java.lang.AssertionError: expected null, but was:<x>", "", "null", "x"),
            ("o.AssertionFailedError: expected: not <null>", "assertNotNull(x);", "the assertion holds", ""),
            ("java.lang.AssertionError", "assertTrue(a.b());", "true", "false"),
            (
                "o.AssertionFailedError: Expected java.lang.A to be thrown, but nothing was thrown.",
                "",
                "throws java.lang.A",
                "nothing is thrown",
            ),
            (
                "java.lang.AssertionError: Expected A to be thrown, but B was thrown",
                "",
                "throws A",
                "throws B",
            ),
            (
                "o.AssertionFailedError: Unexpected exception type thrown, expected: <A> but was: <B>",
                "",
                "A",
                "B",
            ),
            (
                "java.lang.ArithmeticException: / by zero",
                "assertEquals(1, a.b());",
                "the assertion holds",
                "throws java.lang.ArithmeticException: / by zero",
            ),
            ("java.lang.X", "a.b();", "nothing is thrown", "throws java.lang.X"),
        ] {
            let (found_old, found_new) = values(message, statement);
            assert_eq!(found_old, old, "{message}");
            assert!(found_new == new || new.is_empty(), "{message}: {found_new}");
        }
    }

    #[test]
    fn the_line_is_cut_off() {
        assert_eq!(line_of("x: y (at line 12)"), ("x: y", Some(12)));
        assert_eq!(line_of("x (at line z)"), ("x (at line z)", None));
        assert_eq!(line_of(""), ("", None));
    }
}
