//! From targets to modules. A package with Java is a module: the classes of its targets that are not tests.
//!
//! Tests of the package belong to it. Tests in a package of their own (`javatests/org/example`) belong to a module on
//! their class path: the first with classes in the same Java package, or else the first of all.

use super::outputs::{Rule, Target, parts};
use super::source_roots::{SourcePlace, usual_tests};
use crate::Module;
use crate::freshness::SOURCES;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module that still collects its tests.
#[derive(Debug, Default)]
struct Draft {
    module: Module,
    /// The Java packages of its sources.
    packages: BTreeSet<String>,
    /// What its targets need, in order, with repetitions.
    needs: Vec<PathBuf>,
    roots: BTreeSet<PathBuf>,
    test_roots: BTreeSet<PathBuf>,
}

/// The modules of a workspace, by name. `tests` are the labels of test rules and of libraries for tests.
pub(super) fn modules(
    workspace: &Path,
    rules: &[Rule],
    tests: &BTreeSet<String>,
    targets: &BTreeMap<String, Target>,
) -> Vec<Module> {
    let by_label: BTreeMap<&str, &Rule> = rules.iter().map(|it| (it.label.as_str(), it)).collect();
    let places = |label: &str| -> Vec<SourcePlace> {
        let mut files = BTreeSet::new();
        add_files(label, &by_label, workspace, &mut BTreeSet::new(), &mut files);
        files.iter().map(|file| SourcePlace::of(file)).collect()
    };
    let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
    for (label, target) in targets.iter().filter(|(label, _)| !tests.contains(*label)) {
        let (Some((package, _)), places) = (parts(label), places(label)) else { continue };
        // Groups of libraries have no classes of their own.
        if places.is_empty() {
            continue;
        }
        let draft = drafts.entry(package.to_owned()).or_default();
        draft.module.classes.extend(target.jars.clone());
        draft.needs.extend(target.class_path.clone());
        for place in places {
            draft.roots.insert(place.root);
            draft.packages.insert(place.package);
        }
    }
    for (label, target) in targets.iter().filter(|(label, _)| tests.contains(*label)) {
        let (Some((package, _)), places) = (parts(label), places(label)) else { continue };
        let Some(name) = tested(package, target, &places, &drafts) else { continue };
        let Some(draft) = drafts.get_mut(&name) else { continue };
        // A rule that only starts tests of a library has an empty jar.
        if !places.is_empty() {
            draft.module.test_classes.extend(target.jars.clone());
        }
        draft.needs.extend(target.class_path.clone());
        draft.test_roots.extend(places.into_iter().map(|it| it.root));
    }
    let mut modules: Vec<Module> =
        drafts.into_iter().map(|(package, draft)| draft.finished(workspace, &package)).collect();
    share_framework(&mut modules);
    modules
}

/// Adds the source files of a rule, also those of rules that it has as sources. Generated sources are in no folder.
fn add_files<'a>(
    label: &'a str,
    rules: &BTreeMap<&str, &'a Rule>,
    workspace: &Path,
    seen: &mut BTreeSet<&'a str>,
    files: &mut BTreeSet<PathBuf>,
) {
    let Some(rule) = rules.get(label).filter(|_| seen.insert(label)) else { return };
    for source in &rule.sources {
        add_files(source, rules, workspace, seen, files);
        let Some((package, name)) = parts(source) else { continue };
        let file = workspace.join(package).join(name);
        let is_source = file.extension().is_some_and(|it| SOURCES.iter().any(|wanted| it == *wanted));
        if is_source && file.is_file() {
            files.insert(file);
        }
    }
}

/// The module that a test belongs to.
fn tested(
    package: &str,
    test: &Target,
    places: &[SourcePlace],
    drafts: &BTreeMap<String, Draft>,
) -> Option<String> {
    if drafts.contains_key(package) {
        return Some(package.to_owned());
    }
    let has = |draft: &Draft, jar: &PathBuf| draft.module.classes.contains(jar);
    let on_class_path = test.class_path.iter().filter_map(|jar| drafts.iter().find(|it| has(it.1, jar)));
    let is_near = |draft: &Draft| places.iter().any(|it| draft.packages.contains(&it.package));
    let near = on_class_path.clone().find(|it| is_near(it.1));
    near.or_else(|| on_class_path.clone().next()).map(|(name, _)| name.clone())
}

