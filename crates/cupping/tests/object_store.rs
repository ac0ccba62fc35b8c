//! `--store s3://…`: computers that share nothing but an object store.

#![cfg(feature = "object-store")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use support::{command, compile, contents, files, repository, scratch};

/// Names in one answer to a request for names: few, so that there are several.
const PAGE: usize = 3;

/// A bucket behind the part of S3's protocol that a store needs: objects are put, got and listed.
#[derive(Clone)]
struct Bucket {
    address: String,
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    /// Requests so far, by method.
    requests: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Bucket {
    fn open() -> Bucket {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let bucket = Bucket { address, objects: Arc::default(), requests: Arc::default() };
        let serving = bucket.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let bucket = serving.clone();
                std::thread::spawn(move || while bucket.serve(&stream).is_some() {});
            }
        });
        bucket
    }

    /// Answers one request; `None` at the end of the connection.
    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let (method, target) = line.trim().rsplit_once(' ')?.0.split_once(' ')?;
        let (method, target) = (method.to_owned(), target.to_owned());
        let (mut length, mut is_signed) = (0, false);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            length = header.strip_prefix("content-length: ").map_or(length, |it| it.parse().unwrap());
            is_signed |= header.starts_with("authorization: aws4-hmac-sha256 credential=key/");
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        *self.requests.lock().unwrap().entry(method.clone()).or_default() += 1;
        let (code, answer) = match is_signed {
            true => self.answer(&method, &target, body),
            false => (403, b"<Error><Code>AccessDenied</Code></Error>".to_vec()),
        };
        let head = format!(
            "HTTP/1.1 {code} X\r\nContent-Length: {}\r\nETag: \"1\"\r\nLast-Modified: Tue, 24 Nov 2026 00:00:00 GMT\r\n\r\n",
            answer.len()
        );
        let mut stream = stream;
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(&answer).ok()
    }

    fn answer(&self, method: &str, target: &str, body: Vec<u8>) -> (u32, Vec<u8>) {
        let mut objects = self.objects.lock().unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let Some(name) = path.strip_prefix("/bucket") else { return (404, Vec::new()) };
        let name = name.trim_start_matches('/');
        match method {
            "PUT" => {
                objects.insert(name.to_owned(), body);
                (200, Vec::new())
            }
            "GET" if query.contains("list-type=2") => {
                let value = |key: &str| {
                    let parts = query.split('&').filter_map(|it| it.split_once('='));
                    parts.filter(|(name, _)| *name == key).map(|(_, it)| it.replace("%2F", "/")).next()
                };
                let (prefix, from) = (value("prefix").unwrap_or_default(), value("continuation-token"));
                let all = objects.keys().filter(|it| it.starts_with(&prefix));
                let mut left = all.filter(|it| from.as_ref().is_none_or(|from| *it > from)).peekable();
                let page: Vec<&String> = left.by_ref().take(PAGE).collect();
                let row = |name: &&String| {
                    format!(
                        "<Contents><Key>{name}</Key><LastModified>2026-11-24T00:00:00.000Z</LastModified>\
                         <ETag>1</ETag><Size>1</Size></Contents>"
                    )
                };
                let next = match (left.peek(), page.last()) {
                    (Some(_), Some(last)) => format!("<NextContinuationToken>{last}</NextContinuationToken>"),
                    _ => String::new(),
                };
                let rows: String = page.iter().map(row).collect();
                (200, format!("<ListBucketResult>{rows}{next}</ListBucketResult>").into_bytes())
            }
            "GET" => match objects.get(name) {
                Some(bytes) => (200, bytes.clone()),
                None => (404, b"<Error><Code>NoSuchKey</Code></Error>".to_vec()),
            },
            _ => (405, Vec::new()),
        }
    }

    fn names(&self) -> Vec<String> {
        self.objects.lock().unwrap().keys().cloned().collect()
    }

    fn requests(&self, method: &str) -> usize {
        self.requests.lock().unwrap().get(method).copied().unwrap_or(0)
    }
}

/// A computer: its own files, and its own copy of what it has got.
struct Computer {
    folder: PathBuf,
    address: String,
}

