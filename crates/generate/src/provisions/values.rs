//! Typical values of JDK types that stand for a value, such as dates, numbers and formats: what a person would write.
//! Most of these types also have makers that read the clock or the settings of the computer, or that parse a text.
//! Tests should not depend on the former, and a search in the latter would explore the JDK, not the code under test.

use super::instances::static_field;
use super::library::invokable;
use super::{MAX_DEPTH, Provider, Provision};
use crate::input::Input;
use crate::invokable::{Invokable, Parameter};
use cupping_machine::{Kind, Machine};
use std::rc::Rc;

/// A value of a type.
pub(super) struct Example {
    /// The type, which has the constructor or factory.
    pub(super) ty: &'static str,
    method: &'static str,
    descriptor: &'static str,
    pub(super) arguments: &'static [Argument],
}

/// An argument of a constructor or factory.
pub(super) enum Argument {
    /// An input that the search varies.
    Free,
    /// A number.
    Number(i32),
    /// A text.
    Text(&'static str),
    /// The value of a static field.
    Field(&'static str, &'static str),
    /// The value of this rank of the parameter's type.
    Value(usize),
}

use Argument::{Field, Free, Number, Text, Value};

const LOCALE: &str = "java/util/Locale";
const ROOT: Argument = Field(LOCALE, "ROOT");
const OFFSET: Argument = Field("java/time/ZoneOffset", "UTC");

/// The values, by type, those that every run can use first. Points in time are those of the fixed clocks.
#[rustfmt::skip]
pub(super) const EXAMPLES: &[Example] = &[
    of("java/time/LocalDate", "of", "(III)", &[Number(2023), Number(11), Number(14)]),
    of("java/time/LocalDate", "of", "(III)", &[Free, Free, Free]),
    of("java/time/LocalTime", "of", "(II)", &[Number(22), Number(13)]),
    of("java/time/LocalTime", "of", "(II)", &[Free, Free]),
    of("java/time/LocalDateTime", "of", "(IIIII)", &[Number(2023), Number(11), Number(14), Number(22), Number(13)]),
    of("java/time/LocalDateTime", "of", "(IIIII)", &[Free, Free, Free, Free, Free]),
    of("java/time/ZonedDateTime", "of", "(Ljava/time/LocalDateTime;Ljava/time/ZoneId;)", &[Value(0), OFFSET]),
    of("java/time/ZonedDateTime", "of", "(Ljava/time/LocalDateTime;Ljava/time/ZoneId;)", &[Value(1), OFFSET]),
    of("java/time/OffsetDateTime", "of", "(Ljava/time/LocalDateTime;Ljava/time/ZoneOffset;)", &[Value(0), OFFSET]),
    of("java/time/OffsetDateTime", "of", "(Ljava/time/LocalDateTime;Ljava/time/ZoneOffset;)", &[Value(1), OFFSET]),
    of("java/time/OffsetTime", "of", "(Ljava/time/LocalTime;Ljava/time/ZoneOffset;)", &[Value(0), OFFSET]),
    of("java/time/OffsetTime", "of", "(Ljava/time/LocalTime;Ljava/time/ZoneOffset;)", &[Value(1), OFFSET]),
    of("java/time/Year", "of", "(I)", &[Free]),
    of("java/time/YearMonth", "of", "(II)", &[Number(2023), Number(11)]),
    of("java/time/YearMonth", "of", "(II)", &[Free, Free]),
    of("java/time/MonthDay", "of", "(II)", &[Number(11), Number(14)]),
    of("java/time/MonthDay", "of", "(II)", &[Free, Free]),
    of("java/time/Instant", "ofEpochSecond", "(J)", &[Free]),
    of("java/time/Duration", "ofSeconds", "(J)", &[Free]),
    of("java/time/Period", "of", "(III)", &[Free, Free, Free]),
    of("java/time/format/DateTimeFormatter", "ofPattern", "(Ljava/lang/String;Ljava/util/Locale;)", &[
        Text("dd.MM.yyyy HH:mm"), ROOT,
    ]),
    new("java/util/Date", "(J)V", &[Free]),
    new("java/sql/Date", "(J)V", &[Free]),
    new("java/sql/Time", "(J)V", &[Free]),
    new("java/sql/Timestamp", "(J)V", &[Free]),
    new("java/util/GregorianCalendar", "(III)V", &[Number(2023), Number(10), Number(14)]),
    new("java/util/GregorianCalendar", "(III)V", &[Free, Free, Free]),
    of("java/util/TimeZone", "getTimeZone", "(Ljava/lang/String;)", &[Text("UTC")]),
    of("java/util/TimeZone", "getTimeZone", "(Ljava/lang/String;)", &[Text("America/New_York")]),
    new(LOCALE, "(Ljava/lang/String;)V", &[Free]),
    new(LOCALE, "(Ljava/lang/String;Ljava/lang/String;)V", &[Free, Free]),
    new(LOCALE, "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V", &[Free, Free, Free]),
    of("java/util/Currency", "getInstance", "(Ljava/lang/String;)", &[Text("EUR")]),
    of("java/util/Currency", "getInstance", "(Ljava/lang/String;)", &[Text("JPY")]),
    of("java/math/BigInteger", "valueOf", "(J)", &[Free]),
    new("java/math/BigInteger", "(Ljava/lang/String;)V", &[Text("123456789012345678901")]),
    of("java/math/BigDecimal", "valueOf", "(JI)", &[Free, Number(2)]),
    of("java/math/BigDecimal", "valueOf", "(J)", &[Free]),
    new("java/math/BigDecimal", "(Ljava/lang/String;)V", &[Text("12345678901234567890.125")]),
    new("java/text/SimpleDateFormat", "(Ljava/lang/String;Ljava/util/Locale;)V", &[Text("yyyy-MM-dd"), ROOT]),
    new("java/text/DecimalFormat", "(Ljava/lang/String;Ljava/text/DecimalFormatSymbols;)V", &[
        Text("#,##0.00"), Value(0),
    ]),
    of("java/text/DecimalFormatSymbols", "getInstance", "(Ljava/util/Locale;)", &[ROOT]),
    of("java/net/URI", "create", "(Ljava/lang/String;)", &[Text("http://example.com/a?b=c#d")]),
    of("java/net/URI", "create", "(Ljava/lang/String;)", &[Text("a/b")]),
];

/// A factory of the type itself; its descriptor lacks the result.
const fn of(
    ty: &'static str,
    method: &'static str,
    descriptor: &'static str,
    arguments: &'static [Argument],
) -> Example {
    Example { ty, method, descriptor, arguments }
}

/// A constructor of the type.
const fn new(ty: &'static str, descriptor: &'static str, arguments: &'static [Argument]) -> Example {
    Example { ty, method: "<init>", descriptor, arguments }
}

impl Example {
    /// The constructor or factory.
    pub(super) fn maker(&self, machine: &mut Machine) -> Option<Rc<Invokable>> {
        let class = machine.load(self.ty).ok()?;
        let descriptor = match self.descriptor.ends_with(')') {
            true => format!("{}L{};", self.descriptor, self.ty),
            false => self.descriptor.to_owned(),
        };
        invokable(machine, class, self.method, &descriptor)
    }
}

impl Provider {
    /// The typical values of a type.
    pub(super) fn values(&mut self, machine: &mut Machine, name: &str, depth: u32) -> Vec<Provision> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        let examples = EXAMPLES.iter().filter(|it| it.ty == name);
        examples.filter_map(|example| self.value(machine, example, depth)).collect()
    }

