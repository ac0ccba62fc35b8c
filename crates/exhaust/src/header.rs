//! The header of a specification: class, method, scope, and how fields are modelled.
//!
//! A line that starts with one of [`WORDS`] outside of braces belongs to the header. The rest keeps its place
//! and is in the notation of the crate `relation`.

use crate::error::{Error, wrong};
use cupping_relation::Span;

/// Keywords of header lines.
pub const WORDS: [&str; 11] = [
    "class",
    "classes",
    "method",
    "scope",
    "exclude",
    "fields",
    "type",
    "strings",
    "throws",
    "concretization",
    "abstraction",
];

/// A word or phrase with its position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The text without surrounding spaces.
    pub text: String,
    /// Its position.
    pub span: Span,
}

/// `type Entry.key: Integer + String`
#[derive(Clone, Debug)]
pub struct ActualType {
    /// A field (qualified by a class or not), a parameter, or `result`.
    pub of: Phrase,
    /// Its types.
    pub types: Vec<Phrase>,
}

/// The method as declared.
#[derive(Clone, Debug, Default)]
pub struct MethodLine {
    /// Its name.
    pub name: Phrase,
    /// Types and names of the parameters; `None` if there are no parentheses.
    pub parameters: Option<Vec<(String, Option<String>)>>,
}

/// A parsed header.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// The class under test.
    pub class: Phrase,
    /// Additional classes of the model.
    pub classes: Vec<Phrase>,
    /// The method under test; none if instances are only shown or counted.
    pub method: Option<MethodLine>,
    /// The text of the scope.
    pub scope: Option<Phrase>,
    /// Fields that are not modelled.
    pub exclude: Vec<Phrase>,
    /// If given, the only modelled fields of their classes.
    pub fields: Vec<Phrase>,
    /// Actual types of fields and parameters with a more general declared type.
    pub types: Vec<ActualType>,
    /// The strings of the model.
    pub strings: Vec<String>,
    /// Exceptions that count as ordinary outcomes.
    pub throws: Vec<Phrase>,
    /// The user's concretization method, `CLASS.METHOD`.
    pub concretization: Option<Phrase>,
    /// The user's abstraction method.
    pub abstraction: Option<Phrase>,
}

/// Parses the header. Returns the text with the header lines blanked, so that positions stay the same.
pub fn read(text: &str) -> Result<(Header, String), Error> {
    let mut header = Header::default();
    let mut rest = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    let (mut depth, mut at, mut in_comment) = (0_i64, 0, false);
    while let Some(line) = lines.next() {
        let code = uncommented(line, &mut in_comment);
        let word = code.trim_start().split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
        let after = code.trim_start().get(word.len()..).unwrap_or_default();
        let is_header = depth == 0
            && WORDS.contains(&word)
            && after.starts_with(char::is_whitespace)
            && !after.trim_start().starts_with('{');
        if !is_header {
            depth += code.matches('{').count() as i64 - code.matches('}').count() as i64;
            rest.push_str(line);
            at += line.len();
            continue;
        }
        // A comma at the end of a line continues it.
        let (word, start) = (word.to_owned(), at);
        let mut whole = code;
        blank(line, &mut rest);
        at += line.len();
        while whole.trim_end().ends_with(',') {
            let Some(more) = lines.next() else { break };
            whole.push_str(&uncommented(more, &mut in_comment));
            blank(more, &mut rest);
            at += more.len();
        }
        let skipped = whole.len() - whole.trim_start().len() + word.len();
        let body = phrase(&whole[skipped..], start + skipped);
        header.line(&word, body)?;
    }
    Ok((header, rest))
}

fn blank(line: &str, to: &mut String) {
    to.extend(line.bytes().map(|it| if it == b'\n' { '\n' } else { ' ' }));
}