impl Computer {
    fn new(name: &str, bucket: &Bucket) -> Computer {
        let folder = scratch(name);
        fs::create_dir(folder.join("classes")).unwrap();
        compile(&files(&repository().join("fixtures/scale")), "", &folder.join("classes"));
        Computer { folder, address: bucket.address.clone() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(&self.folder, args);
        command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
        command.env("AWS_ENDPOINT", &self.address).env("AWS_ALLOW_HTTP", "true").env("AWS_REGION", "here");
        command.env("CUPPING_STORES", self.folder.join("copies"));
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = self.command(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }
}

const STORE: [&str; 2] = ["--store", "s3://bucket/team/store"];
const GENERATE: [&str; 11] = [
    "generate", "-cp", "classes", "shop.*", "lamp.*", "--work", "100ms", "--out", "tests", "--json",
    "all.json",
];

fn tests(folder: &Path) -> BTreeMap<PathBuf, String> {
    contents(&folder.join("tests"))
}

#[test]
fn computers_that_share_an_object_store_do_each_job_once() {
    let bucket = Bucket::open();
    let alone = Computer::new("object-store-alone", &bucket);
    let (code, ..) = alone.run(&GENERATE);
    let here = Computer::new("object-store-here", &bucket);
    let there = Computer::new("object-store-there", &bucket);
    let words = |stage: &'static str| [&[stage], &GENERATE[..], &STORE].concat();
    let mut rounds = 0;
    loop {
        let (_, plan, error) = here.run(&words("plan"));
        assert_eq!(error, "");
        if plan.is_empty() {
            break;
        }
        assert_eq!(plan, there.run(&words("plan")).1, "a plan is the same on all computers");
        for (computer, part) in [(&here, "1/2"), (&there, "2/2")] {
            fs::write(computer.folder.join("jobs"), &plan).unwrap();
            let (code, _, error) = computer.run(&["work", "jobs", "--shard", part]);
            assert_eq!((code, error.as_str()), (0, ""));
        }
        rounds += 1;
        assert!(rounds < 10, "{plan}");
    }
    assert!(rounds > 1);
    assert!(bucket.names().iter().all(|it| it.starts_with("team/store/")), "{:?}", bucket.names());
    // A third computer that has never worked merges what the two have done, without a job.
    let third = Computer::new("object-store-third", &bucket);
    let put = bucket.requests("PUT");
    let merged = third.run(&words("merge"));
    assert_eq!(merged.0, code, "{}", merged.2);
    assert_eq!(tests(&third.folder), tests(&alone.folder));
    assert_eq!(bucket.requests("PUT"), put);
    // What is copied is not asked for again.
    let got = bucket.requests("GET");
    third.run(&words("merge"));
    let asked = bucket.requests("GET") - got;
    assert!(asked <= got / 2, "{asked} after {got}");
}

#[test]
fn damage_in_an_object_store_is_found_out() {
    let bucket = Bucket::open();
    let computer = Computer::new("object-store-damage", &bucket);
    let words = |stage: &'static [&'static str]| {
        [stage, &["generate", "-cp", "classes", "lamp.Lamp", "--work", "1s"], &STORE].concat()
    };
    computer.run(&words(&[]));
    let text = fs::read_to_string(computer.folder.join("cupping-tests/lamp/LampTest.java")).unwrap();
    for (name, bytes) in bucket.objects.lock().unwrap().iter_mut() {
        if name.contains("/results/") {
            bytes.truncate(bytes.len() / 2);
        }
    }
    fs::remove_dir_all(computer.folder.join("copies")).unwrap();
    let (_, plan, _) = computer.run(&words(&["plan"]));
    assert_eq!(plan.lines().count(), 1, "the torn result is none");
    computer.run(&words(&[]));
    assert_eq!(computer.run(&words(&["plan"])).1, "");
    assert_eq!(fs::read_to_string(computer.folder.join("cupping-tests/lamp/LampTest.java")).unwrap(), text);
}

#[test]
fn an_object_store_that_refuses_is_named() {
    let bucket = Bucket::open();
    let computer = Computer::new("object-store-refuses", &bucket);
    let words = [&["generate", "-cp", "classes", "lamp.Lamp", "--work", "1s"], &STORE[..]].concat();
    let output = computer.command(&words).env("AWS_ACCESS_KEY_ID", "other").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("s3://bucket/team/store: ") && error.contains("credentials"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    let (code, _, error) = computer.run(&[&words[..6], &["--store", "ftp://host/store"]].concat());
    assert!(code == 2 && error.contains("ftp://host/store: "), "{error}");
}

#[test]
fn a_configuration_may_name_an_object_store() {
    let bucket = Bucket::open();
    let computer = Computer::new("object-store-configured", &bucket);
    fs::write(computer.folder.join("cupping.toml"), "store = \"s3://bucket/team/store\"\n").unwrap();
    let (code, _, error) = computer.run(&["generate", "-cp", "classes", "lamp.Lamp", "--work", "1s"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(bucket.names().iter().any(|it| it.starts_with("team/store/results/")), "{:?}", bucket.names());
    assert!(!computer.folder.join("s3:").exists());
}
