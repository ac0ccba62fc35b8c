//! Sorts of terms.

use cupping_case::JavaType;

/// What kind of values a term has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Whole numbers and characters.
    Number,
    /// `float` and `double`.
    Real,
    /// Truth values.
    Truth,
    /// Strings.
    Text,
    /// Other references.
    Reference,
    /// Elements, of this sort.
    Elements(Box<Sort>),
}

impl Sort {
    /// The sort of a type.
    pub fn of(ty: &JavaType) -> Sort {
        match ty {
            JavaType::Boolean => Sort::Truth,
            JavaType::Float | JavaType::Double => Sort::Real,
            JavaType::Class(_) if ty.is_string() => Sort::Text,
            JavaType::Class(_) | JavaType::Array(_) | JavaType::Void => Sort::Reference,
            _ => Sort::Number,
        }
    }

    /// Whether values may be `null`.
    pub fn is_nullable(&self) -> bool {
        matches!(self, Sort::Text | Sort::Reference)
    }
}
