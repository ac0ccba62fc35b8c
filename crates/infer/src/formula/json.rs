//! Formulas as JSON: an object with the name of its kind, and the fields that the kind writes.

use super::{Comparison, Formula};
use crate::json::{Fields, Json, ToJson, object};

impl ToJson for Formula {
    fn json(&self) -> Json {
        let kind = ("kind", self.name().json());
        object([kind].into_iter().chain(self.kind().write()))
    }
}

impl ToJson for Comparison {
    fn json(&self) -> Json {
        self.sign().json()
    }
}

impl Fields<'_> {
    /// A formula.
    ///
    /// # Errors
    ///
    /// The field is missing, or is not a formula of a known kind.
    pub fn formula(&self, name: &str) -> Result<Formula, String> {
        formula(self.get(name)?, &self.path(name))
    }

    /// A list of formulas.
    ///
    /// # Errors
    ///
    /// The first error in one of them, with its path.
    pub fn formulas(&self, name: &str) -> Result<Vec<Formula>, String> {
        self.list(name, formula)
    }

    /// A comparison, by its operator.
    ///
    /// # Errors
    /// Another thing, or none.
    pub fn comparison(&self, name: &str) -> Result<Comparison, String> {
        let sign = self.text(name)?;
        let found = Comparison::ALL.into_iter().find(|it| it.sign() == sign);
        found.ok_or_else(|| self.wrong(name, "one of ==, !=, <, <=, > and >="))
    }
}

fn formula(json: &Json, path: &str) -> Result<Formula, String> {
    let fields = Fields::of(json, path)?;
    let kind = fields.text("kind")?;
    let known = Formula::READERS.iter().find(|it| it.0 == kind);
    let (_, read) = known.ok_or_else(|| format!("{path}: '{kind}' is not a kind of formula"))?;
    read(&fields)
}
