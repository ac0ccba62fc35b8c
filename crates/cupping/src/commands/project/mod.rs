//! `cupping project`: describes the surrounding project.

pub mod arguments;

use crate::process::console;
use crate::process::exit::Status;
use crate::shared::{project, write};
use arguments::Arguments;
use cupping_project::{FILE_NAME, Framework, Module, Project, ProjectFolder};
use cupping_report::files::Author;
use cupping_view::Envelope;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    let status = match show(args) {
        Ok(()) => Status::DONE,
        Err(error) => {
            console::diagnostic(&format!("error: {error}"));
            Status::BAD_INPUT
        }
    };
    ExitCode::from(status.code())
}

fn show(args: &Arguments) -> Result<(), String> {
    let folder = args.folder.clone().unwrap_or_else(|| ".".into());
    let folder =
        folder.canonicalize().map_err(|error| format!("{}: {error}; name a folder", folder.display()))?;
    let place = ProjectFolder::find(&folder).ok_or_else(|| {
        format!(
            "{}: there is no project of Maven, Gradle or Bazel, and no folder src with sources; use --classpath",
            folder.display()
        )
    })?;
    let project = project::open(&place, &args.jdk.locate()?, !args.no_build)?;
    let document = Document::of(&project);
    let json = || Envelope::new("project", &document).json().map_err(|error| error.to_string());
    match args.json.as_deref() {
        Some(file) if file == Path::new("-") => console::answer(&json()?),
        file => {
            if let Some(file) = file {
                write::file(file, json()?.as_bytes(), "name another file")?;
            }
            console::answer(&text(&project, &folder));
        }
    }
    Ok(())
}

/// The project in words, for a reader in a folder.
fn text(project: &Project, folder: &Path) -> String {
    let root = &project.place.root;
    let mut text = format!("{} ({})\n", root.display(), project.place.tool);
    let configuration = root.join(FILE_NAME);
    if configuration.is_file() {
        text.push_str(&format!("options  {}\n", project::shown(&configuration, folder)));
    }
    for module in &project.modules {
        let all = |paths: &[PathBuf]| -> String {
            let shown: Vec<String> =
                paths.iter().filter(|it| it.exists()).map(|it| project::shown(it, folder)).collect();
            if shown.is_empty() { "none".into() } else { shown.join(", ") }
        };
        let jars = module.jars().count();
        let tests =
            module.test_sources.first().map_or_else(|| "none".into(), |it| project::shown(it, folder));
        let libraries = module.libraries();
        text.push_str(&format!("\nmodule   {}\n", module.name));
        text.push_str(&format!("folder   {}\n", project::shown(&module.root, folder)));
        text.push_str(&format!("sources  {}\n", all(&module.sources)));
        text.push_str(&format!("classes  {}\n", all(&module.classes)));
        text.push_str(&format!("tests    {tests} (compiled in {})\n", all(&module.test_classes)));
        text.push_str(&format!("needs    {jars} jars, {} folders\n", module.class_path.len() - jars));
        text.push_str(&format!(
            "uses     {}\n",
            if libraries.is_empty() { "no test framework".into() } else { libraries.join(", ") }
        ));
        if let Some(release) = &module.release {
            text.push_str(&format!("release  {release}\n"));
        }
    }
    text
}

/// The results in JSON.
#[derive(Serialize)]
struct Document<'a> {
    root: &'a Path,
    tool: String,
    modules: Vec<ModuleDescription<'a>>,
}

/// A module, with what its class path says about its tests.
#[derive(Serialize)]
struct ModuleDescription<'a> {
    #[serde(flatten)]
    module: &'a Module,
    framework: Option<&'static str>,
    libraries: Vec<&'static str>,
}

impl<'a> Document<'a> {
    fn of(project: &'a Project) -> Document<'a> {
        let described = |module: &'a Module| ModuleDescription {
            module,
            framework: module.framework().map(Framework::name),
            libraries: module.libraries(),
        };
        Document {
            root: &project.place.root,
            tool: project.place.tool.to_string(),
            modules: project.modules.iter().map(described).collect(),
        }
    }
}