impl Draft {
    fn finished(self, workspace: &Path, package: &str) -> Module {
        let Draft { mut module, needs, roots, test_roots, .. } = self;
        module.root = if package.is_empty() { workspace.to_owned() } else { workspace.join(package) };
        module.name = match package {
            "" => workspace.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            package => package.to_owned(),
        };
        let usual = roots.first().map(|it| usual_tests(it)).unwrap_or_else(|| module.root.clone());
        module.test_sources = test_roots.into_iter().collect();
        // Tests beside the sources are a last resort: rules often take all files of a folder.
        module.test_sources.sort_by_key(|it| (*it != usual, roots.contains(it)));
        if module.test_sources.is_empty() {
            module.test_sources.push(usual);
        }
        module.sources = roots.into_iter().collect();
        let mut seen = BTreeSet::new();
        let all = module.classes.iter().chain(&module.test_classes).chain(&needs);
        module.class_path = all.filter(|it| seen.insert(it.to_path_buf())).cloned().collect();
        module.classes = distinct(module.classes);
        module.test_classes = distinct(module.test_classes);
        // Bazel's compiler reads sources so whatever the platform.
        module.encoding = Some("UTF-8".into());
        module
    }
}

fn distinct(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    paths.into_iter().filter(|it| seen.insert(it.clone())).collect()
}

