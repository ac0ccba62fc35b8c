//! `cupping doctor`: what is installed on this machine, and what is missing.

pub mod arguments;

use crate::process::console;
use crate::process::exit::Status;
use arguments::Arguments;
use cupping_classfile::Jdk;
use cupping_confine::Support;
use cupping_machine::natives::census;
use cupping_report::certify::{JarSources, cache_folder};
use cupping_report::files::Author;
use cupping_report::framework::Framework;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    ExitCode::from(doctor(args).code())
}

/// Prints a line for each thing that is needed.
fn doctor(args: &Arguments) -> Status {
    let jars = args.junit.sources();
    // A user needs one of the frameworks.
    let junit = Framework::ALL.map(|it| (it.row().name, junit_jars(&jars, it)));
    let has_junit = junit.iter().any(|(_, found)| found.is_ok());
    let jdk_found = args.jdk.locate();
    let (jdk, javac) = jdk(&jdk_found);
    let cache = cache();
    let all_well = jdk.is_ok() && javac.is_ok() && has_junit && cache.is_ok();
    line("JDK", &jdk);
    line("javac", &javac);
    junit.iter().for_each(|(name, found)| line(name, found));
    line("cache", &cache);
    line("confined", &confinement());
    let natives = jdk_found.as_ref().ok().map(|jdk| natives(jdk, args.natives.as_deref()));
    let all_well = all_well && natives.is_none_or(|read| read);
    if all_well { Status::DONE } else { Status::BAD_INPUT }
}

fn line(name: &str, found: &Result<String, String>) {
    match found {
        Ok(found) => console::answer(&format!("{name:<8} {found}\n")),
        Err(missing) => console::answer(&format!("{name:<8} missing: {missing}\n")),
    }
}

/// How far the kernel can confine the JVM that certifies tests. Partial support is not an error: tests without
/// effects still run.
fn confinement() -> Result<String, String> {
    let support = Support::of_kernel();
    if support.is_full() {
        Ok(support.to_string())
    } else {
        Err(format!(
            "{support}; only tests known to have no effects are certified, unless you pass --unconfined"
        ))
    }
}

fn jdk(found: &Result<Jdk, String>) -> (Result<String, String>, Result<String, String>) {
    match found {
        Err(error) => (Err(error.clone()), Err("part of the JDK".into())),
        Ok(jdk) => {
            let javac = jdk.javac_binary();
            let found = if javac.is_file() {
                Ok(javac.display().to_string())
            } else {
                let remedy =
                    "install a complete JDK (`apt-get install default-jdk-headless`) or name one with --jdk";
                Err(format!("{} is not there; {remedy}", javac.display()))
            };
            (Ok(format!("{} in {}", jdk.feature_version(), jdk.home().display())), found)
        }
    }
}

fn junit_jars(sources: &JarSources, version: Framework) -> Result<String, String> {
    let jars = sources.find(version).map_err(|error| error.to_string())?;
    Ok(jars.iter().map(|jar| jar.display().to_string()).collect::<Vec<_>>().join(" "))
}

/// The module whose natives decide whether programs run.
const BASE: &str = "java.base";

/// Counts the native methods that the JDK declares and the machine implements; lists those of the requested modules.
fn natives(jdk: &Jdk, listed: Option<&str>) -> bool {
    let modules = match census(jdk) {
        Ok(modules) => modules,
        Err(error) => {
            line("natives", &Err(error.to_string()));
            return false;
        }
    };
    let count = |name: &str| {
        modules.get(name).map_or((0, 0), |all| (all.iter().filter(|it| it.here).count(), all.len()))
    };
    let (here, declared) = count(BASE);
    let (all_here, all) =
        modules.keys().map(|it| count(it)).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let text = format!("{here} of {declared} in {BASE}, {all_here} of {all} in all modules");
    line("natives", &Ok(text));
    let Some(wanted) = listed else { return true };
    let mut names: Vec<&String> = modules.keys().filter(|it| wanted == "all" || *it == wanted).collect();
    // java.base first, then by name.
    names.sort_by_key(|name| (*name != BASE, *name));
    for name in &names {
        for native in &modules[*name] {
            let state = if native.here { "has" } else { "lacks" };
            console::answer(&format!("{state} {name} {}\n", native.method));
        }
    }
    if names.is_empty() && wanted != "all" {
        console::error(&format!(
            "no module {wanted} of this JDK declares native methods; name another, or all"
        ));
        return false;
    }
    true
}

/// The cache folder, if a file can be made in it.
fn cache() -> Result<String, String> {
    let folder = cache_folder();
    let made = std::fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder));
    match made {
        Ok(_) => Ok(folder.display().to_string()),
        Err(error) => Err(format!(
            "{} cannot be written ({error}); set XDG_CACHE_HOME to a writable folder",
            folder.display()
        )),
    }
}
