//! The results in the XML of Ant's JUnit task, which continuous-integration servers read.

use super::{CheckReport, CheckedFile};
use std::fmt::Write;

/// A `testsuite` for each file, a `testcase` for each test. An accepted finding counts as skipped, with its reason.
pub fn junit_xml(all: &CheckReport) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failures, skipped) = (all.tests(), all.open().count(), all.accepted());
    let _ = writeln!(
        out,
        "<testsuites name=\"cupping check\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
    );
    all.files.iter().for_each(|file| suite(&mut out, file));
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, file: &CheckedFile) {
    let name = &file.test_class;
    let skipped = file.findings.iter().filter(|it| it.accepted.is_some()).count();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{skipped}\">",
        escaped(name),
        file.tests.len(),
        file.findings.len() - skipped,
    );
    for test in &file.tests {
        let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", escaped(name), escaped(test));
        let finding =
            file.findings.iter().find(|it| it.test.strip_prefix(name.as_str()) == Some(&format!(".{test}")));
        let Some(finding) = finding else {
            out.push_str("/>\n");
            continue;
        };
        let said = format!("was: {}\nnow: {}", finding.old, finding.new);
        let _ = match &finding.accepted {
            Some(reason) => {
                writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(reason))
            }
            None => writeln!(
                out,
                ">\n      <failure type=\"{}\" message=\"{}\">{}:{}: {}\n{}</failure>\n    </testcase>",
                finding.cause.name(),
                escaped(finding.cause.title()),
                escaped(&finding.file),
                finding.line,
                escaped(&finding.statement),
                escaped(&said),
            ),
        };
    }
    out.push_str("  </testsuite>\n");
}

/// Text for an attribute or an element. Characters that XML does not allow become `?`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push(character),
            '\u{fffe}' | '\u{ffff}' => out.push('?'),
            it if it.is_control() => out.push('?'),
            it => out.push(it),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn characters_outside_xml_are_dropped() {
        assert_eq!(escaped("a<b>&\"c\"\u{1}\u{0}é\n"), "a&lt;b&gt;&amp;&quot;c&quot;??é&#10;");
    }
}
