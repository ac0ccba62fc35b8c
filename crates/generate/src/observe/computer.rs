//! The state before a test as it would be on another computer, with another user, language, zone and system.
//! The family of systems stays the same: path and line separators are those of the computer where tests are
//! generated.

use cupping_machine::{Machine, Step, Trap, Value};

/// Fuel of one call that sets a property of the computer.
const FUEL: u64 = 5_000_000;

/// System properties with values that another computer may have. They include the version of Java, since tests
/// outlive updates.
const PROPERTIES: [(&str, &str); 7] = [
    ("user.name", "somebody"),
    ("java.version", "99.0.7"),
    ("java.vendor", "Other Vendor"),
    ("java.vm.name", "Other VM"),
    ("os.name", "Mac OS X"),
    ("os.version", "99.7"),
    ("os.arch", "aarch64"),
];

/// Properties that name folders. Their values are exchanged, so that the named folders exist on the other
/// computer too.
const FOLDERS: [&str; 3] = ["user.home", "user.dir", "java.io.tmpdir"];

/// How often the other program has numbered threads, pools and timers before.
const NUMBERED: u32 = 3;

/// Language and country of the other user: numbers with a decimal comma, weeks that begin on Monday, and an `i`
/// whose capital is not `I`.
const LOCALE: [&str; 2] = ["tr", "TR"];
const EXECUTORS: &str = "java/util/concurrent/Executors";
/// A zone with another offset, which is not a whole number of hours.
const ZONE: &str = "Asia/Kolkata";

/// Turns the machine into another computer. Settings that it refuses stay as they were.
pub(super) fn change_computer(machine: &mut Machine) {
    for (name, value) in PROPERTIES {
        let _ = text(machine, value).and_then(|value| set_property(machine, name, value));
    }
    let _ = rotate_folders(machine);
    let _ = rename_java_home(machine);
    for _ in 0..NUMBERED {
        let _ = number_thread(machine);
        let _ =
            call(machine, EXECUTORS, "defaultThreadFactory", "()Ljava/util/concurrent/ThreadFactory;", &[]);
        let _ = call(machine, "java/util/Timer", "serialNumber", "()I", &[]);
    }
    let _ = set_locale(machine);
    let _ = set_zone(machine);
    let _ = unname_class_loader(machine);
    let _ = reverse_immutable_collections(machine);
}

fn set_property(machine: &mut Machine, name: &str, value: Value) -> Step<()> {
    let name = text(machine, name)?;
    let descriptor = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;";
    call(machine, "java/lang/System", "setProperty", descriptor, &[name, value]).map(drop)
}

fn rotate_folders(machine: &mut Machine) -> Step<()> {
    let descriptor = "(Ljava/lang/String;)Ljava/lang/String;";
    let mut values = Vec::new();
    for name in FOLDERS {
        let name = text(machine, name)?;
        values.push(call(machine, "java/lang/System", "getProperty", descriptor, &[name])?);
    }
    values.rotate_left(1);
    // A text of the same length would not show a dependence on the length.
    FOLDERS.into_iter().zip(values).try_for_each(|(name, value)| set_folder(machine, name, value))
}

/// Lets a property name this folder by another path.
fn set_folder(machine: &mut Machine, property: &str, folder: Value) -> Step<()> {
    let mut units = machine.string_units(folder.as_ref());
    units.extend("/.".encode_utf16());
    let other = Value::reference(machine.intern(&units)?);
    set_property(machine, property, other)
}

/// The JDK is in a folder with another name. Its library reads files there, so the name leads to the same folder.
fn rename_java_home(machine: &mut Machine) -> Step<()> {
    let name = text(machine, "java.home")?;
    let descriptor = "(Ljava/lang/String;)Ljava/lang/String;";
    let value = call(machine, "java/lang/System", "getProperty", descriptor, &[name])?;
    set_folder(machine, "java.home", value)
}

/// Threads without a name are numbered over the life of a JVM, and whoever runs tests has some.
fn number_thread(machine: &mut Machine) -> Step<()> {
    let class = machine.load("java/lang/Thread")?;
    let thread = Value::reference(machine.new_object(class)?);
    call(machine, "java/lang/Thread", "<init>", "()V", &[thread]).map(drop)
}

fn set_locale(machine: &mut Machine) -> Step<()> {
    let class = machine.load("java/util/Locale")?;
    machine.initialize_class_now(class)?;
    let locale = Value::reference(machine.new_object(class)?);
    let arguments = [locale, text(machine, LOCALE[0])?, text(machine, LOCALE[1])?];
    call(machine, "java/util/Locale", "<init>", "(Ljava/lang/String;Ljava/lang/String;)V", &arguments)?;
    call(machine, "java/util/Locale", "setDefault", "(Ljava/util/Locale;)V", &[locale]).map(drop)
}

fn set_zone(machine: &mut Machine) -> Step<()> {
    let id = text(machine, ZONE)?;
    let get = "(Ljava/lang/String;)Ljava/util/TimeZone;";
    let zone = call(machine, "java/util/TimeZone", "getTimeZone", get, &[id])?;
    call(machine, "java/util/TimeZone", "setDefault", "(Ljava/util/TimeZone;)V", &[zone]).map(drop)
}

/// Who runs tests may load their classes with a loader of its own, which need not have a name.
fn unname_class_loader(machine: &mut Machine) -> Step<()> {
    let get = "()Ljava/lang/ClassLoader;";
    let loader = call(machine, "java/lang/ClassLoader", "getSystemClassLoader", get, &[])?.as_ref();
    if let Some(offset) = machine.field_offset(machine.class_of(loader), "name") {
        machine.set_field(loader, offset, 0);
    }
    Ok(())
}

/// Each JVM draws at random in which of two orders `Set.of` and `Map.of` iterate. The positions of elements
/// depend on the same draw, but some sets exist already, so the positions stay.
fn reverse_immutable_collections(machine: &mut Machine) -> Step<()> {
    let class = machine.load("java/util/ImmutableCollections")?;
    machine.initialize_class_now(class)?;
    let is_reverse = machine.static_field(class, "REVERSE").unwrap_or(0);
    machine.set_static_field(class, "REVERSE", is_reverse ^ 1)
}

fn text(machine: &mut Machine, text: &str) -> Step<Value> {
    let units: Vec<u16> = text.encode_utf16().collect();
    Ok(Value::reference(machine.intern(&units)?))
}

fn call(
    machine: &mut Machine,
    class: &str,
    name: &str,
    descriptor: &str,
    arguments: &[Value],
) -> Step<Value> {
    let class = machine.load(class)?;
    machine.initialize_class_now(class)?;
    let method = machine
        .declared_method(class, name, descriptor)
        .ok_or_else(|| Trap::unsupported(format!("a JDK without {name}{descriptor}")))?;
    machine.set_fuel(FUEL);
    machine.call(method, arguments)
}
