//! What Bazel prints: the folders of a workspace, rules with their sources, and targets with their jars.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The folders of a workspace (`bazel info`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// The folder of the workspace.
    pub workspace: PathBuf,
    /// What Bazel keeps for this workspace, with the external repositories.
    output_base: PathBuf,
    /// The folder `bazel-out`.
    output_path: PathBuf,
}

/// The keys of `bazel info` that [`Places::read`] needs.
pub(super) const PLACES: [&str; 3] = ["workspace", "output_base", "output_path"];

/// A rule (`bazel query --output=xml`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    /// Its label.
    pub label: String,
    /// The labels of its sources: files, or rules that group or generate files.
    pub sources: Vec<String>,
}

/// A target with Java (`bazel cquery` with `java_info.bzl`). Paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// Its own jars.
    pub jars: Vec<PathBuf>,
    /// Its class path at run time.
    pub class_path: Vec<PathBuf>,
    /// The labels of the rules that make these jars.
    pub makers: Vec<String>,
}

impl Places {
    /// Reads lines such as `output_base: /path`.
    pub(super) fn read(text: &str) -> Option<Places> {
        let value = |key: &str| {
            let values = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            values.map(|it| PathBuf::from(it.trim_end())).next()
        };
        let [workspace, output_base, output_path] = PLACES.map(value);
        Some(Places { workspace: workspace?, output_base: output_base?, output_path: output_path? })
    }

    /// The file that Bazel names relative to its execution root. Links of that folder come and go with each build,
    /// so the result avoids them.
    fn file(&self, path: &str) -> PathBuf {
        let mut parts = Path::new(path).components();
        match parts.next() {
            Some(Component::Normal(first)) if first == "bazel-out" => self.output_path.join(parts.as_path()),
            // With --experimental_sibling_repository_layout, other repositories are beside the workspace.
            Some(Component::ParentDir) => self.output_base.join("external").join(parts.as_path()),
            Some(Component::Normal(first)) if first == "external" => self.output_base.join(path),
            _ => self.workspace.join(path),
        }
    }
}

/// A label as all versions of Bazel understand it: those of the workspace itself begin with `//`.
pub(super) fn label(text: &str) -> &str {
    let short = text.trim().trim_start_matches('@');
    if short.starts_with("//") { short } else { text.trim() }
}

/// The folder and the file name that a label of the workspace names.
pub(super) fn parts(label: &str) -> Option<(&str, &str)> {
    let rest = label.strip_prefix("//")?;
    Some(rest.split_once(':').unwrap_or_else(|| (rest, rest.rsplit('/').next().unwrap_or(rest))))
}

/// The rules in a document of `bazel query --output=xml`, in its order.
///
/// # Errors
/// The reason if it is no such document.
pub(super) fn rules(xml: &str) -> Result<Vec<Rule>, String> {
    // It declares XML 1.1, which differs from 1.0 in characters only.
    let body = xml.trim_start().strip_prefix("<?xml").and_then(|it| it.split_once("?>"));
    let document = roxmltree::Document::parse(body.map_or(xml, |(_, body)| body).trim_start());
    let document = document.map_err(|error| error.to_string())?;
    let rules = document.descendants().filter(|it| it.has_tag_name("rule"));
    let rule = |node: roxmltree::Node<'_, '_>| {
        let sources = node.children().filter(|it| it.attribute("name") == Some("srcs"));
        let labels = sources.flat_map(|it| it.descendants()).filter(|it| it.has_tag_name("label"));
        Some(Rule {
            label: label(node.attribute("name")?).to_owned(),
            sources: labels.filter_map(|it| it.attribute("value")).map(|it| label(it).to_owned()).collect(),
        })
    };
    Ok(rules.filter_map(rule).collect())
}

/// The targets that `java_info.bzl` described, by their labels. Of a target in several configurations, the first that
/// is not for a tool of the build counts.
pub(super) fn targets(text: &str, places: &Places) -> BTreeMap<String, Target> {
    let mut targets: BTreeMap<String, Target> = BTreeMap::new();
    let mut blocks: Vec<(&str, Vec<[&str; 3]>)> = Vec::new();
    for line in text.lines() {
        let mut fields = line.split('\t');
        match (fields.next(), fields.next(), fields.next()) {
            (Some("target"), Some(name), None) => blocks.push((label(name), Vec::new())),
            (Some(key), Some(path), Some(maker)) => {
                blocks.last_mut().into_iter().for_each(|it| it.1.push([key, path, maker]));
            }
            _ => {}
        }
    }
    for (name, facts) in blocks {
        if targets.contains_key(name) || facts.iter().any(|it| it[0] == "jar" && is_of_tool(it[1])) {
            continue;
        }
        let mut target = Target::default();
        for [key, path, maker] in facts {
            match key {
                "jar" => target.jars.push(places.file(path)),
                "class-path" => target.class_path.push(places.file(path)),
                _ => continue,
            }
            if !maker.is_empty() {
                target.makers.push(label(maker).to_owned());
            }
        }
        targets.insert(name.to_owned(), target);
    }
    targets
}

