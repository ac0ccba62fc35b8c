//! The recipes of continuous integration: their scripts run, and their YAML has the structure that its reader
//! requires. The readers' schemas are on the network, which tests do not use; their requirements are checked here.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{compile, cupping, repository, scratch};
use yaml_rust2::{Yaml, YamlLoader};

fn yaml(file: &str) -> Yaml {
    let text = fs::read_to_string(repository().join(file)).unwrap();
    YamlLoader::load_from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}")).remove(0)
}

/// The keys of a mapping.
fn keys(yaml: &Yaml) -> Vec<&str> {
    yaml.as_hash().unwrap().keys().map(|key| key.as_str().unwrap()).collect()
}

/// The scripts of this repository that a text names exist and are executable.
fn scripts_are_there(text: &str) {
    let words = text.split(|it: char| it.is_whitespace() || "\"'".contains(it));
    let named: Vec<&str> = words.filter_map(|it| Some(&it[it.find("ci/")?..])).collect();
    assert!(!named.is_empty(), "{text}");
    for script in named.into_iter().filter(|it| it.ends_with(".sh")) {
        let mode = fs::metadata(repository().join(script)).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{script}");
    }
}

/// <https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax>
#[test]
fn the_action_is_a_composite_one() {
    let action = yaml("action.yml");
    for key in ["name", "description", "runs"] {
        assert!(keys(&action).contains(&key), "{key}");
    }
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let inputs = keys(&action["inputs"]);
    for input in &inputs {
        assert!(action["inputs"][*input]["description"].as_str().is_some(), "{input}");
    }
    let mut text = String::new();
    for step in action["runs"]["steps"].as_vec().unwrap() {
        let run = step["run"].as_str().unwrap();
        assert_eq!(step["shell"].as_str(), Some("bash"), "a step of an action names its shell: {run}");
        assert!(!run.contains("${{"), "an input in a script is run as one: {run}");
        for (_, value) in step["env"].as_hash().into_iter().flatten() {
            text += value.as_str().unwrap();
        }
        text += run;
        text += "\n";
    }
    // Every input that is used is declared, and vice versa.
    let file = fs::read_to_string(repository().join("action.yml")).unwrap();
    for input in &inputs {
        assert!(file.contains(&format!("inputs.{input}")), "{input} is not used");
    }
    for part in file.split("inputs.").skip(1) {
        let name: String = part.chars().take_while(|it| it.is_alphanumeric() || *it == '-').collect();
        assert!(inputs.contains(&name.as_str()), "{name} is not declared");
    }
    scripts_are_there(&text);
}

/// <https://docs.gitlab.com/ci/yaml/>
#[test]
fn the_template_for_gitlab_has_one_job() {
    let template = yaml("ci/gitlab.yml");
    assert_eq!(keys(&template), ["cupping"]);
    let job = &template["cupping"];
    let known = ["stage", "image", "variables", "rules", "script", "artifacts"];
    keys(job).into_iter().for_each(|key| assert!(known.contains(&key), "{key}"));
    assert!(job["script"][0].as_str().unwrap().contains("cupping-check"));
    let reports = job["artifacts"]["reports"]["junit"].as_str().unwrap();
    assert_eq!(Path::new(reports).parent(), Some(Path::new("cupping-reports")));
    let image = fs::read_to_string(repository().join("ci/Dockerfile")).unwrap();
    assert!(image.contains("ci/check.sh /usr/local/bin/cupping-check"), "the job runs what the image has");
}

/// <https://pre-commit.com/#creating-new-hooks>
#[test]
fn the_hook_is_described() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hook = &hooks[0];
    for key in ["id", "name", "entry", "language"] {
        assert!(hook[key].as_str().is_some(), "{key}");
    }
    assert_eq!(hook["language"].as_str(), Some("script"));
    scripts_are_there(hook["entry"].as_str().unwrap());
}

#[test]
fn the_image_runs_as_nobody_special() {
    let image = fs::read_to_string(repository().join("ci/Dockerfile")).unwrap();
    let lines: Vec<&str> = image.lines().collect();
    let user = lines.iter().rposition(|it| it.starts_with("USER ")).unwrap();
    let last_stage = lines.iter().rposition(|it| it.starts_with("FROM ")).unwrap();
    assert!(user > last_stage && lines[user] != "USER root", "{image}");
    assert!(lines[last_stage..].iter().any(|it| it.contains("COPY --from=build")), "{image}");
    for copied in lines.iter().filter_map(|it| it.strip_prefix("COPY ci/")) {
        let file = copied.split(' ').next().unwrap();
        assert!(repository().join("ci").join(file).is_file(), "{copied}");
    }
}

/// <https://code.visualstudio.com/api/references/contribution-points>
#[test]
fn the_extension_names_files_that_are_there() {
    let folder = repository().join("editors");
    let read = |file: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(folder.join(file)).unwrap()).unwrap()
    };
    let extension = read("package.json");
    for key in ["name", "version", "publisher"] {
        assert!(extension[key].is_string(), "{key}");
    }
    assert!(extension["engines"]["vscode"].is_string());
    let language = &extension["contributes"]["languages"][0];
    let grammar = &extension["contributes"]["grammars"][0];
    assert_eq!(language["id"], grammar["language"]);
    assert_eq!(language["extensions"][0], ".tj");
    assert_eq!(read(grammar["path"].as_str().unwrap())["scopeName"], grammar["scopeName"]);
    assert!(read(language["configuration"].as_str().unwrap())["comments"]["lineComment"].is_string());
}