/// The line with comments replaced by spaces, so that positions stay the same.
fn uncommented(line: &str, in_comment: &mut bool) -> String {
    let mut out = Vec::with_capacity(line.len());
    let bytes = line.as_bytes();
    let (mut at, mut in_string) = (0, false);
    while at < bytes.len() {
        let pair = &bytes[at..bytes.len().min(at + 2)];
        match (*in_comment, in_string, pair) {
            (true, _, b"*/") => {
                *in_comment = false;
                out.extend(b"  ");
                at += 2;
                continue;
            }
            (true, ..) => out.push(if bytes[at] == b'\n' { b'\n' } else { b' ' }),
            (_, false, b"/*") => {
                *in_comment = true;
                continue;
            }
            (_, false, b"//" | b"--") => {
                out.extend(bytes[at..].iter().map(|it| if *it == b'\n' { b'\n' } else { b' ' }));
                break;
            }
            _ => {
                in_string ^= bytes[at] == b'"';
                out.push(bytes[at]);
            }
        }
        at += 1;
    }
    String::from_utf8(out).unwrap_or_else(|it| String::from_utf8_lossy(it.as_bytes()).into_owned())
}

fn phrase(text: &str, start: usize) -> Phrase {
    let before = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    let start = start + before;
    Phrase { text: trimmed.to_owned(), span: Span { start, end: start + trimmed.len() } }
}

