//! Prints assertions on results, exact in the framework they are written for.

use super::expressions::{Expression, Writer, class_or_array, int};
use super::overloads::unboxed;
use crate::framework::{Floats, Framework};
use crate::source::tree::{Assert, Expr, TypeName};
use cupping_case::{Expectation, ExpectedValue, JavaType, Literal, VarId};

/// Makes assertions.
pub struct Claims<'w, 'a> {
    /// Makes what is compared.
    pub writer: &'w Writer<'a>,
    /// The value that the assertions are about.
    pub framework: Framework,
}

impl Claims<'_, '_> {
    /// The assertion that states `expectation` about `actual`.
    pub fn claim(
        &self,
        actual: Expression,
        expectation: &Expectation,
        env: &dyn Fn(VarId) -> Expression,
    ) -> Assert {
        match expectation {
            Expectation::Equals(literal) => self.equals(literal, actual),
            Expectation::Differs(literal) => {
                Assert::NotEqual { unexpected: self.writer.literal(literal).expr, actual: actual.expr }
            }
            Expectation::DiffersFrom(other) => {
                Assert::NotEqual { unexpected: env(*other).expr, actual: actual.expr }
            }
            Expectation::OneOf(literals) => {
                let arrays = self.writer.class("java/util/Arrays");
                let all = literals.iter().map(|it| self.writer.literal(it).expr).collect();
                let list = Expr::static_call(arrays, "asList", all);
                Assert::True(Expr::call(list, "contains", vec![actual.expr]))
            }
            Expectation::NotNull => Assert::NotNull(actual.expr),
            Expectation::Same(other) => Assert::Same { expected: env(*other).expr, actual: actual.expr },
            Expectation::EqualsValue(expected) => self.equals_value(expected, actual),
            Expectation::ArrayEquals(elements) => self.array_equals(elements, actual),
            Expectation::InstanceOf(class) => self.is_of_class(class, actual),
            Expectation::InFolder(path) => self.in_folder(path, actual),
        }
    }

    fn equals(&self, literal: &Literal, actual: Expression) -> Assert {
        let bare = if let Literal::Boxed(inner) = literal { inner } else { literal };
        match bare {
            Literal::Null => return Assert::Null(actual.expr),
            Literal::Boolean(true) if is_boolean(&actual) => return Assert::True(actual.expr),
            Literal::Boolean(false) if is_boolean(&actual) => return Assert::False(actual.expr),
            _ => {}
        }
        if actual.ty.as_ref().is_some_and(|ty| !ty.is_reference()) {
            return self.primitive_equals(bare, actual);
        }
        let expected = match literal {
            Literal::Boxed(_) if self.framework.row().box_is_ambiguous => self.writer.literal(literal),
            _ => self.writer.literal(bare),
        };
        equal(expected.expr, actual.expr)
    }

    fn equals_value(&self, expected: &ExpectedValue, actual: Expression) -> Assert {
        let ExpectedValue::Array { element, elements } = expected else {
            return equal(super::values::expression(self.writer, expected), actual.expr);
        };
        let ty = JavaType::Array(Box::new(element.clone()));
        let actual = match &actual.ty {
            Some(JavaType::Array(_)) | None => actual,
            Some(_) => Expression { expr: Expr::cast(self.writer.ty(&ty), actual.expr), ty: Some(ty) },
        };
        let literal =
            |it: &ExpectedValue| if let ExpectedValue::Literal(it) = it { Some(it.clone()) } else { None };
        if let Some(literals) = elements.iter().map(literal).collect::<Option<Vec<_>>>() {
            return self.array_equals(&literals, actual);
        }
        let expected = super::values::expression(self.writer, expected);
        Assert::ArrayEqual { expected, actual: actual.expr, delta: None }
    }

    fn primitive_equals(&self, expected: &Literal, actual: Expression) -> Assert {
        let value = self.primitive(expected, &actual);
        let Some((class, zero)) = float(expected).filter(|_| self.has_tolerance()) else {
            return equal(value, actual.expr);
        };
        let is_zero = match expected {
            Literal::Float(value) => *value == 0.0,
            Literal::Double(value) => *value == 0.0,
            _ => false,
        };
        if is_zero {
            // 0.0 and -0.0 are within any tolerance.
            let compared = Expr::static_call(TypeName::lang(class), "compare", vec![value, actual.expr]);
            return equal(int(0), compared);
        }
        // `Double.compare` comes first there, so NaN equals NaN; a tolerance of zero allows nothing else.
        Assert::Equal { expected: value, actual: actual.expr, delta: Some(Expr::Literal(zero)) }
    }

