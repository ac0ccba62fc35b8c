//! Restores shared state that tests change: static fields, and state that all code in the JVM shares,
//! such as system properties and the default locale.

use super::class::JunitMethod;
use super::expressions::{Expression, Writer};
use crate::framework::Framework;
use crate::source::java::Printer;
use crate::source::tree::{Expr, Field, Lambda, Stmt, TypeName};
use cupping_case::{Action, Case, Effect, FieldRef, JvmDefault, Literal, Operand, Stream};
use std::collections::{BTreeMap, BTreeSet};

/// The fields that save state shared by all code in the JVM, and the method that fills them before each test; none
/// if no case changes such state.
pub(super) fn save(cases: &[&Case], writer: &Writer<'_>, framework: Framework) -> Vec<JunitMethod> {
    let kept = Shared::of(cases).saved_values(writer);
    if kept.is_empty() {
        return Vec::new();
    }
    let mut printer = Printer::new(framework);
    let fields = kept.iter().flat_map(|it| printer.field(&it.field)).collect();
    let fields = JunitMethod::member("fields", fields, writer.names.take_imports());
    let body = kept.into_iter().flat_map(|it| it.save).collect();
    let annotation = framework.row().before_each;
    let save = JunitMethod::around(writer, framework, annotation, "saveGlobalState", |method| {
        method.body = vec![body];
    });
    vec![fields, save]
}

/// The method that runs after each test; none if no case changes shared state.
pub(super) fn restore(cases: &[&Case], writer: &Writer<'_>, framework: Framework) -> Option<JunitMethod> {
    let changed: BTreeMap<(&str, &str), &(FieldRef, Literal)> =
        cases.iter().flat_map(|case| &case.restores).map(|it| ((&*it.0.class, &*it.0.name), it)).collect();
    let kept = Shared::of(cases).saved_values(writer);
    let filled: BTreeMap<(&str, &str), &FieldRef> =
        cases.iter().flat_map(|case| &case.empties).map(|it| ((&*it.class, &*it.name), it)).collect();
    let has_statics = !changed.is_empty() || !filled.is_empty();
    if !has_statics && kept.is_empty() {
        return None;
    }
    let name = match (!has_statics, kept.is_empty()) {
        (false, true) => "restoreStaticFields",
        (true, _) => "restoreGlobalState",
        (false, false) => "restoreSharedState",
    };
    let mut by_reflection = !filled.is_empty();
    // Statements that cannot fail come first.
    let mut body: Vec<Stmt> = kept.into_iter().flat_map(|it| it.restore).collect();
    for (field, value) in changed.values() {
        let value = Operand::Literal(value.clone());
        let action = Action::SetField { field: field.clone(), receiver: None, value };
        by_reflection |= writer.is_by_reflection(&action);
        let none = |_| Expression::of_class(Expr::Literal(Literal::Null), "java/lang/Object");
        body.push(Stmt::Expr(writer.action(&action, &none).expr));
    }
    body.extend(filled.values().map(|field| Stmt::Expr(writer.empty_static(field))));
    Some(JunitMethod::around(writer, framework, framework.row().after_each, name, |method| {
        method.throws = by_reflection.then(|| "Throwable".into());
        method.body = vec![body];
    }))
}

/// Global state of a JVM that some cases change.
#[derive(Default)]
struct Shared {
    properties: BTreeSet<Box<str>>,
    all_properties: bool,
    locale: bool,
    time_zone: bool,
    streams: BTreeSet<Stream>,
    defaults: BTreeSet<JvmDefault>,
}

/// A saved value: its field, and how it is saved and restored.
struct SavedValue {
    field: Field,
    save: Vec<Stmt>,
    restore: Vec<Stmt>,
}

