//! Puts back what tests change and all of them share: static fields, and what all code in the JVM shares,
//! such as system properties and the default locale.

use super::JunitVersion;
use super::class::JunitMethod;
use super::expressions::{Expression, Writer};
use cupping_case::{Action, Case, Effect, FieldRef, JavaType, Literal, Operand, Stream};
use std::collections::{BTreeMap, BTreeSet};

/// The fields that keep what all code in the JVM shares, and the method that fills them before each test; none where no
/// case changes any of that.
pub(super) fn save(cases: &[&Case], writer: &Writer<'_>, version: JunitVersion) -> Vec<JunitMethod> {
    let shared = Shared::of(cases);
    let kept = shared.kept(writer);
    if kept.is_empty() {
        return Vec::new();
    }
    let fields: Vec<String> = kept.iter().map(|it| it.field.clone()).collect();
    let fields = JunitMethod::member("fields", fields, writer.names.take_imports());
    let annotation = writer.names.class(&version.before_each().replace('.', "/"));
    let name = "saveGlobalState";
    let mut lines = vec![format!("@{annotation}"), format!("{}void {name}() {{", visibility(version))];
    lines.extend(kept.iter().flat_map(|it| &it.save).map(|line| format!("    {line}")));
    lines.push("}".into());
    vec![fields, JunitMethod::member(name, lines, writer.names.take_imports())]
}

/// The method that runs after each test; none where no case changes anything that is shared.
pub(super) fn restore(
    cases: &[&Case],
    writer: &Writer<'_>,
    version: JunitVersion,
) -> Option<Box<JunitMethod>> {
    let changed: BTreeMap<(&str, &str), &(FieldRef, Literal)> =
        cases.iter().flat_map(|case| &case.restores).map(|it| ((&*it.0.class, &*it.0.name), it)).collect();
    let kept = Shared::of(cases).kept(writer);
    if changed.is_empty() && kept.is_empty() {
        return None;
    }
    let name = match (changed.is_empty(), kept.is_empty()) {
        (false, true) => "restoreStaticFields",
        (true, _) => "restoreGlobalState",
        (false, false) => "restoreSharedState",
    };
    let mut by_reflection = false;
    // What cannot fail comes first.
    let mut body: Vec<String> =
        kept.iter().flat_map(|it| &it.restore).map(|line| format!("    {line}")).collect();
    for (field, value) in changed.values() {
        let value = Operand::Literal(value.clone());
        let action = Action::SetField { field: field.clone(), receiver: None, value };
        by_reflection |= writer.is_by_reflection(&action);
        let none = |_| Expression::primary("null".into(), JavaType::class("java/lang/Object"));
        body.push(format!("    {};", writer.action(&action, &none).text));
    }
    let annotation = writer.names.class(&version.after_each().replace('.', "/"));
    let throws = if by_reflection { " throws Throwable" } else { "" };
    let mut lines =
        vec![format!("@{annotation}"), format!("{}void {name}(){throws} {{", visibility(version))];
    lines.append(&mut body);
    lines.push("}".into());
    Some(Box::new(JunitMethod::member(name, lines, writer.names.take_imports())))
}

fn visibility(version: JunitVersion) -> &'static str {
    if version == JunitVersion::Four { "public " } else { "" }
}

/// What all code in a JVM shares and some cases change.
#[derive(Default)]
struct Shared {
    properties: BTreeSet<Box<str>>,
    all_properties: bool,
    locale: bool,
    time_zone: bool,
    streams: BTreeSet<Stream>,
}

/// A value that is kept: its field, and how it is saved and put back.
struct Kept {
    field: String,
    save: Vec<String>,
    restore: Vec<String>,
}

impl Shared {
    fn of(cases: &[&Case]) -> Shared {
        let mut shared = Shared::default();
        for effect in cases.iter().flat_map(|case| case.effects.globals()) {
            match effect {
                Effect::PropertySet(name) | Effect::PropertyCleared(name) => {
                    shared.properties.insert(name.clone());
                }
                Effect::PropertiesReplaced => shared.all_properties = true,
                Effect::DefaultLocale => shared.locale = true,
                Effect::DefaultTimeZone => shared.time_zone = true,
                Effect::StreamReplaced(stream) => {
                    shared.streams.insert(*stream);
                }
                _ => {}
            }
        }
        shared
    }

    fn kept(&self, writer: &Writer<'_>) -> Vec<Kept> {
        let class = |name: &str| writer.names.class(name);
        let mut kept = Vec::new();
        if !self.all_properties && !self.properties.is_empty() {
            let (map, hash_map) = (class("java/util/Map"), class("java/util/HashMap"));
            let put = |name: &str| {
                let name = super::literals::string(&name.encode_utf16().collect::<Vec<u16>>());
                format!("properties.put({name}, System.getProperty({name}));")
            };
            kept.push(Kept {
                field: format!("private final {map}<String, String> properties = new {hash_map}<>();"),
                save: self.properties.iter().map(|name| put(name)).collect(),
                restore: [
                    "properties.forEach((name, value) -> {",
                    "    if (value == null) {",
                    "        System.clearProperty(name);",
                    "    } else {",
                    "        System.setProperty(name, value);",
                    "    }",
                    "});",
                ]
                .map(str::to_owned)
                .to_vec(),
            });
        }
        if self.all_properties {
            let ty = class("java/util/Properties");
            // A copy: the object itself is what tests change.
            kept.push(Kept {
                field: format!("private {ty} properties;"),
                save: vec![format!("properties = ({ty}) System.getProperties().clone();")],
                restore: vec!["System.setProperties(properties);".into()],
            });
        }
        if self.locale {
            let ty = class("java/util/Locale");
            kept.push(Kept {
                field: format!("private {ty} locale;"),
                save: vec![format!("locale = {ty}.getDefault();")],
                restore: Vec::new(),
            });
            // `Locale.setDefault` sets all three.
            for category in ["DISPLAY", "FORMAT"] {
                let name = format!("{}Locale", category.to_lowercase());
                let value = format!("{ty}.Category.{category}");
                kept.push(Kept {
                    field: format!("private {ty} {name};"),
                    save: vec![format!("{name} = {ty}.getDefault({value});")],
                    restore: Vec::new(),
                });
            }
            if let Some(last) = kept.last_mut() {
                last.restore = vec![
                    format!("{ty}.setDefault(locale);"),
                    format!("{ty}.setDefault({ty}.Category.DISPLAY, displayLocale);"),
                    format!("{ty}.setDefault({ty}.Category.FORMAT, formatLocale);"),
                ];
            }
        }
        if self.time_zone {
            let ty = class("java/util/TimeZone");
            kept.push(Kept {
                field: format!("private {ty} timeZone;"),
                save: vec![format!("timeZone = {ty}.getDefault();")],
                restore: vec![format!("{ty}.setDefault(timeZone);")],
            });
        }
        for stream in &self.streams {
            let (ty, name, setter) = match stream {
                Stream::In => (class("java/io/InputStream"), "standardInput", "setIn"),
                Stream::Out => (class("java/io/PrintStream"), "standardOutput", "setOut"),
                Stream::Err => (class("java/io/PrintStream"), "standardError", "setErr"),
            };
            kept.push(Kept {
                field: format!("private {ty} {name};"),
                save: vec![format!("{name} = System.{};", stream.field())],
                restore: vec![format!("System.{setter}({name});")],
            });
        }
        kept
    }
}
