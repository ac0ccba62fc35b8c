//! `cupping mcp`: conversations with clients of the Model Context Protocol.
#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use support::{compile, scratch};

const TILL: &str = "\
package shop;

public class Till {
    private final int[] coins = new int[2];
    private int count;

    public void add(int coin) {
        if (coin > 0) {
            coins[count] = coin;
            count++;
        }
    }

    public int total() {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += coins[i];
        }
        return sum;
    }

    public boolean isFull() {
        if (count == 2) {
            return true;
        }
        return false;
    }

    static int never(int x) {
        if (x > 0 && x < 0) {
            return 1;
        }
        return x;
    }
}
";

/// A folder with the sources in `src`, the classes in `classes`, and classes of a faulty version in `faulty`.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    for (sources, classes, text) in
        [("src", "classes", TILL.to_owned()), ("other", "faulty", TILL.replace("count == 2", "count == 1"))]
    {
        let file = folder.join(sources).join("shop/Till.java");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::create_dir_all(folder.join(classes)).unwrap();
        fs::write(&file, text).unwrap();
        compile(&[file], "", &folder.join(classes));
    }
    folder
}

/// The line of the source that has this text.
fn line(text: &str) -> usize {
    TILL.lines().position(|line| line.contains(text)).unwrap() + 1
}

/// A client with its server.
struct Client {
    server: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<std::process::ChildStdout>,
    next: u64,
}

impl Client {
    fn start(folder: &Path, args: &[&str]) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cupping"));
        command.arg("mcp").args(args).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut server = command.spawn().unwrap();
        let (requests, answers) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let mut client = Client { server, requests, answers, next: 0 };
        let info = client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(info["result"]["serverInfo"]["name"], "cupping", "{info}");
        assert_eq!(info["result"]["protocolVersion"], "2025-06-18", "{info}");
        assert!(info["result"]["capabilities"]["tools"].is_object(), "{info}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        let requests = self.requests.as_mut().unwrap();
        writeln!(requests, "{message}").unwrap();
        requests.flush().unwrap();
    }

    /// Sends a request, and reads messages until its answer. Everything on standard output must be a message.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.answer(id)
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the server has ended");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool that has to give an answer.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "{answer}");
        let structured = result["structuredContent"].clone();
        for key in ["summary", "complete", "findings", "files", "remarks"] {
            assert!(!structured[key].is_null(), "{tool} has no {key}: {answer}");
        }
        structured
    }

    /// Calls a tool that has to fail; what it says.
    #[track_caller]
    fn fails(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let is_error = answer["result"]["isError"] == true || answer["error"].is_object();
        assert!(is_error, "{answer}");
        answer.to_string()
    }

    /// Ends the conversation; the server's exit code.
    fn end(mut self) -> Option<i32> {
        drop(self.requests.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.answers, &mut rest).unwrap();
        assert_eq!(rest, "");
        self.server.wait().unwrap().code()
    }
}

#[test]
fn every_tool_answers_a_client() {
    let folder = folder("mcp");
    let mut client = Client::start(&folder, &["--classpath", "classes"]);
    let listed = client.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let mut names: Vec<&str> = tools.iter().map(|it| it["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "difference_between_versions",
            "failing_inputs_of_method",
            "likely_specification",
            "sequence_that_reaches_line",
            "tests_for_lines",
            "what_would_notice_mutant"
        ]
    );
    for tool in tools {
        assert!(tool["description"].as_str().unwrap().len() > 40, "{tool}");
        assert!(tool["inputSchema"]["properties"]["seconds"].is_object(), "{tool}");
        assert!(tool["outputSchema"]["properties"]["findings"].is_object(), "{tool}");
    }

    // The third coin has no place.
    let failing = client.call("failing_inputs_of_method", &json!({ "class": "shop.Till", "method": "add" }));
    let first = &failing["findings"][0];
    assert_eq!(first["thrown"]["class"], "java.lang.ArrayIndexOutOfBoundsException", "{failing}");
    let source = first["source"].as_str().unwrap();
    assert_eq!(source.matches(".add(").count(), 3, "{source}");
    assert!(failing["files"][0]["text"].as_str().unwrap().contains(first["name"].as_str().unwrap()));

    let (file, full) = ("src/shop/Till.java", line("return true"));
    let tests = client.call("tests_for_lines", &json!({ "file": file, "line": full }));
    let found = tests["findings"].as_array().unwrap();
    assert!(!found.is_empty(), "{tests}");
    for test in found {
        assert!(test["lines"].as_array().unwrap().contains(&json!(full)), "{test}");
        assert_eq!(test["method"]["name"], "isFull", "{test}");
    }

    let sequence = client.call("sequence_that_reaches_line", &json!({ "file": file, "line": full }));
    let source = sequence["findings"][0]["source"].as_str().unwrap();
    assert!(source.matches(".add(").count() == 2 && source.contains(".isFull()"), "{source}");
    let never = json!({ "file": file, "line": line("return 1;"), "seconds": 20 });
    let never = client.call("sequence_that_reaches_line", &never);
    assert_eq!(never["findings"], json!([]), "{never}");
    let remarks = never["remarks"].as_array().unwrap();
    assert!(
        remarks.len() == 1 && remarks[0].as_str().unwrap().contains("Till.never is not covered"),
        "{never}"
    );

    let mutants = json!({ "file": file, "line": line("count == 2"), "mutant": "condition" });
    let mutants = client.call("what_would_notice_mutant", &mutants);
    let noticed = &mutants["findings"][0];
    assert!(noticed["what"].as_str().unwrap().contains("condition"), "{mutants}");
    assert_eq!(noticed["noticed"], true, "{mutants}");
    assert!(noticed["by"][0]["source"].as_str().unwrap().contains("isFull"), "{mutants}");

    let versions = json!({ "old": "classes", "new": "faulty" });
    let versions = client.call("difference_between_versions", &versions);
    assert!(versions["findings"][0]["difference"].to_string().contains("isFull"), "{versions}");

    let likely = client
        .call("likely_specification", &json!({ "class": file, "line": line("int sum") , "seconds": 120 }));
    let lines = likely["findings"][0]["specification"].to_string();
    assert!(lines.contains("total()") && !lines.contains("\"isFull()"), "{lines}");

    assert_eq!(client.end(), Some(0));
    // Nothing was written.
    let mut left: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["classes", "faulty", "other", "src"]);
}

