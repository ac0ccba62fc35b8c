//! Claims as JUnit assertions, exact in the version of JUnit they are written for.

use super::JunitVersion;
use super::expressions::{Expression, Writer, class_or_array};
use super::overloads::unboxed;
use cupping_case::{Expectation, Expected, JavaType, Literal, VarId};
use std::collections::BTreeSet;

/// An assertion as a statement, and the methods of JUnit's `Assertions` (or `Assert`) that it calls.
pub struct Claims<'w, 'a> {
    /// Writes what is compared.
    pub writer: &'w Writer<'a>,
    /// Whose assertions.
    pub version: JunitVersion,
    /// Names for static imports.
    pub imports: BTreeSet<&'static str>,
}

impl Claims<'_, '_> {
    /// The statement that claims `expectation` of `actual`.
    pub fn claim(
        &mut self,
        actual: Expression,
        expectation: &Expectation,
        env: &dyn Fn(VarId) -> Expression,
    ) -> String {
        match expectation {
            Expectation::Equals(literal) => self.equals(literal, actual),
            Expectation::Differs(literal) => {
                let bare = self.writer.literal(literal);
                self.statement("assertNotEquals", &[&bare.text, &actual.text])
            }
            Expectation::OneOf(literals) => {
                let arrays = self.writer.names.class("java/util/Arrays");
                let all: Vec<String> = literals.iter().map(|it| self.writer.literal(it).text).collect();
                let contained = format!("{arrays}.asList({}).contains({})", all.join(", "), actual.text);
                self.statement("assertTrue", &[&contained])
            }
            Expectation::NotNull => self.statement("assertNotNull", &[&actual.text]),
            Expectation::Same(other) => self.statement("assertSame", &[&env(*other).text, &actual.text]),
            Expectation::EqualsValue(expected) => self.equals_value(expected, actual),
            Expectation::ArrayEquals(elements) => self.array_equals(elements, actual),
            Expectation::InstanceOf(class) => self.is_of_class(class, actual),
            Expectation::InFolder(path) => self.in_folder(path, &actual),
        }
    }

    /// `method(arguments);`, with the static import.
    pub fn statement(&mut self, method: &'static str, arguments: &[&str]) -> String {
        self.imports.insert(method);
        format!("{method}({});", arguments.join(", "))
    }

    fn equals(&mut self, literal: &Literal, actual: Expression) -> String {
        let bare = if let Literal::Boxed(inner) = literal { inner } else { literal };
        match bare {
            Literal::Null => return self.statement("assertNull", &[&actual.text]),
            Literal::Boolean(value) if is_boolean(&actual) => {
                let method = if *value { "assertTrue" } else { "assertFalse" };
                return self.statement(method, &[&actual.text]);
            }
            _ => {}
        }
        if actual.ty.as_ref().is_some_and(|ty| !ty.is_reference()) {
            return self.primitive_equals(bare, actual);
        }
        // JUnit 4 has no assertEquals(int, Integer): the call would be ambiguous.
        let box_shows = self.version == JunitVersion::Four;
        let expected = match literal {
            Literal::Boxed(_) if box_shows => self.writer.literal(literal),
            _ => self.writer.literal(bare),
        };
        self.statement("assertEquals", &[&expected.text, &actual.text])
    }

    fn equals_value(&mut self, expected: &Expected, actual: Expression) -> String {
        let Expected::Array { elements, .. } = expected else {
            let text = super::values::source(self.writer, expected);
            return self.statement("assertEquals", &[&text, &actual.text]);
        };
        let literal = |it: &Expected| if let Expected::Literal(it) = it { Some(it.clone()) } else { None };
        if let Some(literals) = elements.iter().map(literal).collect::<Option<Vec<_>>>() {
            return self.array_equals(&literals, actual);
        }
        let text = super::values::source(self.writer, expected);
        self.statement("assertArrayEquals", &[&text, &actual.text])
    }

