//! Fills a store with artificial results: `bench_scale CLASS-PATH PLAN FROM STORE`. Each job of the plan gets the
//! result of the class FROM, with the name of its own class in it. So plan and merge of many classes can be measured
//! without the days that their jobs would take.

use cupping_classfile::reads::Read;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_jobs::{Answers, Job, Store, read_plan};
use serde_json::Value;
use std::collections::BTreeSet;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [class_path, plan, from, store] = args.as_slice() else {
        return Err("bench_scale CLASS-PATH PLAN FROM STORE".into());
    };
    let jdk = Jdk::locate(None)?;
    let opened = ClassPath::open(class_path, jdk.feature_version())?;
    let answers = Answers::new(Arc::new(Program::new(jdk, opened)));
    let jobs = read_plan(BufReader::new(File::open(plan)?))?;
    let template = jobs.iter().find(|job| job.class == *from).ok_or("FROM is not in the plan")?;
    let text = entry(store, template)?;
    let kept = Store::new(Path::new(store));
    let started = Instant::now();
    for job in &jobs {
        let body =
            text.replace(&from.replace('.', "/"), &job.class.replace('.', "/")).replace(from, &job.class);
        // Names of files and tests contain either the simple name or the path.
        let simple = |class: &str| class.rsplit('.').next().unwrap_or(class).to_owned();
        let body = body.replace(&simple(from), &simple(&job.class));
        let mut value: Value = serde_json::from_str(&body)?;
        let reads: BTreeSet<Read> = serde_json::from_value(value["reads"].take())?;
        kept.put(&job.job, &reads, &answers, &value["result"])?;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{} results kept in {seconds:.1} s, {:.0} a second", jobs.len(), jobs.len() as f64 / seconds);
    Ok(())
}

/// The body of the entry of a job.
fn entry(store: &str, job: &Job) -> Result<String, Box<dyn Error>> {
    let folder = Path::new(store).join("results").join(&job.job.as_str()[..2]).join(job.job.as_str());
    let file = fs::read_dir(folder)?.next().ok_or("FROM has no result")??;
    let text = fs::read_to_string(file.path())?;
    Ok(text.split_once('\n').ok_or("no entry")?.1.to_owned())
}
