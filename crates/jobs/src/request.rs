//! Requests: the inputs of a job.

use crate::digest::{Digest, Hasher};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Everything that is known about a job in advance and determines its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// This program: the digest of its file.
    pub tool: Digest,
    /// The JDK.
    pub jdk: Digest,
    /// The command.
    pub command: String,
    /// Its options, as far as they affect the result.
    pub options: String,
    /// The outputs requested of the job: names of the options that ask for them.
    pub outputs: Vec<String>,
    /// The user's inputs besides the class path: suites, specifications, the corpus of the class.
    pub inputs: Vec<Digest>,
    /// The class, by internal name.
    pub class: String,
    /// The class file.
    pub content: Digest,
    /// The share of the budget.
    pub budget: Duration,
    /// The time limit, if it is not derived from the share.
    pub clock: Option<Duration>,
}

/// The identity of a job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(Digest);

impl Request {
    /// The key of the job.
    pub fn key(&self) -> Key {
        let Request { tool, jdk, command, options, outputs, inputs, class, content, budget, clock } = self;
        let mut hasher = Hasher::default();
        let mut add = |text: &str| hasher.add_whole(text.as_bytes());
        for text in [tool.as_str(), jdk.as_str(), command, options, class, content.as_str()] {
            add(text);
        }
        add(&outputs.len().to_string());
        outputs.iter().for_each(|it| add(it));
        add(&inputs.len().to_string());
        inputs.iter().for_each(|it| add(it.as_str()));
        add(&budget.as_nanos().to_string());
        add(&clock.map_or_else(String::new, |it| it.as_nanos().to_string()));
        Key(hasher.digest())
    }
}

impl Key {
    /// Its digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        let digest = Digest::of(b"");
        Request {
            tool: digest.clone(),
            jdk: digest.clone(),
            command: "generate".into(),
            options: "--seed 3".into(),
            outputs: vec!["out".into()],
            inputs: vec![],
            class: "p/A".into(),
            content: digest,
            budget: Duration::from_secs(1),
            clock: None,
        }
    }

    #[test]
    fn all_parts_of_a_request_are_in_its_key() {
        let other = Digest::of(b"other");
        let changed = [
            Request { tool: other.clone(), ..request() },
            Request { jdk: other.clone(), ..request() },
            Request { command: "infer".into(), ..request() },
            Request { options: String::new(), ..request() },
            Request { outputs: vec!["out".into(), "html".into()], ..request() },
            Request { inputs: vec![other.clone()], ..request() },
            Request { class: "p/B".into(), ..request() },
            Request { content: other, ..request() },
            Request { budget: Duration::from_millis(999), ..request() },
            Request { clock: Some(Duration::from_secs(1)), ..request() },
        ];
        let mut keys: Vec<Key> = changed.iter().chain([&request()]).map(Request::key).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), changed.len() + 1);
        assert_eq!(request().key(), request().key());
    }
}
