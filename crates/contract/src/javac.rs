//! Runs `javac` on the generated classes, against copies of the program's classes in which every member is
//! public.

use crate::cache::{self, Key};
use crate::class_bytes;
use crate::compiler::{Classes, CompileError};
use crate::java::{Case, INFERENCE, Text, Types};
use crate::javac_messages::diagnostics;
use cupping_classfile::Program;
use cupping_classfile::manifest::jars_beside;
use cupping_confine::{ConfineError, JdkTool};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// Flags for a fast start of the JVM and English messages.
const JVM: [&str; 3] = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Duser.language=en"];
const OPTIONS: [&str; 8] =
    ["-g", "-nowarn", "-proc:none", "-implicit:none", "-encoding", "UTF-8", "-Xmaxerrs", "1000"];

/// `javac` for the testcases of one compilation.
pub(crate) struct Javac<'p, 's> {
    program: &'p Program,
    cases: &'p [(usize, Case<'s>)],
    key: Option<Key>,
    workplace: OnceCell<WorkFolder>,
}

/// The working folder.
struct WorkFolder {
    folder: tempfile::TempDir,
    opened: PathBuf,
}

impl<'p, 's> Javac<'p, 's> {
    pub(crate) fn new(program: &'p Program, cases: &'p [(usize, Case<'s>)]) -> Javac<'p, 's> {
        let key = Key::of(program).map(|key| key.with(&OPTIONS));
        Javac { program, cases, key, workplace: OnceCell::new() }
    }

    /// Compiles the classes of all testcases: without types for inference, with types for execution.
    pub(crate) fn classes(&self, types: Option<&[Types]>) -> Result<Classes, CompileError> {
        let text = |(at, (_, case)): (usize, &(usize, Case<'_>))| case.class(types.map(|types| &types[at]));
        let texts: Vec<Text> = self.cases.iter().enumerate().map(text).collect();
        let helpers = if types.is_none() { self.helpers() } else { Vec::new() };
        let names = self.cases.iter().map(|(_, case)| case.class.as_str());
        let sources = names.zip(texts.iter().map(|it| it.text.as_str()));
        let key = self.key.as_ref().map(|key| {
            let key = sources.fold(key.clone(), |key, (name, text)| key.with(&[name, text]));
            helpers.iter().fold(key, |key, text| key.with(&[text])).name()
        });
        if let Some(known) = key.as_deref().and_then(cache::find) {
            return Ok(known);
        }
        let classes = self.run(texts, &helpers, if types.is_none() { "1" } else { "2" })?;
        if let Some(key) = key {
            cache::keep(&key, &classes);
        }
        Ok(classes)
    }

    /// The inference classes of each package.
    fn helpers(&self) -> Vec<String> {
        let packages = self.packages().into_iter();
        packages
            .map(|package| match package {
                "" => INFERENCE.to_owned(),
                package => format!("package {package};\n{INFERENCE}"),
            })
            .collect()
    }

    fn packages(&self) -> Vec<&str> {
        let mut packages: Vec<&str> = self.cases.iter().map(|(_, case)| case.package.as_str()).collect();
        packages.sort_unstable();
        packages.dedup();
        packages
    }

    fn workplace(&self) -> Result<&WorkFolder, CompileError> {
        if let Some(workplace) = self.workplace.get() {
            return Ok(workplace);
        }
        let folder =
            tempfile::tempdir().map_err(|error| host("cannot create a folder for conditions", &error))?;
        let opened = self.opened(folder.path())?;
        Ok(self.workplace.get_or_init(|| WorkFolder { folder, opened }))
    }

    /// Writes copies of the classes of the tested packages with all members public, because conditions may
    /// access private members.
    fn opened(&self, folder: &Path) -> Result<PathBuf, CompileError> {
        let folder = folder.join("opened");
        let packages = self.packages();
        for entry in self.program.class_path().entries() {
            for name in entry.class_names().unwrap_or_default() {
                let package = name.rsplit_once('/').map_or("", |(package, _)| package).replace('/', ".");
                let file_name = format!("{name}.class");
                if packages.binary_search(&package.as_str()).is_err() {
                    continue;
                }
                let Some(bytes) =
                    entry.read(&file_name).ok().flatten().and_then(|bytes| class_bytes::opened(&bytes))
                else {
                    continue;
                };
                let path = folder.join(&file_name);
                // The first class path entry with a class wins.
                if !path.exists() {
                    write(&path, &bytes)?;
                }
            }
        }
        Ok(folder)
    }

    /// Runs `javac` in a folder with this name.
    fn run(&self, texts: Vec<Text>, helpers: &[String], round: &str) -> Result<Classes, CompileError> {
        let WorkFolder { folder, opened } = self.workplace()?;
        let folder = folder.path().join(round);
        let mut files: Vec<(PathBuf, Text, usize)> = Vec::new();
        for (at, text) in texts.into_iter().enumerate() {
            let path = folder.join("src").join(format!("{}.java", self.cases[at].1.class));
            write(&path, text.text.as_bytes())?;
            files.push((path, text, at));
        }
        let (out, no_sources) = (folder.join("out"), folder.join("none"));
        for folder in [&out, &no_sources] {
            std::fs::create_dir_all(folder)
                .map_err(|error| host("cannot create a folder for conditions", &error))?;
        }
        let jdk = self.program.jdk();
        let entries = self.program.class_path().entries().map(|entry| entry.path().to_owned());
        let entries: Vec<PathBuf> = std::iter::once(opened.clone()).chain(entries).collect();
        let failed = |error: ConfineError| CompileError::Host(error.to_string());
        let mut javac =
            JdkTool::javac(jdk.home(), &folder, &entries, jars_beside(&entries)).map_err(failed)?;
        javac = javac.args(JVM).args(OPTIONS).args(["-d".as_ref(), out.as_os_str()]);
        // Sources next to the tested classes must not be compiled.
        javac = javac.args(["-sourcepath".as_ref(), no_sources.as_os_str()]);
        for (at, text) in helpers.iter().enumerate() {
            let path = folder.join("src").join(at.to_string()).join("CuppingTypes.java");
            write(&path, text.as_bytes())?;
            javac = javac.args([path]);
        }
        let output = javac
            .args(files.iter().map(|(path, _, _)| path))
            .run()
            .map_err(|error| CompileError::Host(format!("{error}; name a JDK with --jdk")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout);
            let wrong = diagnostics(&said, &files, self.cases);
            return Err(if wrong.is_empty() {
                CompileError::Host(said.trim().to_owned())
            } else {
                CompileError::Wrong(wrong)
            });
        }
        let mut classes = Vec::new();
        collect(&out, "", &mut classes)
            .map_err(|error| host("cannot read the compiled conditions", &error))?;
        Ok(classes)
    }
}

pub(crate) fn host(what: &str, error: &dyn std::fmt::Display) -> CompileError {
    CompileError::Host(format!("{what}: {error}"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CompileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, bytes))
        .map_err(|error| host(&path.display().to_string(), &error))
}

/// The class files in a folder, sorted by name.
fn collect(folder: &Path, prefix: &str, classes: &mut Classes) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), classes)?;
        } else if let Some(class) = name.strip_suffix(".class") {
            classes.push((format!("{prefix}{class}"), std::fs::read(entry.path())?));
        }
    }
    Ok(())
}