/// Modules without tests get the framework of the first module that has one: tests for them will need it, and only
/// test rules depend on it.
fn share_framework(modules: &mut [Module]) {
    let Some(lender) = modules.iter().find(|it| it.framework().is_some()) else { return };
    let jars: Vec<PathBuf> = lender.framework_jars().map(Path::to_owned).collect();
    for module in modules.iter_mut().filter(|it| it.framework().is_none()) {
        let lacking: Vec<PathBuf> =
            jars.iter().filter(|it| !module.class_path.contains(it)).cloned().collect();
        module.class_path.extend(lacking);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A workspace: its files with their Java packages, its rules with sources, and its targets with class paths.
    struct Workspace {
        folder: tempfile::TempDir,
        rules: Vec<Rule>,
        tests: BTreeSet<String>,
        targets: BTreeMap<String, Target>,
    }

    impl Workspace {
        fn new() -> Workspace {
            let folder = tempfile::tempdir().unwrap();
            Workspace { folder, rules: Vec::new(), tests: BTreeSet::new(), targets: BTreeMap::new() }
        }

        /// Adds a rule whose sources are files, each `path package`, or labels.
        fn rule(&mut self, label: &str, sources: &[&str]) -> &mut Workspace {
            let (package, _) = parts(label).unwrap();
            let source = |text: &&str| {
                let Some((path, java)) = text.split_once(' ') else { return (*text).to_owned() };
                let file = self.folder.path().join(package).join(path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, format!("package {java};\n")).unwrap();
                format!("//{package}:{path}")
            };
            let sources = sources.iter().map(source).collect();
            self.rules.push(Rule { label: label.into(), sources });
            self
        }

        /// Adds a target with a jar of its own and further ones.
        fn target(&mut self, label: &str, jar: &str, needs: &[&str]) -> &mut Workspace {
            let class_path = [jar].iter().chain(needs).map(PathBuf::from).collect();
            let target = Target { jars: vec![jar.into()], class_path, makers: Vec::new() };
            self.targets.insert(label.into(), target);
            self
        }

        fn test(&mut self, label: &str) -> &mut Workspace {
            self.tests.insert(label.into());
            self
        }

        fn modules(&self) -> Vec<Module> {
            modules(self.folder.path(), &self.rules, &self.tests, &self.targets)
        }

        fn at(&self, path: &str) -> PathBuf {
            self.folder.path().join(path)
        }
    }

    fn paths(texts: &[&str]) -> Vec<PathBuf> {
        texts.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn a_package_is_a_module_with_its_tests() {
        let mut all = Workspace::new();
        all.rule("//core:core", &["src/main/java/a/A.java a", "//core:more", "//core:Made.java"])
            .rule("//core:more", &["src/main/java/a/B.java a"])
            .rule("//core:tests", &["src/test/java/a/ATest.java a"])
            .rule("//core:ATest", &[])
            .target("//core:core", "/o/libcore.jar", &["/r/guava.jar"])
            .target(
                "//core:tests",
                "/o/libtests.jar",
                &["/o/libcore.jar", "/r/guava.jar", "/r/junit-4.13.jar"],
            )
            .target("//core:ATest", "/o/ATest.jar", &["/o/libtests.jar", "/o/libcore.jar", "/r/runner.jar"])
            .target("//third:guava", "/r/guava.jar", &[])
            .test("//core:tests")
            .test("//core:ATest");
        let module = Module {
            name: "core".into(),
            root: all.at("core"),
            sources: vec![all.at("core/src/main/java")],
            test_sources: vec![all.at("core/src/test/java")],
            classes: paths(&["/o/libcore.jar"]),
            test_classes: paths(&["/o/libtests.jar"]),
            class_path: paths(&[
                "/o/libcore.jar",
                "/o/libtests.jar",
                "/r/guava.jar",
                "/o/ATest.jar",
                "/r/runner.jar",
                "/r/junit-4.13.jar",
            ]),
            encoding: Some("UTF-8".into()),
            release: None,
        };
        assert_eq!(all.modules(), [module]);
    }

    /// As in many workspaces: a package for each Java package, and the tests in a tree of their own.
    #[test]
    fn tests_of_another_package_belong_to_what_they_test() {
        let mut all = Workspace::new();
        all.rule("//java/p/x:x", &["X.java p.x"])
            .rule("//java/p/y:y", &["Y.java p.y"])
            .rule("//javatests/p/x:XTest", &["XTest.java p.x"])
            .rule("//javatests/q:QTest", &["QTest.java q"])
            .rule("//javatests/r:RTest", &["RTest.java r"])
            .target("//java/p/x:x", "/o/libx.jar", &[])
            .target("//java/p/y:y", "/o/liby.jar", &["/o/libx.jar"])
            .target("//javatests/p/x:XTest", "/o/XTest.jar", &["/o/liby.jar", "/o/libx.jar"])
            .target("//javatests/q:QTest", "/o/QTest.jar", &["/o/liby.jar", "/o/libx.jar"])
            .target("//javatests/r:RTest", "/o/RTest.jar", &[])
            .test("//javatests/p/x:XTest")
            .test("//javatests/q:QTest")
            .test("//javatests/r:RTest");
        let modules = all.modules();
        let names: Vec<&str> = modules.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["java/p/x", "java/p/y"]);
        assert_eq!(modules[0].sources, [all.at("java")]);
        assert_eq!(modules[0].test_sources, [all.at("javatests")]);
        assert_eq!(modules[0].test_classes, paths(&["/o/XTest.jar"]));
        assert_eq!(modules[1].test_classes, paths(&["/o/QTest.jar"]));
    }

    #[test]
    fn a_module_without_tests_has_a_folder_and_a_framework_for_them() {
        let mut all = Workspace::new();
        all.rule("//:root", &["lib/A.java "])
            .rule("//b:b", &["src/main/java/b/B.java b"])
            .rule("//c:c", &["C.java c"])
            .rule("//c:CTest", &["CTest.java c"])
            .target("//:root", "/o/libroot.jar", &[])
            .target("//b:b", "/o/libb.jar", &[])
            .target("//c:c", "/o/libc.jar", &[])
            .target(
                "//c:CTest",
                "/o/CTest.jar",
                &["/r/processed_junit-4.13.jar", "/r/hamcrest.jar", "/r/z.jar"],
            )
            .test("//c:CTest");
        let modules = all.modules();
        assert_eq!(modules[0].name, all.folder.path().file_name().unwrap().to_string_lossy());
        assert_eq!(modules[0].test_sources, [all.at("lib")]);
        assert_eq!(modules[1].test_sources, [all.at("b/src/test/java")]);
        assert_eq!(
            modules[1].class_path,
            paths(&["/o/libb.jar", "/r/processed_junit-4.13.jar", "/r/hamcrest.jar"])
        );
        // The sources of `c` are in no folder but that of the package, and so are its tests.
        assert_eq!(modules[2].test_sources, [all.at("")]);
    }
}
