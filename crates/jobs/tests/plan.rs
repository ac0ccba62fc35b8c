//! Plans: they are read as they were written, and shards are parts of them that cost about the same.

use cupping_jobs::{Digest, Job, Request, Shard, read_plan};
use std::collections::BTreeSet;
use std::time::Duration;

fn job(number: u64, cost_ms: u64) -> Job {
    let digest = Digest::of(&number.to_le_bytes());
    let request = Request {
        tool: digest.clone(),
        jdk: digest.clone(),
        command: "generate".into(),
        options: String::new(),
        outputs: Vec::new(),
        inputs: Vec::new(),
        class: "p/A".into(),
        content: digest,
        budget: Duration::from_secs(1),
        clock: None,
    };
    Job {
        job: request.key(),
        class: format!("p.A{number}"),
        budget_ns: 1_000_000_000,
        clock_ns: None,
        cost_ms,
        words: vec!["generate".into(), "p.**".into()],
    }
}

/// Typical costs: most classes are small, few take as long as they may.
fn jobs(count: u64) -> Vec<Job> {
    (0..count).map(|at| job(at, if at % 17 == 0 { 10_000 } else { 300 + at * 7919 % 900 })).collect()
}

fn shard(text: &str) -> Shard {
    text.parse().unwrap()
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let jobs = jobs(5);
    let lines: Vec<String> = jobs.iter().map(|job| job.line().unwrap()).collect();
    let text = lines.join("\n") + "\n\n" + &lines[2] + "\n";
    assert_eq!(read_plan(text.as_bytes()).unwrap(), jobs, "a job that is there twice is one");
    assert_eq!(read_plan(&b""[..]).unwrap(), []);
    let error = read_plan(format!("{}\n{{}}\n", lines[0]).as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("line 2 of the plan is not a job"), "{error}");
}

#[test]
fn shards_are_the_plan_in_parts() {
    let all = jobs(500);
    for count in [1usize, 2, 7, 600] {
        let parts: Vec<Vec<Job>> =
            (1..=count).map(|number| shard(&format!("{number}/{count}")).of(all.clone())).collect();
        let classes: Vec<&str> = parts.iter().flatten().map(|it| it.class.as_str()).collect();
        assert_eq!(classes.len(), all.len());
        assert_eq!(classes.iter().collect::<BTreeSet<_>>().len(), all.len(), "each job once");
        let cost = |jobs: &[Job]| jobs.iter().map(|it| it.cost_ms).sum::<u64>();
        let most = parts.iter().map(|it| cost(it)).max().unwrap();
        let ideal = (cost(&all) / count as u64).max(10_000);
        assert!(most <= ideal * 4 / 3, "{count} parts: {most} of {ideal}");
    }
}

#[test]
fn a_shard_keeps_the_order_of_the_plan() {
    let all = jobs(50);
    let part = shard("2/3").of(all.clone());
    let places: Vec<_> = part.iter().map(|it| all.iter().position(|other| other == it).unwrap()).collect();
    assert!(places.is_sorted());
}

#[test]
fn invalid_shards_are_refused() {
    for text in ["", "1", "0/3", "4/3", "a/b", "1/0", "-1/2", "1/2/3"] {
        let error = text.parse::<Shard>().unwrap_err();
        assert!(error.contains("such as 3/7"), "{text}: {error}");
    }
}
