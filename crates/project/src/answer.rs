//! The text that a listener in a build writes: a line for each fact, a key and a value separated by a tab. `module`
//! begins a module. In values `\\` is a backslash, `\n` and `\r` are line breaks.

use crate::Module;
use std::path::PathBuf;

/// The modules of an answer, in its order. Unknown keys are ignored: the listener may be newer.
pub(crate) fn modules(text: &str) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    for (key, value) in text.lines().filter_map(|line| line.split_once('\t')) {
        let value = unescaped(value);
        if key == "module" {
            modules.push(Module { name: value, ..Module::default() });
            continue;
        }
        let Some(module) = modules.last_mut() else { continue };
        match key {
            "root" => module.root = value.into(),
            "source" => module.sources.push(value.into()),
            "test-source" => module.test_sources.push(value.into()),
            "classes" => module.classes.push(value.into()),
            "test-classes" => module.test_classes.push(value.into()),
            "class-path" => module.class_path.push(value.into()),
            "encoding" => module.encoding = Some(value),
            "release" => module.release = Some(value),
            _ => {}
        }
    }
    modules
}

/// The answer that [`modules`] reads back.
pub(crate) fn text(modules: &[Module]) -> String {
    let mut text = String::new();
    for module in modules {
        let Module {
            name,
            root,
            sources,
            test_sources,
            classes,
            test_classes,
            class_path,
            encoding,
            release,
        } = module;
        let mut line = |key: &str, value: &str| {
            let escaped = value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
            text.push_str(&format!("{key}\t{escaped}\n"));
        };
        line("module", name);
        line("root", &root.to_string_lossy());
        let lists: [(&str, &[PathBuf]); 5] = [
            ("source", sources),
            ("test-source", test_sources),
            ("classes", classes),
            ("test-classes", test_classes),
            ("class-path", class_path),
        ];
        for (key, paths) in lists {
            paths.iter().for_each(|path| line(key, &path.to_string_lossy()));
        }
        for (key, value) in [("encoding", encoding), ("release", release)] {
            value.iter().for_each(|value| line(key, value));
        }
    }
    text
}

fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_back() {
        let module = |name: &str| Module {
            name: name.into(),
            root: "/p/a b".into(),
            sources: vec!["/p/src".into(), "/p/gen".into()],
            test_sources: vec!["/p/test\\odd\nname".into()],
            classes: vec!["/p/out".into()],
            test_classes: vec!["/p/out-test".into()],
            class_path: vec!["/p/out".into(), "/r/x.jar".into()],
            encoding: Some("UTF-8".into()),
            release: None,
        };
        let all = vec![module("one"), module("two")];
        assert_eq!(modules(&text(&all)), all);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(modules("root\t/nowhere\nmodule\ta\nplanet\tmars\nroot\t/p\n").len(), 1);
    }
}
