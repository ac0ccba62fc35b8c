//! The tools, as clients see them.

use super::answer::{Answer, TestReport, differences, specification};
use super::question::{Question, QuestionReport, Questions};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::{Json, RoleServer, ServerHandler, schemars, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Calls that run at the same time; others wait.
const MOST_CALLS: usize = 2;

const INSTRUCTIONS: &str = "\
Answers questions about compiled Java code by running it on Cupping's own machine, and tests on a confined JVM. \
No tests are written to files. Compile first: answers are about the class files. In a project of Maven, Gradle or \
Bazel the build tool reports the class path, and may compile stale classes; otherwise pass `classpath`. Each call is \
bounded by `seconds` (60 by default); more time finds more. Tests in answers have been compiled and have passed on the \
JDK.";

/// The server.
pub struct Server {
    questions: Arc<Questions>,
    calls: Arc<Semaphore>,
    tool_router: ToolRouter<Server>,
}

/// A method of a class.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfMethod {
    /// The class: org.example.Range, org.example.Map$Entry, or the path of its .java file.
    class: String,
    /// The method: NAME, or NAME(DESCRIPTOR) as add(I)V. Without it, all methods of the class.
    method: Option<String>,
    /// Folders and jars, as java takes a class path. Not needed in a project.
    classpath: Option<String>,
    /// Seconds for the answer at most.
    seconds: Option<u32>,
}

/// Lines of a source.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfLines {
    /// The .java file, absolute or relative to the folder of the server.
    file: String,
    /// The first line.
    line: u32,
    /// The last line; the first if there is none.
    to: Option<u32>,
    /// Folders and jars, as java takes a class path. Not needed in a project.
    classpath: Option<String>,
    /// Seconds for the answer at most.
    seconds: Option<u32>,
}

/// Mutants of a line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfMutant {
    /// The .java file, absolute or relative to the folder of the server.
    file: String,
    /// The line.
    line: u32,
    /// A part of the mutant's text, such as `changed bound` or `ifle becomes iflt`. Without it, all mutants of the
    /// line.
    mutant: Option<String>,
    /// Folders and jars, as java takes a class path. Not needed in a project.
    classpath: Option<String>,
    /// Seconds for the answer at most.
    seconds: Option<u32>,
}

/// Two versions of classes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfVersions {
    /// The old version: folders and jars, as java takes a class path.
    old: String,
    /// The classes as they are now.
    new: String,
    /// Classes that are searched for differences: org.example.Range, org.example.*. Without them, all from which
    /// changes are visible.
    #[serde(default)]
    classes: Vec<String>,
    /// Folders and jars that both need.
    classpath: Option<String>,
    /// Seconds for the answer at most.
    seconds: Option<u32>,
}

/// A class, or the methods at lines of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfClass {
    /// The class: org.example.Range, or the path of its .java file.
    class: String,
    /// A line of the .java file: only the method there, and invariants. `class` is then the path of the file.
    line: Option<u32>,
    /// Folders and jars, as java takes a class path. Not needed in a project.
    classpath: Option<String>,
    /// Seconds for the answer at most.
    seconds: Option<u32>,
}

type Context = RequestContext<RoleServer>;

// The schema of answers is derived from the return type of a tool as it is written; an alias would hide it. No tool
// is `read_only`: the build tool of a project may run, with the rights of the user.
#[tool_router]
impl Server {
    /// A server that puts questions in this way.
    pub fn new(questions: Arc<Questions>) -> Server {
        let calls = Arc::new(Semaphore::new(MOST_CALLS));
        Server { questions, calls, tool_router: Server::tool_router() }
    }

    /// Finds inputs on which a method throws an exception that it does not declare: likely defects, with the cause, the
    /// condition, and a JUnit test each.
    #[tool(name = "failing_inputs_of_method", annotations(read_only_hint = false, destructive_hint = false))]
    async fn failing_inputs(
        &self,
        Parameters(of): Parameters<OfMethod>,
        context: Context,
    ) -> Result<Json<Answer>, String> {
        let mut words = words(["generate", "--edits", "--preconditions"], [plain(&of.class)?]);
        if let Some(method) = of.method {
            words.push(format!("--method={method}"));
        }
        let answered = self.ask(printed(words, of.classpath, of.seconds), context).await?;
        Ok(Json(TestReport::of(answered)?.failing_inputs()))
    }

