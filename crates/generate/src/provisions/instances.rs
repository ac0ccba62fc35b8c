//! JDK types whose objects have names. A look-up by a free text would explore the tables of the JDK instead of the code
//! under test.

use super::Provision;
use cupping_machine::{ClassId, Machine};

/// Types, the classes that hold their objects, and the fields.
const INSTANCES: &[(&str, &str, &[&str])] = &[
    ("java/nio/charset/Charset", "java/nio/charset/StandardCharsets", &["UTF_8", "ISO_8859_1", "UTF_16BE"]),
    ("java/util/Locale", "java/util/Locale", &["US", "GERMANY", "ROOT"]),
    ("java/time/chrono/IsoChronology", "java/time/chrono/IsoChronology", &["INSTANCE"]),
    ("java/time/temporal/WeekFields", "java/time/temporal/WeekFields", &["ISO", "SUNDAY_START"]),
    (
        "java/time/format/DateTimeFormatter",
        "java/time/format/DateTimeFormatter",
        &["ISO_LOCAL_DATE", "ISO_LOCAL_DATE_TIME"],
    ),
    ("java/time/ZoneId", "java/time/ZoneOffset", &["UTC", "MAX"]),
    ("java/time/ZoneOffset", "java/time/ZoneOffset", &["UTC", "MAX"]),
];

/// The named objects of a type.
pub(super) fn instances(machine: &mut Machine, name: &str) -> Vec<Provision> {
    let Some((_, holder, fields)) = INSTANCES.iter().find(|it| it.0 == name) else { return Vec::new() };
    let Ok(holder) = machine.load(holder) else { return Vec::new() };
    fields.iter().filter_map(|field| static_field(machine, holder, field)).collect()
}

/// A static field as a provision.
pub(super) fn static_field(machine: &Machine, class: ClassId, name: &str) -> Option<Provision> {
    let at = machine.class(class).fields.iter().position(|f| f.is_static() && &*f.name == name)?;
    Some(Provision::Constant(class, at))
}