    fn primitive_equals(&mut self, expected: &Literal, actual: Expression) -> String {
        let zero = match expected {
            Literal::Float(value) => Some(("Float", *value == 0.0)),
            Literal::Double(value) => Some(("Double", *value == 0.0)),
            _ => None,
        };
        let text = self.primitive_text(expected, &actual);
        match (self.version, zero) {
            // JUnit 4 takes 0.0 and -0.0 to be within any delta.
            (JunitVersion::Four, Some((class, true))) => {
                let compared = format!("{class}.compare({text}, {})", actual.text);
                self.statement("assertEquals", &["0", &compared])
            }
            // Double.compare comes first there, so NaN equals NaN; a delta of zero admits nothing else.
            (JunitVersion::Four, Some((class, false))) => {
                let delta = if class == "Float" { "0.0f" } else { "0.0" };
                self.statement("assertEquals", &[&text, &actual.text, delta])
            }
            _ => self.statement("assertEquals", &[&text, &actual.text]),
        }
    }

    /// Small integers need no cast: both sides are widened to `int` or `long`.
    fn primitive_text(&self, expected: &Literal, actual: &Expression) -> String {
        match expected {
            Literal::Byte(value) => value.to_string(),
            Literal::Short(value) => value.to_string(),
            Literal::Int(value) if actual.ty == Some(JavaType::Long) => {
                self.writer.literal(&Literal::Long(i64::from(*value))).text
            }
            _ => self.writer.literal(expected).text,
        }
    }

    fn array_equals(&mut self, elements: &[Literal], actual: Expression) -> String {
        let element = match &actual.ty {
            Some(JavaType::Array(element)) => (**element).clone(),
            _ => elements
                .iter()
                .find_map(|literal| self.writer.literal(literal).ty)
                .unwrap_or_else(|| JavaType::class("java/lang/Object")),
        };
        let values: Vec<String> = elements.iter().map(|literal| self.element(literal, &element)).collect();
        let expected = self.writer.array(&element, &values).text;
        let array = JavaType::Array(Box::new(element.clone()));
        let actual_text = match &actual.ty {
            Some(JavaType::Array(_)) => actual.text,
            _ => format!("({}) {}", self.writer.names.ty(&array), actual.text),
        };
        let floats = matches!(element, JavaType::Float | JavaType::Double);
        let zeros = elements.iter().any(|literal| {
            matches!(literal, Literal::Float(value) if *value == 0.0)
                || matches!(literal, Literal::Double(value) if *value == 0.0)
        });
        match (self.version, floats, zeros) {
            (JunitVersion::Four, true, true) => {
                let arrays = self.writer.names.class("java/util/Arrays");
                let equal = format!("{arrays}.equals({expected}, {actual_text})");
                self.statement("assertTrue", &[&equal])
            }
            (JunitVersion::Four, true, false) => {
                let delta = if element == JavaType::Float { "0.0f" } else { "0.0" };
                self.statement("assertArrayEquals", &[&expected, &actual_text, delta])
            }
            _ => self.statement("assertArrayEquals", &[&expected, &actual_text]),
        }
    }

    fn element(&self, literal: &Literal, element: &JavaType) -> String {
        let bare = match literal {
            Literal::Boxed(inner) => inner,
            other => other,
        };
        match (bare, element) {
            (Literal::Byte(value), JavaType::Byte) => value.to_string(),
            (Literal::Short(value), JavaType::Short) => value.to_string(),
            _ => self.writer.literal(bare).text,
        }
    }

    fn is_of_class(&mut self, class: &str, actual: Expression) -> String {
        let object = JavaType::class("java/lang/Object");
        let receiver = self.writer.receiver(actual, &object);
        if self.writer.names.is_accessible(class) {
            let expected = format!("{}.class", self.writer.names.ty(&class_or_array(class)));
            self.statement("assertEquals", &[&expected, &format!("{receiver}.getClass()")])
        } else {
            let expected = format!("\"{}\"", class.replace('/', "."));
            self.statement("assertEquals", &[&expected, &format!("{receiver}.getClass().getName()")])
        }
    }
}

fn is_boolean(actual: &Expression) -> bool {
    actual.ty.as_ref().is_some_and(|ty| *ty == JavaType::Boolean || unboxed(ty) == Some(JavaType::Boolean))
}