    /// Writes JUnit tests that run given lines of a Java source. They pass on the present code, so read what they
    /// assert.
    #[tool(name = "tests_for_lines", annotations(read_only_hint = false, destructive_hint = false))]
    async fn tests_for_lines(
        &self,
        Parameters(of): Parameters<OfLines>,
        context: Context,
    ) -> Result<Json<Answer>, String> {
        let words = words(["generate", "--edits"], [at(&of.file, of.line, of.to)]);
        let answered = self.ask(printed(words, of.classpath, of.seconds), context).await?;
        Ok(Json(TestReport::of(answered)?.tests_of_lines()))
    }

    /// Says for each mutant (a small fault) of a line which test would detect it, or why none was found: no argument
    /// makes a difference, or the search needs more time.
    #[tool(name = "what_would_notice_mutant", annotations(read_only_hint = false, destructive_hint = false))]
    async fn notice(
        &self,
        Parameters(of): Parameters<OfMutant>,
        context: Context,
    ) -> Result<Json<Answer>, String> {
        let words = words(["generate", "--edits", "--criterion=mutation"], [at(&of.file, of.line, None)]);
        let answered = self.ask(printed(words, of.classpath, of.seconds), context).await?;
        let line = u64::from(of.line);
        Ok(Json(TestReport::of(answered)?.mutants(&of.mutant.unwrap_or_default(), |it| it == line)))
    }

    /// Finds calls on which two versions of Java classes differ, confirmed on the JDK, and says for each changed
    /// method whether it differs.
    #[tool(
        name = "difference_between_versions",
        annotations(read_only_hint = false, destructive_hint = false)
    )]
    async fn difference(
        &self,
        Parameters(of): Parameters<OfVersions>,
        context: Context,
    ) -> Result<Json<Answer>, String> {
        let mut named = vec![plain(&of.old)?, plain(&of.new)?];
        for class in &of.classes {
            named.push(plain(class)?);
        }
        let question =
            Question { is_printed: false, ..printed(words(["diff"], named), of.classpath, of.seconds) };
        Ok(Json(differences(self.ask(question, context).await?)))
    }

    /// Infers what likely holds for a class: invariants, preconditions, postconditions, conditions of exceptions and
    /// axioms, each with its evidence.
    #[tool(name = "likely_specification", annotations(read_only_hint = false, destructive_hint = false))]
    async fn specification(
        &self,
        Parameters(of): Parameters<OfClass>,
        context: Context,
    ) -> Result<Json<Answer>, String> {
        let named = match of.line {
            Some(line) => at(&of.class, line, None),
            None => plain(&of.class)?,
        };
        let question =
            Question { is_printed: false, ..printed(words(["infer"], [named]), of.classpath, of.seconds) };
        Ok(Json(specification(self.ask(question, context).await?)?))
    }

    /// Finds a sequence of calls that runs a line of a Java source, as a JUnit test: the shortest of those found.
    /// Otherwise says what prevents the search from reaching it.
    #[tool(
        name = "sequence_that_reaches_line",
        annotations(read_only_hint = false, destructive_hint = false)
    )]
    async fn sequence(
        &self,
        Parameters(of): Parameters<OfLines>,
        context: Context,
    ) -> Result<Json<Answer>, String> {
        let words = words(["generate", "--edits", "--criterion=line"], [at(&of.file, of.line, of.to)]);
        let answered = self.ask(printed(words, of.classpath, of.seconds), context).await?;
        Ok(Json(TestReport::of(answered)?.sequence()))
    }
}

impl Server {
    /// Asks on a thread that may block, for as long as the client wants the answer.
    async fn ask(&self, question: Question, context: Context) -> Result<QuestionReport, String> {
        let _call = self.calls.acquire().await.map_err(|error| error.to_string())?;
        let questions = Arc::clone(&self.questions);
        let asking = move || questions.ask(question, || !context.ct.is_cancelled());
        tokio::task::spawn_blocking(asking).await.map_err(|error| error.to_string())?
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("cupping", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }
}

fn words(
    first: impl IntoIterator<Item = &'static str>,
    rest: impl IntoIterator<Item = String>,
) -> Vec<String> {
    first.into_iter().map(str::to_owned).chain(rest).collect()
}

fn printed(words: Vec<String>, classpath: Option<String>, seconds: Option<u32>) -> Question {
    Question { words, classpath, seconds, is_printed: true }
}

/// `--at=FILE:FROM-TO`.
fn at(file: &str, from: u32, to: Option<u32>) -> String {
    format!("--at={file}:{from}-{}", to.unwrap_or(from))
}

/// Rejects a word that is not an option.
fn plain(word: &str) -> Result<String, String> {
    match word.starts_with('-') || word.trim().is_empty() {
        true => Err(format!("'{word}' is neither a class nor a path")),
        false => Ok(word.to_owned()),
    }
}
