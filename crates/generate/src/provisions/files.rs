//! Files and folders as arguments. All are in the test's own folder and are prepared before they are passed.
//!
//! The preparation consists of ordinary steps: constructors and methods of `File`, and `Files.write`. There is
//! no other source of `File`s and `Path`s, so the code under test stays in the folder whatever it does with its
//! arguments.

use super::library::invokable;
use super::{Provider, Provision};
use crate::input::Input;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use cupping_case::JavaType;
use cupping_machine::{Kind, Machine};
use std::rc::Rc;

/// What exists at the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file with this many symbolic bytes.
    Content(u32),
    /// Nothing, in an existing folder.
    Missing,
    /// A folder that contains a file and a folder.
    Folder,
    /// An empty folder.
    EmptyFolder,
    /// Nothing, and its parent folder is missing too.
    MissingParent,
}

/// The type as which the path is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// `java.io.File`
    File,
    /// `java.nio.file.Path`
    Path,
    /// A string.
    Text,
    /// `java.net.URI`
    Uri,
    /// `java.net.URL`
    Url,
}

/// The kinds, most promising first.
const KINDS: [FileKind; 8] = [
    FileKind::Content(6),
    FileKind::Missing,
    FileKind::Folder,
    FileKind::EmptyFolder,
    FileKind::Content(0),
    FileKind::MissingParent,
    FileKind::Content(16),
    FileKind::Content(48),
];

const FILE: &str = "java/io/File";
const FILES: &str = "java/nio/file/Files";

impl FileForm {
    /// The form of a path in a class.
    pub(super) fn of(class: &str) -> Option<FileForm> {
        match class {
            FILE => Some(FileForm::File),
            "java/nio/file/Path" => Some(FileForm::Path),
            "java/net/URI" => Some(FileForm::Uri),
            "java/net/URL" => Some(FileForm::Url),
            _ => None,
        }
    }
}

/// All paths in a form.
pub(super) fn files(form: FileForm) -> Vec<Provision> {
    KINDS.iter().map(|kind| Provision::File(*kind, form)).collect()
}

/// Whether a JDK class has a maker that takes a path as a string and another that takes a file, like
/// `FileReader`.
pub(super) fn takes_path_text(makers: &[Rc<Invokable>], maker: &Invokable) -> bool {
    // The string of a scanner is its input.
    if &*maker.reference.class == "java/util/Scanner" {
        return false;
    }
    let with_file = maker.reference.descriptor.replacen("Ljava/lang/String;", "Ljava/io/File;", 1);
    *with_file != *maker.reference.descriptor
        && makers.iter().any(|other| *other.reference.descriptor == *with_file)
}

impl Provider {
    /// Adds the steps that create a file and its content; returns the variable of the path.
    pub(super) fn provide_file(
        &mut self,
        machine: &mut Machine,
        plan: &mut Plan,
        kind: FileKind,
        form: FileForm,
        name: &str,
    ) -> Option<Var> {
        let folder = test_folder(plan);
        let mut path = free_name(plan, folder);
        if kind == FileKind::MissingParent {
            path.push_str("/x");
        }
        let file = below(machine, plan, folder, &path, name)?;
        match kind {
            FileKind::Content(length) => write(machine, plan, file, length)?,
            FileKind::EmptyFolder => make_folder(machine, plan, file)?,
            FileKind::Folder => {
                make_folder(machine, plan, file)?;
                let inner = below(machine, plan, file, "x", "inner")?;
                write(machine, plan, inner, 3)?;
                let nested = below(machine, plan, file, "y", "nested")?;
                make_folder(machine, plan, nested)?;
            }
            FileKind::Missing | FileKind::MissingParent => {}
        }
        match form {
            FileForm::File => Some(file),
            FileForm::Path => {
                call(machine, plan, (FILE, "toPath", "()Ljava/nio/file/Path;"), vec![file], name)
            }
            FileForm::Text => {
                call(machine, plan, (FILE, "getPath", "()Ljava/lang/String;"), vec![file], name)
            }
            FileForm::Uri => call(machine, plan, (FILE, "toURI", "()Ljava/net/URI;"), vec![file], name),
            FileForm::Url => {
                let uri = call(machine, plan, (FILE, "toURI", "()Ljava/net/URI;"), vec![file], "uri")?;
                call(machine, plan, ("java/net/URI", "toURL", "()Ljava/net/URL;"), vec![uri], name)
            }
        }
    }
}

/// The folder of a plan, created at most once.
fn test_folder(plan: &mut Plan) -> Var {
    let known = plan.steps.iter().find_map(|step| match step {
        PlanStep::TestFolder { var } => Some(*var),
        _ => None,
    });
    known.unwrap_or_else(|| {
        let var = plan.variable(JavaType::class(FILE), "folder");
        plan.steps.push(PlanStep::TestFolder { var });
        var
    })
}

/// An unused file name of the plan: `a`, `b` and so on.
fn free_name(plan: &Plan, folder: Var) -> String {
    let made = plan.steps.iter().filter(|step| match step {
        PlanStep::Call { invokable, arguments, .. } => {
            invokable.is_constructor()
                && &*invokable.reference.class == FILE
                && arguments.first() == Some(&folder)
        }
        _ => false,
    });
    let number = made.count();
    let letter = char::from(b'a' + (number % 23) as u8);
    if number < 23 { letter.to_string() } else { format!("{letter}{}", number / 23) }
}

fn call(
    machine: &mut Machine,
    plan: &mut Plan,
    (class, name, descriptor): (&str, &str, &str),
    arguments: Vec<Var>,
    result: &str,
) -> Option<Var> {
    let class = machine.load(class).ok()?;
    let invokable = invokable(machine, class, name, descriptor)?;
    plan.call(&invokable, arguments, result)
}

/// `new File(folder, path)`
fn below(machine: &mut Machine, plan: &mut Plan, folder: Var, path: &str, name: &str) -> Option<Var> {
    let text =
        plan.input(Input::Text(path.encode_utf16().collect()), JavaType::class("java/lang/String"), "path");
    let constructor = (FILE, "<init>", "(Ljava/io/File;Ljava/lang/String;)V");
    call(machine, plan, constructor, vec![folder, text], name)
}

/// `file.mkdirs()`
fn make_folder(machine: &mut Machine, plan: &mut Plan, file: Var) -> Option<()> {
    call(machine, plan, (FILE, "mkdirs", "()Z"), vec![file], "made").map(|_| ())
}

/// `Files.write(file.toPath(), content)`
fn write(machine: &mut Machine, plan: &mut Plan, file: Var, length: u32) -> Option<()> {
    let path = call(machine, plan, (FILE, "toPath", "()Ljava/nio/file/Path;"), vec![file], "path")?;
    let content = plan.input(Input::Bytes(length), JavaType::Array(Box::new(JavaType::Byte)), "content");
    let option = machine.load("java/nio/file/OpenOption").ok()?;
    let ty = JavaType::Array(Box::new(JavaType::class("java/nio/file/OpenOption")));
    let options = plan.variable(ty, "options");
    plan.steps.push(PlanStep::NewArray { element: option, elements: Vec::new(), var: options });
    let descriptor = "(Ljava/nio/file/Path;[B[Ljava/nio/file/OpenOption;)Ljava/nio/file/Path;";
    call(machine, plan, (FILES, "write", descriptor), vec![path, content, options], "written").map(|_| ())
}

/// Whether a parameter of this type can be a path as a string.
pub(super) fn may_be_path_text(ty: &JavaType, kind: Kind) -> bool {
    kind == Kind::Reference && ty.is_string()
}