impl Shared {
    fn of(cases: &[&Case]) -> Shared {
        let mut shared = Shared::default();
        let mut assertions = cases.iter().flat_map(|case| &case.assertions);
        if assertions.any(|it| it.probe.is_printed()) {
            shared.streams.insert(Stream::Out);
        }
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
                Effect::DefaultReplaced(default) => {
                    shared.defaults.insert(*default);
                }
                _ => {}
            }
        }
        shared
    }

    fn saved_values(&self, writer: &Writer<'_>) -> Vec<SavedValue> {
        let mut kept = Vec::new();
        if !self.all_properties && !self.properties.is_empty() {
            kept.push(self.properties(writer));
        }
        if self.all_properties {
            let ty = writer.class("java/util/Properties");
            // A copy: the object itself is what tests change.
            let copy = Expr::call(system("getProperties", Vec::new()), "clone", Vec::new());
            let save = vec![set("properties", Expr::cast(ty.clone(), copy))];
            let restore = vec![Stmt::Expr(system("setProperties", vec![Expr::name("properties")]))];
            kept.push(SavedValue { field: field(ty, "properties"), save, restore });
        }
        if self.locale {
            kept.extend(locales(&writer.class("java/util/Locale")));
        }
        if self.time_zone {
            let ty = writer.class("java/util/TimeZone");
            let save = set("timeZone", Expr::static_call(ty.clone(), "getDefault", Vec::new()));
            let restore = Expr::static_call(ty.clone(), "setDefault", vec![Expr::name("timeZone")]);
            kept.push(SavedValue {
                field: field(ty, "timeZone"),
                save: vec![save],
                restore: vec![Stmt::Expr(restore)],
            });
        }
        for stream in &self.streams {
            let (class, name, setter) = match stream {
                Stream::In => ("java/io/InputStream", "standardInput", "setIn"),
                Stream::Out => ("java/io/PrintStream", "standardOutput", "setOut"),
                Stream::Err => ("java/io/PrintStream", "standardError", "setErr"),
            };
            let now = Expr::field(Expr::Type(TypeName::lang("System")), stream.field());
            let restore = vec![Stmt::Expr(system(setter, vec![Expr::name(name)]))];
            kept.push(SavedValue {
                field: field(writer.class(class), name),
                save: vec![set(name, now)],
                restore,
            });
        }
        kept.extend(self.defaults.iter().map(|default| replaced(*default, writer)));
        kept
    }

    /// Single properties, in a map.
    fn properties(&self, writer: &Writer<'_>) -> SavedValue {
        let (map, hash_map) = (writer.class("java/util/Map"), writer.class("java/util/HashMap"));
        let ty = TypeName::new(map.ty, format!("{}<String, String>", map.name));
        let made = Expr::new(TypeName::new(hash_map.ty, format!("{}<>", hash_map.name)), Vec::new());
        let put = |name: &str| {
            let now = system("getProperty", vec![Expr::string(name)]);
            Stmt::Expr(Expr::call(Expr::name("properties"), "put", vec![Expr::string(name), now]))
        };
        let clear = system("clearProperty", vec![Expr::name("name")]);
        let set = system("setProperty", vec![Expr::name("name"), Expr::name("value")]);
        let is_null = Expr::IsNull(Box::new(Expr::name("value")));
        let each = Lambda::Block(vec![Stmt::If(is_null, vec![Stmt::Expr(clear)], vec![Stmt::Expr(set)])]);
        let each = Expr::Lambda(vec!["name".into(), "value".into()], each);
        SavedValue {
            field: Field {
                annotations: Vec::new(),
                modifiers: &["private", "final"],
                ty,
                name: "properties".into(),
                value: Some(made),
            },
            save: self.properties.iter().map(|name| put(name)).collect(),
            restore: vec![Stmt::Expr(Expr::call(Expr::name("properties"), "forEach", vec![each]))],
        }
    }
}

/// The default locale and those of its two categories. `Locale.setDefault` sets all three, so all are restored after
/// it.
fn locales(ty: &TypeName) -> Vec<SavedValue> {
    let locale = |method: &str, arguments| Expr::static_call(ty.clone(), method, arguments);
    let save = vec![set("locale", locale("getDefault", Vec::new()))];
    let mut kept = vec![SavedValue { field: field(ty.clone(), "locale"), save, restore: Vec::new() }];
    let mut restore = vec![Stmt::Expr(locale("setDefault", vec![Expr::name("locale")]))];
    for (category, name) in [("DISPLAY", "displayLocale"), ("FORMAT", "formatLocale")] {
        let value = Expr::field(Expr::field(Expr::Type(ty.clone()), "Category"), category);
        let save = vec![set(name, locale("getDefault", vec![value.clone()]))];
        restore.push(Stmt::Expr(locale("setDefault", vec![value, Expr::name(name)])));
        kept.push(SavedValue { field: field(ty.clone(), name), save, restore: Vec::new() });
    }
    if let Some(last) = kept.last_mut() {
        last.restore = restore;
    }
    kept
}

/// An object that the JDK uses by default.
fn replaced(default: JvmDefault, writer: &Writer<'_>) -> SavedValue {
    let row = default.row();
    let (holder, ty) = (writer.class(row.holder), writer.class(row.ty));
    let simple = default.type_name();
    let name = simple[..1].to_ascii_lowercase() + &simple[1..];
    let now = Expr::static_call(holder.clone(), &format!("get{}", row.property), Vec::new());
    let restore = Expr::static_call(holder, &format!("set{}", row.property), vec![Expr::name(&name)]);
    SavedValue { field: field(ty, &name), save: vec![set(&name, now)], restore: vec![Stmt::Expr(restore)] }
}

fn field(ty: TypeName, name: &str) -> Field {
    Field { annotations: Vec::new(), modifiers: &["private"], ty, name: name.into(), value: None }
}

/// `name = value;`
fn set(name: &str, value: Expr) -> Stmt {
    Stmt::Expr(Expr::assign(Expr::name(name), value))
}

/// `System.method(arguments)`
fn system(method: &str, arguments: Vec<Expr>) -> Expr {
    Expr::static_call(TypeName::lang("System"), method, arguments)
}
