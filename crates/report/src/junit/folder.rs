//! The temporary folder of a test, and what is claimed of files in it.

use super::JunitVersion;
use super::assertions::Claims;
use super::class::JunitMethod;
use super::expressions::{Expression, Writer};
use cupping_case::{Case, Expectation, FileAspect, JavaType, Literal};
use std::collections::BTreeSet;

/// The name of the field.
pub(super) const FOLDER: &str = "folder";
/// The name of the method that gives a file's content as text.
pub(super) const TEXT: &str = "textOf";
/// Longest claim about a file that stands on one line.
const LONGEST: usize = 100;

const FILE: &str = "java/io/File";
const PATH: &str = "java/nio/file/Path";

/// The folder itself as an expression.
pub(super) fn root(version: JunitVersion) -> Expression {
    let text = match version {
        JunitVersion::Four => format!("{FOLDER}.getRoot()"),
        JunitVersion::Five => FOLDER.to_owned(),
    };
    Expression::primary(text, JavaType::class(FILE))
}

/// The field that holds the folder, where a case has one. It stands at the head of the class.
pub(super) fn field(cases: &[&Case], writer: &Writer<'_>, version: JunitVersion) -> Option<JunitMethod> {
    if !cases.iter().any(|case| uses_folder(case)) {
        return None;
    }
    let lines = match version {
        JunitVersion::Four => {
            let rule = writer.names.class("org/junit/Rule");
            let class = writer.names.class("org/junit/rules/TemporaryFolder");
            vec![format!("@{rule}"), format!("public final {class} {FOLDER} = new {class}();")]
        }
        JunitVersion::Five => {
            let annotation = writer.names.class("org/junit/jupiter/api/io/TempDir");
            vec![format!("@{annotation}"), format!("{} {FOLDER};", writer.names.class(FILE))]
        }
    };
    Some(JunitMethod::member(FOLDER, lines, writer.names.take_imports()))
}

/// Whether an array of this type holds options of operations on files.
pub(super) fn is_option(element: &JavaType) -> bool {
    matches!(element, JavaType::Class(name) if name.starts_with("java/nio/file/"))
}

/// Whether a case has a folder or speaks of it.
pub(super) fn uses_folder(case: &Case) -> bool {
    case.has_folder()
        || case.assertions.iter().any(|it| {
            matches!(it.probe, cupping_case::Probe::File { .. })
                || matches!(it.expectation, Expectation::InFolder(_))
        })
}

impl Claims<'_, '_> {
    /// The path in the folder as a `File`.
    fn file(&self, path: &str) -> String {
        let root = root(self.version).text;
        if path.is_empty() {
            return root;
        }
        let file = self.writer.names.class(FILE);
        format!("new {file}({root}, {})", super::literals::string(&path.encode_utf16().collect::<Vec<u16>>()))
    }

    /// What is claimed of a path in the folder.
    pub(super) fn of_file(&mut self, path: &str, aspect: FileAspect, expectation: &Expectation) -> String {
        let file = self.file(path);
        let boolean = |method: &str| Expression::primary(format!("{file}.{method}()"), JavaType::Boolean);
        let actual = match aspect {
            FileAspect::Exists => boolean("exists"),
            FileAspect::IsFolder => boolean("isDirectory"),
            FileAspect::Length => Expression::primary(format!("{file}.length()"), JavaType::Long),
            FileAspect::Text => {
                Expression::primary(format!("{TEXT}({file})"), JavaType::class("java/lang/String"))
            }
            FileAspect::Bytes => {
                let files = self.writer.names.class("java/nio/file/Files");
                let bytes = JavaType::Array(Box::new(JavaType::Byte));
                Expression::primary(format!("{files}.readAllBytes({file}.toPath())"), bytes)
            }
        };
        let version = self.version;
        let statement = self.claim(actual, expectation, &|_| root(version));
        match statement.rfind(&format!(", {TEXT}(")) {
            Some(at) if statement.len() > LONGEST => {
                format!("{},\n        {}", &statement[..at], &statement[at + 2..])
            }
            _ => statement,
        }
    }

    /// Claims that a `File`, a `Path` or a text is where this path in the folder is.
    pub(super) fn in_folder(&mut self, path: &str, actual: &Expression) -> String {
        let file = self.file(path);
        let expected = match &actual.ty {
            Some(ty) if ty.is_string() => format!("{file}.getPath()"),
            Some(JavaType::Class(name)) if &**name == PATH => format!("{file}.toPath()"),
            _ => file,
        };
        self.statement("assertEquals", &[&expected, &actual.text])
    }
}

/// A word for the name of a test that claims this.
pub(super) fn word(aspect: FileAspect, expectation: &Expectation) -> Option<String> {
    let text = match (aspect, expectation) {
        (FileAspect::Exists, Expectation::Equals(Literal::Boolean(false))) => "deletesFile",
        (FileAspect::Exists | FileAspect::Text | FileAspect::Bytes | FileAspect::Length, _) => "writesFile",
        (FileAspect::IsFolder, _) => "makesFolder",
    };
    Some(text.to_owned())
}

impl JunitMethod {
    /// A member that is no test.
    pub(super) fn member(name: &str, lines: Vec<String>, imports: BTreeSet<String>) -> JunitMethod {
        JunitMethod {
            name: name.to_owned(),
            case: 0,
            fails_with: None,
            harmless: true,
            lines,
            imports,
            assertions: BTreeSet::new(),
        }
    }
}