/// Whether a file was made for the machine that builds: `bazel-out/host/…`, `bazel-out/k8-opt-exec-2B5CBBC6/…`.
fn is_of_tool(path: &str) -> bool {
    let configuration = path.split('/').nth(1).unwrap_or_default();
    path.starts_with("bazel-out/") && (configuration == "host" || configuration.contains("-exec"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places::read("workspace: /w\noutput_base: /b\noutput_path: /b/execroot/_main/bazel-out\n").unwrap()
    }

    #[test]
    fn files_are_where_links_do_not_change() {
        let file = |path: &str| places().file(path).display().to_string();
        assert_eq!(file("bazel-out/k8/bin/a/liba.jar"), "/b/execroot/_main/bazel-out/k8/bin/a/liba.jar");
        assert_eq!(file("external/maven/junit.jar"), "/b/external/maven/junit.jar");
        assert_eq!(file("../maven/junit.jar"), "/b/external/maven/junit.jar");
        assert_eq!(file("lib/junit.jar"), "/w/lib/junit.jar");
        assert_eq!(Places::read("workspace: /w\n"), None);
    }

    #[test]
    fn labels_of_the_workspace_have_one_form() {
        assert_eq!(label("@//a:b"), "//a:b");
        assert_eq!(label("@@//a:b"), "//a:b");
        assert_eq!(label("@@maven+//:junit"), "@@maven+//:junit");
        assert_eq!(parts("//a/b:c/D.java"), Some(("a/b", "c/D.java")));
        assert_eq!(parts("//a/b"), Some(("a/b", "b")));
        assert_eq!(parts("@maven//:junit"), None);
    }

    /// As Bazel 4 prints it; later versions differ in labels only.
    #[test]
    fn rules_are_read() {
        let xml = r#"<?xml version="1.1" encoding="UTF-8" standalone="no"?>
            <query version="2">
                <rule class="java_library" location="/w/a/BUILD:1:13" name="//a:a">
                    <string name="name" value="a"/>
                    <list name="deps"><label value="//b:b"/></list>
                    <list name="srcs"><label value="@//a:src/A.java"/><label value="//a:more"/></list>
                    <rule-input name="//a:src/A.java"/>
                </rule>
                <rule class="java_test" name="//a:ATest"/>
            </query>"#;
        let rule = |label: &str, sources: &[&str]| Rule {
            label: label.into(),
            sources: sources.iter().map(|it| (*it).to_owned()).collect(),
        };
        let expected = vec![rule("//a:a", &["//a:src/A.java", "//a:more"]), rule("//a:ATest", &[])];
        assert_eq!(rules(xml), Ok(expected));
        assert!(rules("ERROR").is_err());
    }

    #[test]
    fn targets_are_read() {
        let text = "\ntarget\t@@//a:a\njar\tbazel-out/k8-opt-exec-ST-1/bin/a/liba.jar\t@@//a:a\n\
                    target\t@@//a:a\njar\tbazel-out/k8/bin/a/liba.jar\t@@//a:a\n\
                    class-path\tbazel-out/k8/bin/a/liba.jar\t@@//a:a\n\
                    class-path\tlib/x.jar\t\nclass-path\tbazel-out/k8/bin/external/m/y.jar\t@@m//:y\nplanet\tmars\t\n";
        let targets = targets(text, &places());
        assert_eq!(targets.len(), 1);
        let target = &targets["//a:a"];
        let out = Path::new("/b/execroot/_main/bazel-out/k8/bin");
        assert_eq!(target.jars, [out.join("a/liba.jar")]);
        assert_eq!(
            target.class_path,
            [out.join("a/liba.jar"), "/w/lib/x.jar".into(), out.join("external/m/y.jar")]
        );
        assert_eq!(target.makers, ["//a:a", "//a:a", "@@m//:y"]);
    }
}
