//! Assertions as AssertJ writes them: `assertThat(actual).isEqualTo(expected)`.

use super::java::Printer;
use super::tree::{Assert, Expr, Lambda, Stmt, TypeName};
use cupping_case::{JavaType, Literal};

/// The class whose static methods begin an assertion.
pub const ASSERTIONS: &str = "org.assertj.core.api.Assertions";

impl Printer {
    /// The assertion in AssertJ's words; `None` where it has none that means the same.
    pub(super) fn fluent(&mut self, assert: &Assert) -> Option<String> {
        let text = match assert {
            Assert::Equal { expected, actual, delta } => {
                if is_nan(expected) {
                    return Some(self.that(actual, "isNaN()"));
                }
                // Numbers that have to be equal have no tolerance there.
                let is_exact = delta.as_ref().is_none_or(is_zero);
                let expected = is_exact.then(|| self.expr(expected))?;
                self.that(actual, &format!("isEqualTo({expected})"))
            }
            // Its assertions on arrays of arrays compare references.
            Assert::ArrayEqual { expected: Expr::Array(element, _), .. } if is_array(element) => return None,
            Assert::ArrayEqual { delta: Some(_), .. } => return None,
            Assert::ArrayEqual { expected, actual, delta: None } => {
                let expected = self.expr(expected);
                self.that(actual, &format!("isEqualTo({expected})"))
            }
            Assert::NotEqual { unexpected, actual } => {
                let unexpected = self.expr(unexpected);
                self.that(actual, &format!("isNotEqualTo({unexpected})"))
            }
            Assert::Same { expected, actual } => {
                let expected = self.expr(expected);
                self.that(actual, &format!("isSameAs({expected})"))
            }
            Assert::True(actual) => self.that(actual, "isTrue()"),
            Assert::False(actual) => self.that(actual, "isFalse()"),
            Assert::Null(actual) => self.that(actual, "isNull()"),
            Assert::NotNull(actual) => self.that(actual, "isNotNull()"),
            Assert::Throws { class, body, variable: None } => self.thrown_by(body, class, None),
            // It returns null if nothing is thrown, and the variable would be used.
            Assert::Throws { variable: Some(_), .. } => return None,
        };
        Some(text)
    }

    fn that(&mut self, actual: &Expr, claim: &str) -> String {
        self.import(ASSERTIONS, "assertThat");
        format!("assertThat({}).{claim};", self.expr(actual))
    }

    fn thrown_by(&mut self, body: &Lambda, class: &TypeName, message: Option<&Expr>) -> String {
        self.import(ASSERTIONS, "assertThatThrownBy");
        let body = self.lambda(&[], body);
        let message = match message {
            Some(Expr::Literal(Literal::Null)) => ".hasMessage(null)".to_owned(),
            Some(message) => format!(".hasMessage({})", self.expr(message)),
            None => String::new(),
        };
        format!("assertThatThrownBy({body}).isInstanceOf({}.class){message};", class.name)
    }

    /// An exception and the assertion on its message as one, where the rest of the test does not name the exception.
    pub(super) fn fluent_exception(&mut self, thrown: &Stmt, then: &Stmt, rest: &[&Stmt]) -> Option<String> {
        let Stmt::Assert(Assert::Throws { class, body, variable: Some(variable) }) = thrown else {
            return None;
        };
        let Stmt::Assert(Assert::Equal { expected, actual, delta: None }) = then else { return None };
        let Expr::Call(Some(of), method, arguments) = actual else { return None };
        let is_message =
            method == "getMessage" && arguments.is_empty() && **of == Expr::Name(variable.clone());
        // The message is a constant, so it names no variable.
        if !is_message || !matches!(expected, Expr::Literal(_)) {
            return None;
        }
        let is_named = rest.iter().any(|it| {
            let text = Printer::new(self.framework()).stmt(it).join("\n");
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == variable)
        });
        (!is_named).then(|| self.thrown_by(body, class, Some(expected)))
    }
}

fn is_array(ty: &TypeName) -> bool {
    matches!(ty.ty, JavaType::Array(_))
}

fn is_nan(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(Literal::Double(value)) => value.is_nan(),
        Expr::Literal(Literal::Float(value)) => value.is_nan(),
        _ => false,
    }
}

fn is_zero(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(Literal::Double(value)) => *value == 0.0,
        Expr::Literal(Literal::Float(value)) => *value == 0.0,
        _ => false,
    }
}