/// Splits at separators, except within strings and parentheses.
fn split(body: &Phrase, separator: char) -> Vec<Phrase> {
    let mut parts = Vec::new();
    let (mut from, mut depth, mut in_string) = (0, 0_i64, false);
    for (at, it) in body.text.char_indices().chain([(body.text.len(), separator)]) {
        match it {
            '"' if at < body.text.len() => in_string = !in_string,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if it == separator && (at == body.text.len() || (depth == 0 && !in_string)) {
            let part = phrase(&body.text[from..at], body.span.start + from);
            if !part.text.is_empty() {
                parts.push(part);
            }
            from = at + it.len_utf8();
        }
    }
    parts
}

impl Header {
    fn line(&mut self, word: &str, body: Phrase) -> Result<(), Error> {
        if body.text.is_empty() {
            return Err(wrong(body.span, &format!("nothing follows `{word}`"), "see docs/exhaust.md"));
        }
        let once = |slot: &mut Option<Phrase>| match slot {
            Some(_) => Err(wrong(body.span, &format!("the line `{word}` is repeated"), "remove one of them")),
            None => {
                *slot = Some(body.clone());
                Ok(())
            }
        };
        match word {
            "class" if !self.class.text.is_empty() => {
                return Err(wrong(
                    body.span,
                    "the line `class` is repeated",
                    "name further classes with `classes`",
                ));
            }
            "class" => self.class = body,
            "classes" => self.classes.extend(split(&body, ',')),
            "scope" => once(&mut self.scope)?,
            "concretization" => once(&mut self.concretization)?,
            "abstraction" => once(&mut self.abstraction)?,
            "exclude" => self.exclude.extend(split(&body, ',')),
            "fields" => self.fields.extend(split(&body, ',')),
            "throws" => self.throws.extend(split(&body, ',')),
            "method" if self.method.is_some() => {
                return Err(wrong(body.span, "the line `method` is repeated", "remove one of them"));
            }
            "method" => self.method = Some(method(&body)?),
            "type" => {
                for part in split(&body, ',') {
                    let halves = split(&part, ':');
                    let [of, types] = &halves[..] else {
                        let help = "write `type Entry.key: Integer`";
                        return Err(wrong(
                            part.span,
                            "expected a field or parameter, `:`, and its type",
                            help,
                        ));
                    };
                    self.types.push(ActualType { of: of.clone(), types: split(types, '+') });
                }
            }
            _ => {
                for part in split(&body, ',') {
                    let text = part.text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
                    let Some(text) = text else {
                        return Err(wrong(
                            part.span,
                            "write strings in quotes",
                            "write `strings \"a\", \"b\"`",
                        ));
                    };
                    self.strings.push(text.to_owned());
                }
            }
        }
        Ok(())
    }
}

/// `Object remove(Object key)`, `remove(Object)`, `remove`
pub fn method(body: &Phrase) -> Result<MethodLine, Error> {
    let text = body.text.trim_end_matches([';', ' ']);
    let (head, parameters) = match text.split_once('(') {
        None => (text, None),
        Some((head, tail)) => {
            let Some(inner) = tail.strip_suffix(')') else {
                return Err(wrong(
                    body.span,
                    "the parameter list has no `)`",
                    "write the method as its Java declaration does",
                ));
            };
            let inner = erased(inner);
            let parameters = inner.split(',').map(str::trim).filter(|it| !it.is_empty()).map(|it| {
                let it = it.strip_prefix("final ").unwrap_or(it);
                match it.rsplit_once(char::is_whitespace) {
                    Some((ty, name)) => (ty.trim().to_owned(), Some(name.to_owned())),
                    None => (it.to_owned(), None),
                }
            });
            (head, Some(parameters.collect()))
        }
    };
    let name = head.split_whitespace().next_back().unwrap_or_default();
    if name.is_empty() {
        return Err(wrong(
            body.span,
            "the method has no name",
            "write the method as its Java declaration does",
        ));
    }
    Ok(MethodLine { name: Phrase { text: name.to_owned(), span: body.span }, parameters })
}

/// The type without its type arguments.
fn erased(text: &str) -> String {
    let mut depth = 0;
    text.chars()
        .filter(|it| {
            depth += i32::from(*it == '<');
            let keep = depth == 0;
            depth -= i32::from(*it == '>');
            keep
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
class p.List // class p.Other
method Object remove(final Map<K, V> map, int)
scope 3, int 0..2 -- of all
exclude size,
        modCount
type Entry.key: Integer + String, value: Object
strings \"a, b\", \"\"
fact { /* class
   inside */ class = class }
class { }
";

    #[test]
    fn lines_of_the_header_are_taken_out_and_all_else_keeps_its_place() {
        let (header, rest) = read(TEXT).unwrap();
        assert_eq!(rest.len(), TEXT.len());
        assert_eq!(rest.lines().count(), TEXT.lines().count());
        let kept: Vec<&str> = rest.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        assert_eq!(kept, ["fact { /* class", "inside */ class = class }", "class { }"]);
        assert_eq!(rest.find("fact"), TEXT.find("fact"));
        assert_eq!(header.class.text, "p.List");
        assert_eq!(&TEXT[header.class.span.start..header.class.span.end], "p.List");
        let words = |phrases: &[Phrase]| phrases.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
        assert_eq!(words(&header.exclude), ["size", "modCount"]);
        assert_eq!(&TEXT[header.exclude[1].span.start..header.exclude[1].span.end], "modCount");
        assert_eq!(header.strings, ["a, b", ""]);
        let types: Vec<(String, Vec<String>)> =
            header.types.iter().map(|it| (it.of.text.clone(), words(&it.types))).collect();
        let of = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(types, [("Entry.key".into(), of("Integer String")), ("value".into(), of("Object"))]);
        assert_eq!(header.scope.unwrap().text, "3, int 0..2");
    }

    #[test]
    fn methods_are_read_as_java_declares_them() {
        let of = |text: &str| {
            let it = method(&Phrase { text: text.into(), span: Span::default() }).unwrap();
            let parameters = it.parameters.map(|all| {
                all.iter()
                    .map(|(ty, name)| format!("{ty}:{}", name.as_deref().unwrap_or("-")))
                    .collect::<Vec<_>>()
            });
            (it.name.text, parameters)
        };
        let list = |all: &[&str]| Some(all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(of("remove"), ("remove".into(), None));
        assert_eq!(of("public int size();"), ("size".into(), list(&[])));
        assert_eq!(of("put(Map<K, List<V>> m, int[] a)"), ("put".into(), list(&["Map:m", "int[]:a"])));
        assert_eq!(of("f(final int, String)"), ("f".into(), list(&["int:-", "String:-"])));
    }

    #[test]
    fn errors_in_headers_name_their_line() {
        for (text, part) in [
            ("class a.B\nclass a.C\n", "the line `class` is repeated"),
            ("scope 3\nscope 4\n", "the line `scope` is repeated"),
            ("method f(int\n", "the parameter list has no `)`"),
            ("method f\nmethod g\n", "the line `method` is repeated"),
            ("type a\n", "expected a field or parameter"),
            ("strings a\n", "write strings in quotes"),
            ("exclude //size\n", "nothing follows `exclude`"),
        ] {
            let error = read(text).unwrap_err().render("a.spec", text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