    fn has_tolerance(&self) -> bool {
        self.framework.row().floats == Floats::Tolerance
    }

    /// Small integers need no cast: both sides are widened to `int` or `long`.
    fn primitive(&self, expected: &Literal, actual: &Expression) -> Expr {
        let is_widened = !self.framework.row().box_is_ambiguous || !self.framework.row().actual_first;
        match expected {
            Literal::Byte(value) if is_widened => int(*value),
            Literal::Short(value) if is_widened => int(*value),
            Literal::Int(value) if actual.ty == Some(JavaType::Long) => {
                Expr::Literal(Literal::Long(i64::from(*value)))
            }
            _ => self.writer.literal(expected).expr,
        }
    }

    fn array_equals(&self, elements: &[Literal], actual: Expression) -> Assert {
        let element = match &actual.ty {
            Some(JavaType::Array(element)) => (**element).clone(),
            _ => elements
                .iter()
                .find_map(|literal| self.writer.literal(literal).ty)
                .unwrap_or_else(|| JavaType::class("java/lang/Object")),
        };
        let values = elements.iter().map(|literal| self.element(literal, &element)).collect();
        let expected = self.writer.array(&element, values).expr;
        let array = JavaType::Array(Box::new(element.clone()));
        let actual = match &actual.ty {
            Some(JavaType::Array(_)) => actual.expr,
            _ => Expr::cast(self.writer.ty(&array), actual.expr),
        };
        let zero = match element {
            JavaType::Float => Some(Literal::Float(0.0)),
            JavaType::Double => Some(Literal::Double(0.0)),
            _ => None,
        };
        let has_zero = elements.iter().any(|literal| {
            matches!(literal, Literal::Float(value) if *value == 0.0)
                || matches!(literal, Literal::Double(value) if *value == 0.0)
        });
        match zero.filter(|_| self.has_tolerance()) {
            Some(_) if has_zero => {
                let arrays = self.writer.class("java/util/Arrays");
                Assert::True(Expr::static_call(arrays, "equals", vec![expected, actual]))
            }
            zero => Assert::ArrayEqual { expected, actual, delta: zero.map(Expr::Literal) },
        }
    }

    fn element(&self, literal: &Literal, element: &JavaType) -> Expr {
        let bare = match literal {
            Literal::Boxed(inner) => inner,
            other => other,
        };
        match (bare, element) {
            (Literal::Byte(value), JavaType::Byte) => int(*value),
            (Literal::Short(value), JavaType::Short) => int(*value),
            _ => self.writer.literal(bare).expr,
        }
    }

    fn is_of_class(&self, class: &str, actual: Expression) -> Assert {
        let object = JavaType::class("java/lang/Object");
        let of = Expr::call(self.writer.receiver(actual, &object), "getClass", Vec::new());
        if self.writer.names.is_accessible(class) {
            equal(Expr::ClassOf(self.writer.ty(&class_or_array(class))), of)
        } else {
            equal(Expr::string(&class.replace('/', ".")), Expr::call(of, "getName", Vec::new()))
        }
    }
}

/// `assertEquals(expected, actual)`
pub fn equal(expected: Expr, actual: Expr) -> Assert {
    Assert::Equal { expected, actual, delta: None }
}

/// The class that compares floating-point numbers of a literal's type, and the zero of that type.
fn float(literal: &Literal) -> Option<(&'static str, Literal)> {
    match literal {
        Literal::Float(_) => Some(("Float", Literal::Float(0.0))),
        Literal::Double(_) => Some(("Double", Literal::Double(0.0))),
        _ => None,
    }
}

fn is_boolean(actual: &Expression) -> bool {
    actual.ty.as_ref().is_some_and(|ty| *ty == JavaType::Boolean || unboxed(ty) == Some(JavaType::Boolean))
}
