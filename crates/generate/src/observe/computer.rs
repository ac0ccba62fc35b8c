//! Another computer: the state before a test as it would be there, with another user, language, zone and system.
//!
//! The family of systems stays: separators of paths and lines are as on the computer where tests are generated.

use cupping_machine::{Machine, Step, Trap, Value};

/// Fuel of one call that sets a part of the computer.
const FUEL: u64 = 5_000_000;

/// System properties with the values that another computer may have. What tells versions of Java apart is among them:
/// tests outlive updates.
const PROPERTIES: [(&str, &str); 7] = [
    ("user.name", "somebody"),
    ("java.version", "99.0.7"),
    ("java.vendor", "Other Vendor"),
    ("java.vm.name", "Other VM"),
    ("os.name", "Mac OS X"),
    ("os.version", "99.7"),
    ("os.arch", "aarch64"),
];

/// Properties that name folders, which trade places: what they name exists on the other computer too.
const FOLDERS: [&str; 3] = ["user.home", "user.dir", "java.io.tmpdir"];

/// The language and the country of the other user: a comma in numbers, weeks that begin on Monday, and an `i` whose
/// capital is no `I`.
const LOCALE: [&str; 2] = ["tr", "TR"];
/// A zone whose hours, and half of whose minutes, are others than those of the start.
const ZONE: &str = "Asia/Kolkata";

/// Turns the machine into another computer; what it refuses stays as it was.
pub(super) fn change_computer(machine: &mut Machine) {
    for (name, value) in PROPERTIES {
        let _ = text(machine, value).and_then(|value| set_property(machine, name, value));
    }
    let _ = rotate_folders(machine);
    let _ = set_locale(machine);
    let _ = set_zone(machine);
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
    for (name, value) in FOLDERS.into_iter().zip(values) {
        // Texts of one length would leave the length of the name as it was.
        let mut units = machine.string_units(value.as_ref());
        units.extend("/.".encode_utf16());
        let longer = Value::reference(machine.intern(&units)?);
        set_property(machine, name, longer)?;
    }
    Ok(())
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

/// `Set.of` and `Map.of` iterate in one order or the other, as each JVM draws it. Where elements are kept depends on
/// the draw too, but there are sets already, so that stays.
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
