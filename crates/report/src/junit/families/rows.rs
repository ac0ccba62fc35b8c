//! The rows of a parameterized test: in its annotation if they are plain, else from a method.

use super::super::class::JunitClass;
use super::columns::Column;
use crate::source::java;
use crate::source::tree::Expr;
use cupping_case::{JavaType, Literal};

/// Longest row, in characters.
const LONGEST_ROW: usize = 100;
/// The package of sources of arguments.
const PROVIDERS: &str = "org.junit.jupiter.params.provider";

/// The rows, as they are written.
pub(super) enum Rows {
    /// `@ValueSource(ints = {5, 7})`: the element of the annotation, and the values.
    Values(&'static str, Vec<String>),
    /// `@CsvSource({"5, a", "7, b"})`
    Csv(Vec<String>),
    /// `@MethodSource`: the arguments of each row.
    Method(Vec<String>),
}

impl Rows {
    /// The rows with these columns; `None` if one is too long to read, or the class uses names that they need.
    pub fn of(columns: &[Column], class: &JunitClass) -> Option<Rows> {
        let count = columns.first()?.values.len();
        let plain: Option<Vec<String>> = (0..count).map(|row| csv_row(columns, row)).collect();
        let rows = match (columns, plain) {
            ([only], _) if element(only).is_some() => {
                Rows::Values(element(only)?, only.values.iter().map(java::text).collect())
            }
            (_, Some(rows)) => Rows::Csv(rows),
            _ => Rows::Method((0..count).map(|row| arguments(columns, row)).collect()),
        };
        let needed: Vec<&str> = rows.names();
        let is_taken = needed.iter().any(|name| class.all_lines().any(|line| is_word_of(name, line)));
        let (Rows::Values(_, all) | Rows::Csv(all) | Rows::Method(all)) = &rows;
        let is_long = all.iter().any(|it| it.len() > LONGEST_ROW);
        (!is_taken && !is_long).then_some(rows)
    }

    /// The simple names that the text has.
    fn names(&self) -> Vec<&'static str> {
        match self {
            Rows::Values(..) => vec!["ValueSource"],
            Rows::Csv(_) => vec!["CsvSource"],
            Rows::Method(_) => vec!["MethodSource", "Arguments", "Stream"],
        }
    }

    /// The classes that they need imported.
    pub fn imports(&self) -> Vec<String> {
        let of = |name: &&str| match *name {
            "Stream" => "java.util.stream.Stream".to_owned(),
            name => format!("{PROVIDERS}.{name}"),
        };
        self.names().iter().map(of).collect()
    }

    /// The lines of the annotation.
    pub fn annotation(&self, test: &str) -> Vec<String> {
        match self {
            Rows::Values(element, values) => {
                let line = format!("@ValueSource({element} = {{{}}})", values.join(", "));
                if line.len() <= LONGEST_ROW {
                    return vec![line];
                }
                let rows = values.iter().map(|it| format!("    {it},"));
                let head = format!("@ValueSource({element} = {{");
                std::iter::once(head).chain(rows).chain(["})".to_owned()]).collect()
            }
            Rows::Csv(rows) => {
                let rows = rows.iter().map(|it| format!("    \"{it}\","));
                std::iter::once("@CsvSource({".to_owned()).chain(rows).chain(["})".to_owned()]).collect()
            }
            Rows::Method(_) => vec![format!("@MethodSource(\"{}\")", provider(test))],
        }
    }

    /// The lines of the method that provides the rows, after the test.
    pub fn provider(&self, test: &str) -> Vec<String> {
        let Rows::Method(rows) = self else { return Vec::new() };
        let mut lines = vec![
            String::new(),
            format!("private static Stream<Arguments> {}() {{", provider(test)),
            "    return Stream.of(".to_owned(),
        ];
        let last = rows.len().saturating_sub(1);
        lines.extend(rows.iter().enumerate().map(|(at, row)| {
            let end = if at == last { ");" } else { "," };
            format!("        Arguments.of({row}){end}")
        }));
        lines.push("}".to_owned());
        lines
    }
}

/// The name of the method with the rows of a test.
fn provider(test: &str) -> String {
    format!("{test}_rows")
}

/// The element of `@ValueSource` for values of this type.
fn element(column: &Column) -> Option<&'static str> {
    Some(match &column.ty.ty {
        JavaType::Byte => "bytes",
        JavaType::Short => "shorts",
        JavaType::Int => "ints",
        JavaType::Long => "longs",
        JavaType::Float => "floats",
        JavaType::Double => "doubles",
        JavaType::Char => "chars",
        JavaType::Class(_) => "strings",
        // Since JUnit 5.5 only.
        JavaType::Boolean | JavaType::Array(_) | JavaType::Void => return None,
    })
}

/// A row as text; `None` if one of its values needs quotes, or is converted from text in a special way.
fn csv_row(columns: &[Column], row: usize) -> Option<String> {
    let cells: Option<Vec<String>> = columns.iter().map(|it| cell(it.values.get(row)?)).collect();
    Some(cells?.join(", "))
}

fn cell(value: &Expr) -> Option<String> {
    let Expr::Literal(literal) = value else { return None };
    Some(match literal {
        Literal::Boolean(value) => value.to_string(),
        Literal::Byte(value) => value.to_string(),
        Literal::Short(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => value.to_string(),
        Literal::Float(value) if value.is_finite() && value.abs() < 1e7 => format!("{value:?}"),
        Literal::Double(value) if value.is_finite() && value.abs() < 1e7 => format!("{value:?}"),
        Literal::Char(unit) => plain(&[*unit])?,
        Literal::String(units) => plain(units)?,
        _ => return None,
    })
}

/// A text that needs no quoting in a row: letters, digits and a few signs, with single blanks inside.
fn plain(units: &[u16]) -> Option<String> {
    let text = String::from_utf16(units).ok()?;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || " .:;-_+/*=<>()[]{}!?@$%&~^|".contains(it);
    let is_trimmed = !text.is_empty() && text.trim() == text;
    (is_trimmed && text.chars().all(is_plain)).then_some(text)
}

/// A row as the arguments of a call. A single array would be taken for all arguments.
fn arguments(columns: &[Column], row: usize) -> String {
    let texts: Vec<String> = columns.iter().map(|it| java::text(&it.values[row])).collect();
    match columns {
        [only] if matches!(only.ty.ty, JavaType::Array(_)) => format!("(Object) {}", texts.join(", ")),
        _ => texts.join(", "),
    }
}

/// Whether a name is a word of a text.
fn is_word_of(name: &str, text: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}