    pub(super) fn value(
        &mut self,
        machine: &mut Machine,
        example: &Example,
        depth: u32,
    ) -> Option<Provision> {
        let maker = example.maker(machine)?;
        let arguments = maker.parameters.iter().zip(example.arguments);
        let arguments: Option<Vec<Provision>> =
            arguments.map(|(parameter, it)| self.argument(machine, parameter, it, depth)).collect();
        Some(Provision::MakeOf(maker.clone(), arguments?))
    }

    fn argument(
        &mut self,
        machine: &mut Machine,
        parameter: &Parameter,
        argument: &Argument,
        depth: u32,
    ) -> Option<Provision> {
        match argument {
            Free if parameter.kind == Kind::Reference => Some(self.strings(depth + 1)[0].clone()),
            Free => Some(Provision::Input(Input::Primitive(parameter.kind))),
            Number(number) => Some(Provision::Input(Input::Fixed(parameter.kind, i64::from(*number) as u64))),
            Text(text) => Some(Provision::Input(Input::Text(text.encode_utf16().collect()))),
            Field(class, field) => {
                let class = machine.load(class).ok()?;
                static_field(machine, class, field)
            }
            Value(rank) => {
                let class = machine.load_descriptor(&parameter.ty.descriptor()).ok()?;
                self.provisions(machine, class, None, depth + 1).get(*rank).cloned()
            }
        }
    }
}
