//! Reads a file of tests back: its tests and their lines.
//!
//! The tokens suffice to find the methods that are annotated as tests, also in a file that was edited or reformatted.

use crate::framework::Framework;
use crate::java_tokens::{Token, end_of_member, tokens};
use crate::suppressions::reason;
use std::ops::Range;

/// The class comment of counterexamples, in present files and in those of Cupping 0.1 and before.
const MUST_FAIL: [&str; 2] = ["fails until the defect is fixed", "fails as long as the defect is there"];

/// A test in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPlace {
    /// The name of its method.
    pub name: String,
    /// Its lines, from the first annotation to the last brace, counted from 1.
    pub lines: Range<usize>,
    /// Why it is not reported, if an annotation gives a reason: `@SuppressWarnings("cupping:check REASON")`.
    pub suppressed: Option<String>,
}

/// A generated test class, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFile {
    /// Its binary name.
    pub name: String,
    /// The text.
    pub text: String,
    /// Its tests, in their order.
    pub tests: Vec<TestPlace>,
    /// The framework that it is written for.
    pub framework: Framework,
    /// Whether its tests are counterexamples, which fail until the defect is fixed.
    pub must_fail: bool,
}

impl TestFile {
    /// Reads a file whose class has this simple name.
    pub fn read(simple: &str, text: &str) -> TestFile {
        let tokens = tokens(text);
        let package = package(&tokens);
        let name = if package.is_empty() { simple.to_owned() } else { format!("{package}.{simple}") };
        let framework = if text.contains("org.junit.jupiter") {
            Framework::Junit5
        } else if text.contains("org.testng.") {
            Framework::TestNg
        } else {
            Framework::Junit4
        };
        let must_fail = MUST_FAIL.iter().any(|it| text.contains(it));
        TestFile { name, text: text.to_owned(), tests: tests(&tokens), framework, must_fail }
    }

    /// A line of the text, counted from 1, without the white space around it.
    pub fn line(&self, line: usize) -> &str {
        self.text.lines().nth(line.wrapping_sub(1)).unwrap_or_default().trim()
    }
}

fn package(tokens: &[Token<'_>]) -> String {
    let Some(at) = tokens.iter().position(|it| it.text == "package" || it.text == "{") else {
        return String::new();
    };
    if tokens[at].text == "{" {
        return String::new();
    }
    tokens[at + 1..].iter().take_while(|it| it.text != ";").map(|it| it.text).collect()
}

/// The tests among the members of the first class.
fn tests(tokens: &[Token<'_>]) -> Vec<TestPlace> {
    let mut tests = Vec::new();
    let mut at = body(tokens);
    while at < tokens.len() && tokens[at].text != "}" {
        let end = end_of_member(tokens, at);
        tests.extend(test(&tokens[at..end]));
        at = end;
    }
    tests
}

/// The first token in the body of the first class. The elements of its annotations may have braces, too.
fn body(tokens: &[Token<'_>]) -> usize {
    let mut parentheses = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => parentheses += 1,
            ")" => parentheses = parentheses.saturating_sub(1),
            "{" if parentheses == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// A member as a test, if it is annotated as one.
fn test(member: &[Token<'_>]) -> Option<TestPlace> {
    let mut at = 0;
    let (mut is_test, mut suppressed) = (false, None);
    while member.get(at)?.text == "@" {
        let start = at + 1;
        at = start + 1;
        while member.get(at)?.text == "." {
            at += 2;
        }
        // A parameterized test counts if its rows have a source that Cupping uses.
        is_test |= matches!(member[at - 1].text, "Test" | "CsvSource" | "ValueSource" | "MethodSource");
        let is_suppression = member[at - 1].text == "SuppressWarnings";
        if member.get(at)?.text == "(" {
            let mut depth = 0usize;
            loop {
                match member.get(at)?.text {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    text if is_suppression => {
                        suppressed =
                            suppressed.or_else(|| reason(text).filter(|it| it.0 == "check").map(|it| it.1));
                    }
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
    }
    let open = at + member[at..].iter().position(|it| it.text == "(")?;
    let name = member.get(open.checked_sub(1)?)?.text.to_owned();
    let (first, last) = (member.first()?, member.last()?);
    is_test.then(|| TestPlace { name, lines: first.line..last.line + 1, suppressed })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"// Generated by cupping
package a.b;

import org.junit.jupiter.api.Test;

/** Tests { of C. */
@SuppressWarnings({"unchecked", "x"})
class CTest {
    private int[] field = {1, 2};

    @Test
    void one_returns1() {
        assertEquals("}", '\'', c.one()); // }
        if (true) { }
    }

    // A comment.
    @SuppressWarnings({"rawtypes", "cupping:check rounding is being changed"})
    @org.junit.jupiter.api.Test
    public void two() throws Exception {
        String s = """
            } " }
            """;
    }

    private static int helper() { return 1; }

    @Test(expected = A.class) public void three() {}
}
"#;

    #[test]
    fn tests_are_found_with_their_lines() {
        let file = TestFile::read("CTest", TEXT);
        assert_eq!(file.name, "a.b.CTest");
        assert_eq!(file.framework, Framework::Junit5);
        let found: Vec<(&str, Range<usize>)> =
            file.tests.iter().map(|it| (it.name.as_str(), it.lines.clone())).collect();
        assert_eq!(found, [("one_returns1", 11..16), ("two", 18..25), ("three", 28..29)]);
        assert_eq!(file.tests[1].suppressed.as_deref(), Some("rounding is being changed"));
        assert_eq!(file.tests[0].suppressed, None);
        assert_eq!(file.line(13), r#"assertEquals("}", '\'', c.one()); // }"#);
    }

    #[test]
    fn parameterized_tests_are_tests() {
        let text = "class T {\n@ParameterizedTest\n@CsvSource({\n\"5, a\",\n\"7, {\",\n})\nvoid f(int a, String b) {\n}\n\n\
                    private static Stream<Arguments> f_rows() {\nreturn null; }\n@Test void g() {} }";
        let found: Vec<(String, Range<usize>)> =
            TestFile::read("T", text).tests.into_iter().map(|it| (it.name, it.lines)).collect();
        assert_eq!(found, [("f".to_owned(), 2..9), ("g".to_owned(), 12..13)]);
    }

    #[test]
    fn damaged_text_is_no_panic() {
        for end in (0..TEXT.len()).filter(|it| TEXT.is_char_boundary(*it)) {
            TestFile::read("CTest", &TEXT[..end]);
            TestFile::read("CTest", &TEXT[end..]);
        }
        for text in
            ["", "package", "@", "{@Test(", "{@Test(((", "{}}}", "\"", "/*", "{ @ . . ( ) }", "{ ) ( ; "]
        {
            assert!(TestFile::read("CTest", text).tests.is_empty(), "{text}");
        }
    }
}
