//! `--junit`, `--name-pattern`, `--unconfined`: how certified tests are written, and the certifier.

use crate::process::console;
use crate::shared::junit::JunitArgs;
use crate::shared::style::StyleArgs;
use clap::{Args, ValueEnum};
use cupping_classfile::manifest::jars_beside;
use cupping_classfile::{Jdk, Program};
use cupping_confine::Support;
use cupping_report::certify::{Certifier, CertifierOptions};
use cupping_report::files::NamePattern;
use cupping_report::framework::Framework;
use cupping_report::junit::TestForm;
use std::path::Path;

/// The annotation of tests with parameters.
const PARAMETERIZED: &str = "org/junit/jupiter/params/ParameterizedTest";

/// `--junit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Junit {
    /// JUnit 4.13
    #[value(name = "4")]
    Four,
    /// JUnit 5 (Jupiter)
    #[value(name = "5")]
    Five,
    /// TestNG
    #[value(name = "testng")]
    TestNg,
}

/// `--parameterized`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Parameterized {
    /// If junit-jupiter-params is on the class path
    Auto,
    /// Always with JUnit 5
    Always,
    /// Never
    Never,
}

/// Arguments of commands that write certified tests.
#[derive(Debug, Args)]
pub struct EmissionArgs {
    /// Name pattern of test classes; {class} stands for the name of the class
    ///
    /// A file of that name that Cupping did not write, or that was edited, is left alone; the tests are then in
    /// CCuppingTest (docs/generated-files.md).
    #[arg(long, value_name = "PATTERN", default_value = "{class}Test", help_heading = "Output")]
    pub name_pattern: NamePattern,

    /// The framework of the tests: JUnit 4, JUnit 5, or TestNG
    #[arg(long, value_name = "VERSION", default_value = "5", help_heading = "Output")]
    pub junit: Junit,

    /// Write five or more tests that differ only in literals as one @ParameterizedTest of JUnit 5; auto does so if
    /// junit-jupiter-params is on the class path
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always", num_args = 0..=1,
          require_equals = true, help_heading = "Output")]
    pub parameterized: Parameterized,

    #[command(flatten)]
    pub style: StyleArgs,

    #[command(flatten)]
    pub jars: JunitArgs,

    /// Let the JVM that certifies tests do to this computer what you may do: for systems on which it cannot be
    /// confined
    ///
    /// Without it, a test is run only if it cannot affect anything outside of an empty folder, or is known to have
    /// no effect.
    #[arg(long, help_heading = "Output")]
    pub unconfined: bool,
}

impl EmissionArgs {
    /// The JUnit to write for.
    pub fn version(&self) -> Framework {
        match self.junit {
            Junit::Four => Framework::Junit4,
            Junit::Five => Framework::Junit5,
            Junit::TestNg => Framework::TestNg,
        }
    }

    /// What tests of a program's classes are written for, and in which style.
    ///
    /// # Errors
    /// As [`StyleArgs::style`].
    pub fn form(&self, program: &Program) -> Result<TestForm, String> {
        Ok(TestForm { framework: self.version(), style: self.style.style(program)? })
    }

    /// Whether tests of a program's classes that differ in literals only become one.
    pub fn is_parameterized(&self, program: &Program) -> bool {
        self.version() == Framework::Junit5
            && match self.parameterized {
                Parameterized::Auto => {
                    let named = self.jars.sources().named;
                    matches!(program.find(PARAMETERIZED), Ok(Some(_)))
                        || named.iter().any(|jar| has_parameters(jar))
                }
                Parameterized::Always => true,
                Parameterized::Never => false,
            }
    }

    /// Starts the JVM that certifies tests of a program's classes.
    ///
    /// # Errors
    /// There is no `javac`, or no JUnit.
    pub fn certifier(&self, program: &Program) -> Result<Certifier, String> {
        let options = CertifierNeeds {
            framework: self.version(),
            unconfined: self.unconfined,
            parameterized: self.is_parameterized(program),
        };
        certifier(program, &self.jars, &options)
    }
}

/// What tests need from the JVM that certifies or runs them.
#[derive(Clone, Copy, Debug)]
pub struct CertifierNeeds {
    /// The framework that they are written for.
    pub framework: Framework,
    /// `--unconfined`.
    pub unconfined: bool,
    /// Whether some may be parameterized.
    pub parameterized: bool,
}

/// Whether a jar of JUnit named by the user or the project supports parameterized tests.
fn has_parameters(jar: &Path) -> bool {
    let name = jar.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("junit-jupiter-params") || name.starts_with("junit-platform-console-standalone")
}

/// Starts the JVM that certifies or runs tests of a program's classes.
///
/// # Errors
/// There is no `javac`, or no JUnit.
pub fn certifier(program: &Program, jars: &JunitArgs, needs: &CertifierNeeds) -> Result<Certifier, String> {
    let CertifierNeeds { framework, unconfined, parameterized } = *needs;
    require_javac(program.jdk())?;
    if !unconfined && !Support::of_kernel().is_full() {
        console::warning(&format!(
            "confinement is {}; tests that have effects are neither run nor written (docs/security.md); \
             --unconfined runs them with your own rights",
            Support::of_kernel()
        ));
    }
    let mut options = CertifierOptions::new(program.jdk().home(), framework);
    options.jars = jars.sources();
    options.class_path = program.class_path().entries().map(|it| it.path().to_owned()).collect();
    let mut junit = options.jars.find(framework).unwrap_or_default();
    options.parameterized = parameterized;
    junit.extend(options.jars.find_parameters(framework).filter(|_| parameterized));
    options.beside = jars_beside(&[options.class_path.clone(), junit].concat());
    options.unconfined = unconfined;
    options.assertions = program.has_assertions();
    Certifier::start(options).map_err(|error| error.to_string())
}

/// Rejects a JRE, which has no `javac`.
fn require_javac(jdk: &Jdk) -> Result<(), String> {
    let javac = jdk.javac_binary();
    if javac.is_file() {
        return Ok(());
    }
    Err(format!(
        "{}: no such file; this is a JRE, and tests are compiled with javac: install a JDK (on Debian \
         `apt-get install default-jdk-headless`) or name one with --jdk",
        javac.display()
    ))
}