/// A folder with a class and its generated tests, and `cupping` on its path.
struct Job {
    folder: PathBuf,
}

impl Job {
    fn new(name: &str) -> Job {
        let folder = scratch(name);
        fs::create_dir_all(folder.join("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_cupping"), folder.join("bin/cupping")).unwrap();
        let job = Job { folder };
        job.class("return 7;");
        job
    }

    /// Compiles the class with this body of its method.
    fn class(&self, body: &str) {
        let source = self.folder.join("Rate.java");
        fs::write(&source, format!("public class Rate {{ public int rate() {{ {body} }} }}")).unwrap();
        fs::create_dir_all(self.folder.join("classes")).unwrap();
        compile(&[source], "", &self.folder.join("classes"));
    }

    fn run(&self, script: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let path = format!("{}:{}", self.folder.join("bin").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(script);
        command.current_dir(&self.folder).args(args).env("PATH", path).envs(variables.iter().copied());
        command.output().unwrap()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}

const CHECK: [&str; 4] = ["--classpath", "classes", "--tests", "tests"];

#[test]
fn the_script_of_the_recipes_shows_what_changed() {
    let job = Job::new("recipes-check");
    let script = repository().join("ci/check.sh").canonicalize().unwrap();
    let none = job.run(&script, &CHECK, &[]);
    assert_eq!(none.status.code(), Some(0), "{none:?}");
    assert!(String::from_utf8_lossy(&none.stdout).contains("no generated test yet"), "{none:?}");
    cupping(&job.folder, &["generate", "-cp", "classes", "Rate", "--out", "tests", "--budget", "2s"])
        .expect(0);
    let variables =
        [("GITHUB_STEP_SUMMARY", "summary"), ("GITHUB_OUTPUT", "output"), ("CUPPING_REPORTS", "r")];
    assert_eq!(job.run(&script, &CHECK, &variables).status.code(), Some(0));
    job.class("return 8;");
    assert_eq!(job.run(&script, &CHECK, &variables).status.code(), Some(1));
    assert!(job.read("summary").contains("| `7` | `8` |"), "{}", job.read("summary"));
    assert_eq!(job.read("output"), "code=0\nreports=r\ncode=1\nreports=r\n");
    for file in ["r/check.sarif", "r/check.xml", "r/check.json"] {
        assert!(!job.read(file).is_empty());
    }
    // A file of known findings is used if it exists.
    let known = ["--accept", "cupping-accepted.json", "--reason", "a new rate"];
    cupping(&job.folder, &[&["check"], &CHECK[..], &known].concat()).expect(0);
    assert_eq!(job.run(&script, &CHECK, &variables).status.code(), Some(0));
    let missing = job.run(&script, &CHECK, &[("CUPPING", "no-such-program")]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn the_hook_checks_the_classes_of_the_files() {
    let job = Job::new("recipes-hook");
    let script = repository().join("ci/pre-commit.sh").canonicalize().unwrap();
    fs::write(job.folder.join("cupping.toml"), "classpath = \"classes\"\n\n[check]\ntests = [\"tests\"]\n")
        .unwrap();
    assert_eq!(job.run(&script, &["notes.txt", "Gone.java"], &[]).status.code(), Some(0));
    assert_eq!(job.run(&script, &["Rate.java"], &[]).status.code(), Some(0), "no tests yet");
    cupping(&job.folder, &["generate", "Rate", "--out", "tests", "--budget", "2s"]).expect(0);
    job.class("return 8;");
    let run = job.run(&script, &["notes.txt", "Rate.java"], &[]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
}

/// An archive is used with its checksum only.
#[test]
fn an_archive_is_held_against_its_checksum() {
    let job = Job::new("recipes-install");
    fs::remove_file(job.folder.join("bin/cupping")).unwrap();
    let program = job.folder.join("cupping-1/bin/cupping");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "#!/bin/sh\necho cupping of the archive\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let tar = Command::new("tar").current_dir(&job.folder).args(["-czf", "a.tar.gz", "cupping-1"]).status();
    assert!(tar.unwrap().success());
    let sum = Command::new("sha256sum").arg(job.folder.join("a.tar.gz")).output().unwrap().stdout;
    let sum = String::from_utf8(sum).unwrap()[..64].to_owned();
    let archive = format!("file://{}", job.folder.join("a.tar.gz").display());
    let prefix = job.folder.join("installed").display().to_string();
    let script = repository().join("ci/install.sh").canonicalize().unwrap();
    let install = |sum: &str| {
        let variables = [
            ("CUPPING_ARCHIVE", archive.as_str()),
            ("CUPPING_SHA256", sum),
            ("CUPPING_PREFIX", prefix.as_str()),
            ("GITHUB_PATH", "paths"),
            ("PATH", "/usr/bin:/bin"),
        ];
        job.run(&script, &[], &variables)
    };
    assert_eq!(install("").status.code(), Some(2));
    assert_eq!(install(&"0".repeat(64)).status.code(), Some(2));
    assert!(!Path::new(&prefix).exists(), "nothing is installed");
    let good = install(&sum);
    assert_eq!(String::from_utf8_lossy(&good.stdout), "cupping of the archive\n", "{good:?}");
    assert_eq!(job.read("paths"), format!("{prefix}/bin\n"));
}
