//! The temporary folder of a test, and assertions on files in it.

use super::assertions::{Claims, equal};
use super::class::JunitMethod;
use super::expressions::{Expression, FOLDER, Writer};
use super::helpers::{DELETE, TEXT};
use crate::framework::{Folder, Framework};
use crate::source::java::Printer;
use crate::source::tree::{Assert, Expr, Field, Method, Stmt};
use cupping_case::{Case, Expectation, FileAspect, JavaType, Literal};
use std::collections::BTreeSet;

const FILE: &str = "java/io/File";
const PATH: &str = "java/nio/file/Path";

/// The folder itself.
pub(super) fn root(framework: Framework) -> Expression {
    let field = Expr::name(FOLDER);
    let root = match framework.row().folder {
        Folder::Rule { .. } => Expr::call(field, "getRoot", Vec::new()),
        Folder::Field { .. } | Folder::ByHand => field,
    };
    Expression::of_class(root, FILE)
}

/// The field that holds the folder, if a case has one, and the method that creates it before each test. It is at the
/// start of the class.
pub(super) fn before(cases: &[&Case], writer: &Writer<'_>, framework: Framework) -> Vec<JunitMethod> {
    if !cases.iter().any(|case| uses_folder(case)) {
        return Vec::new();
    }
    let annotation = |name: &str| vec![writer.class(&name.replace('.', "/"))];
    let file = || writer.class(FILE);
    let name = FOLDER.to_owned();
    let field = match framework.row().folder {
        Folder::Rule { annotation: rule, class } => {
            let annotations = annotation(rule);
            let ty = writer.class(&class.replace('.', "/"));
            let value = Some(Expr::new(ty.clone(), Vec::new()));
            Field { annotations, modifiers: &["public", "final"], ty, name, value }
        }
        Folder::Field { annotation: temp } => {
            Field { annotations: annotation(temp), modifiers: &[], ty: file(), name, value: None }
        }
        Folder::ByHand => {
            Field { annotations: Vec::new(), modifiers: &["private"], ty: file(), name, value: None }
        }
    };
    let lines = Printer::new(framework).field(&field);
    let mut all = vec![JunitMethod::member(FOLDER, lines, writer.names.take_imports())];
    if framework.row().folder == Folder::ByHand {
        let files = writer.class("java/nio/file/Files");
        let made = Expr::static_call(files, "createTempDirectory", vec![Expr::string("junit")]);
        let made = Expr::assign(Expr::name(FOLDER), Expr::call(made, "toFile", Vec::new()));
        all.push(JunitMethod::around(
            writer,
            framework,
            framework.row().before_each,
            "makeFolder",
            |method| {
                method.throws = Some("Exception".into());
                method.body = vec![vec![Stmt::Expr(made)]];
            },
        ));
    }
    all
}

/// The method that deletes the folder after each test, if the framework does not.
pub(super) fn after(cases: &[&Case], writer: &Writer<'_>, framework: Framework) -> Option<JunitMethod> {
    let is_needed = framework.row().folder == Folder::ByHand && cases.iter().any(|case| uses_folder(case));
    is_needed.then(|| {
        JunitMethod::around(writer, framework, framework.row().after_each, "deleteFolder", |method| {
            method.body = vec![vec![Stmt::Expr(Expr::helper(DELETE, vec![Expr::name(FOLDER)]))]];
        })
    })
}

/// Whether an array of this type holds options of file operations.
pub(super) fn is_option(element: &JavaType) -> bool {
    matches!(element, JavaType::Class(name) if name.starts_with("java/nio/file/"))
}

/// Whether a case has a folder or refers to it.
pub(super) fn uses_folder(case: &Case) -> bool {
    case.has_folder()
        || case.assertions.iter().any(|it| {
            matches!(it.probe, cupping_case::Probe::File { .. })
                || matches!(it.expectation, Expectation::InFolder(_))
        })
}

impl Claims<'_, '_> {
    /// The path in the folder as a `File`.
    fn file(&self, path: &str) -> Expr {
        let root = root(self.framework).expr;
        if path.is_empty() {
            return root;
        }
        Expr::new(self.writer.class(FILE), vec![root, Expr::string(path)])
    }

    /// An assertion about a path in the folder.
    pub(super) fn of_file(&self, path: &str, aspect: FileAspect, expectation: &Expectation) -> Assert {
        let file = self.file(path);
        let call =
            |method: &str, ty: JavaType| Expression::of(Expr::call(file.clone(), method, Vec::new()), ty);
        let actual = match aspect {
            FileAspect::Exists => call("exists", JavaType::Boolean),
            FileAspect::IsFolder => call("isDirectory", JavaType::Boolean),
            FileAspect::Length => call("length", JavaType::Long),
            FileAspect::Text => Expression::of_class(Expr::helper(TEXT, vec![file]), "java/lang/String"),
            FileAspect::Bytes => {
                let files = self.writer.class("java/nio/file/Files");
                let path = Expr::call(file, "toPath", Vec::new());
                let bytes = JavaType::Array(Box::new(JavaType::Byte));
                Expression::of(Expr::static_call(files, "readAllBytes", vec![path]), bytes)
            }
        };
        let framework = self.framework;
        self.claim(actual, expectation, &|_| root(framework))
    }

    /// Asserts that a `File`, a `Path` or a text is at this path in the folder.
    pub(super) fn in_folder(&self, path: &str, actual: Expression) -> Assert {
        let file = self.file(path);
        let expected = match &actual.ty {
            Some(ty) if ty.is_string() => Expr::call(file, "getPath", Vec::new()),
            Some(JavaType::Class(name)) if &**name == PATH => Expr::call(file, "toPath", Vec::new()),
            _ => file,
        };
        equal(expected, actual.expr)
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
    /// A member that is not a test.
    pub(super) fn member(name: &str, lines: Vec<String>, imports: BTreeSet<String>) -> JunitMethod {
        JunitMethod {
            name: name.to_owned(),
            case: 0,
            rows: Vec::new(),
            fails_with: None,
            harmless: true,
            lines,
            imports,
            assertions: BTreeSet::new(),
            body: Vec::new(),
            throws: None,
        }
    }

    /// A method that runs before or after each test, according to this annotation.
    pub(super) fn around(
        writer: &Writer<'_>,
        framework: Framework,
        annotation: &str,
        name: &str,
        fill: impl FnOnce(&mut Method),
    ) -> JunitMethod {
        let mut method = Method {
            annotations: vec![writer.names.class(&annotation.replace('.', "/"))],
            modifiers: framework.visibility(),
            name: name.to_owned(),
            ..Method::default()
        };
        fill(&mut method);
        let lines = Printer::new(framework).method(&method);
        JunitMethod::member(name, lines, writer.names.take_imports())
    }
}