#[test]
fn mistakes_are_told_and_the_server_goes_on() {
    let folder = folder("mcp-mistakes");
    let mut client = Client::start(&folder, &["--classpath", "classes"]);
    let unknown = client.fails("failing_inputs_of_method", &json!({ "class": "shop.Tull" }));
    assert!(unknown.contains("shop.Tull"), "{unknown}");
    let method = client.fails("failing_inputs_of_method", &json!({ "class": "shop.Till", "method": "ad" }));
    assert!(method.contains("--method ad") && method.contains("add"), "{method}");
    let option = client.fails("failing_inputs_of_method", &json!({ "class": "--out=/tmp/x" }));
    assert!(option.contains("neither a class nor a path"), "{option}");
    let none = client.fails("tests_for_lines", &json!({ "file": "src/shop/Till.java", "line": 2 }));
    assert!(none.contains("there is no code"), "{none}");
    let argument = client.fails("tests_for_lines", &json!({ "file": "src/shop/Till.java", "row": 2 }));
    assert!(argument.contains("row"), "{argument}");
    let tool = client.fails("no_such_tool", &json!({}));
    assert!(tool.contains("no_such_tool") || tool.contains("tool"), "{tool}");
    // It still answers.
    let tests = json!({ "file": "src/shop/Till.java", "line": line("return sum"), "seconds": 40 });
    assert!(!client.call("tests_for_lines", &tests)["findings"].as_array().unwrap().is_empty());
    assert_eq!(client.end(), Some(0));
}

/// Calls with too little time, and calls that the client cancels, end.
#[test]
fn calls_are_bounded_and_can_be_cancelled() {
    let folder = folder("mcp-bounded");
    let mut client = Client::start(&folder, &["--classpath", "classes", "--max-seconds", "1"]);
    // Inference of a whole class takes more than a second, and half of a specification is none.
    let late =
        client.fails("likely_specification", &json!({ "class": "java.util.TreeMap", "seconds": 3000 }));
    assert!(late.contains("within 1 seconds"), "{late}");
    assert_eq!(client.end(), Some(0));

    let mut client = Client::start(&folder, &["--classpath", "classes"]);
    client.next += 1;
    let id = client.next;
    let call = json!({ "name": "likely_specification", "arguments": { "class": "java.util.TreeMap", "seconds": 300 } });
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }));
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "enough" },
    }));
    // The next call is answered, and the end of the conversation does not wait.
    assert!(client.request("tools/list", &json!({}))["result"]["tools"].is_array());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn input_that_is_not_the_protocol_is_an_error() {
    let folder = scratch("mcp-none");
    let run = support::cupping(&folder, &["mcp"]).expect(2);
    assert!(run.stderr.contains("clients of the protocol start this command"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    let run = support::cupping(&folder, &["mcp", "--folder", "nowhere"]).expect(2);
    assert!(run.stderr.contains("nowhere: ") && run.stderr.contains("name a folder"), "{}", run.stderr);
}
