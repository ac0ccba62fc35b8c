//! `cupping mcp`: a server of the Model Context Protocol on standard input and output.
//!
//! A tool is a command: each call starts Cupping again ([`question`]), for a bounded time, and makes an answer
//! ([`answer`]) of its JSON report. So a call can be ended, and nothing that it prints gets among the messages.
//!
//! `rmcp` is the protocol's own SDK; it needs `tokio`, here on one thread. It supports all revisions of the protocol
//! that clients use; `mcp-server` and `rust-mcp-sdk` are slower to follow.

mod answer;
pub mod arguments;
mod question;
mod server;

use crate::process::console::bad_input;
use crate::process::exit::Status;
use arguments::Arguments;
use cupping_report::files::Author;
use question::Questions;
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use server::Server;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Time that calls may take to end when the client is gone.
const FAREWELL: Duration = Duration::from_secs(6);

/// Runs the command.
pub fn run(args: &'static Arguments, _: Author) -> ExitCode {
    let status = serve(args).unwrap_or_else(|error| bad_input(&error));
    ExitCode::from(status.code())
}

fn serve(args: &'static Arguments) -> Result<Status, String> {
    let folder = args.folder.clone().unwrap_or_else(|| ".".into());
    let folder =
        folder.canonicalize().map_err(|error| format!("{}: {error}; name a folder", folder.display()))?;
    let questions = Arc::new(Questions::new(args, folder));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let server = Server::new(Arc::clone(&questions));
    let ended = runtime.block_on(async {
        let service = server.serve(stdio()).await.map_err(|error| error.to_string())?;
        service.waiting().await.map_err(|error| error.to_string())
    });
    questions.close();
    runtime.shutdown_timeout(FAREWELL);
    ended
        .map(|_| Status::DONE)
        .map_err(|error| format!("{error}; clients of the protocol start this command"))
}
