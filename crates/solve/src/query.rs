//! Queries and answers.

use std::fmt::Write as _;

use cupping_term::text::{self, Argument};
use cupping_term::{Model, Sort, TermId, Terms, VarIndex};

/// A path condition: is there a model that satisfies all assertions?
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// `Bool` terms, all of which must hold.
    pub assertions: &'a [TermId],
    /// A model that is known to satisfy most assertions, usually that of the current path. The answer keeps
    /// its values where possible.
    pub hint: Option<&'a Model>,
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All assertions hold under this model, which has been evaluated.
    Sat(Model),
    /// No model satisfies this subset of the assertions (an unsatisfiable core, not always minimal).
    Unsat {
        /// Indices into [`Query::assertions`], ascending.
        core: Vec<usize>,
    },
    /// Undecided.
    Unknown(Reason),
}

/// Why a query is undecided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The query exceeded its budget.
    #[error("the query exceeded the solver's budget")]
    Timeout,
    /// No layer supports the query.
    #[error("not supported: {0}")]
    Unsupported(String),
}

/// Contradictory answers of the layers: a bug in Cupping, to be reported with the query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the solver layer `{layer}` {what}; the query is\n{query}")]
pub struct InternalError {
    /// The layer at fault.
    pub layer: &'static str,
    /// The error.
    pub what: String,
    /// The query as text, for `cupping solve`.
    pub query: String,
}

impl Query<'_> {
    /// The query in the text format of [`cupping_term::text`], with `(assert t)` and `(hint v bits)`.
    #[must_use]
    pub fn to_text(&self, terms: &Terms) -> String {
        let (mut out, references) = text::write(terms, self.assertions);
        for reference in references {
            let _ = writeln!(out, "(assert {reference})");
        }
        if let Some(hint) = self.hint {
            let mut used: Vec<VarIndex> =
                self.assertions.iter().flat_map(|&a| terms.variables(a)).copied().collect();
            used.sort_unstable();
            used.dedup();
            for variable in used {
                let _ = writeln!(out, "(hint v{} {})", variable.0, hint.get(variable));
            }
        }
        out
    }
}

/// A query parsed from text.
#[derive(Clone, Debug, Default)]
pub struct TextQuery {
    /// The arena of its terms.
    pub terms: Terms,
    /// The assertions.
    pub assertions: Vec<TermId>,
    /// The hint, if there is one.
    pub hint: Option<Model>,
}

impl TextQuery {
    /// Parses the output of [`Query::to_text`].
    ///
    /// # Errors
    /// The text is malformed; the error names the line.
    pub fn from_text(text: &str) -> Result<TextQuery, text::TextError> {
        let mut query = TextQuery::default();
        for statement in text::read(&mut query.terms, text)? {
            let fail = |message: String| text::TextError { line: statement.line, message };
            match (statement.keyword.as_str(), statement.arguments.as_slice()) {
                ("assert", &[Argument::Term(term)]) if query.terms.sort(term) == Sort::Bool => {
                    query.assertions.push(term);
                }
                ("assert", _) => return Err(fail("`assert` takes one term of sort Bool".into())),
                ("hint", &[Argument::Term(term), Argument::Number(bits)]) => {
                    let variable = query
                        .terms
                        .as_variable(term)
                        .ok_or_else(|| fail("`hint` takes a variable and its bits".into()))?;
                    let sort = query.terms.sort(term);
                    query.hint.get_or_insert_default().set(variable, bits & sort.mask());
                }
                (other, _) => return Err(fail(format!("unknown statement `{other}`"))),
            }
        }
        Ok(query)
    }

    /// The parsed query.
    #[must_use]
    pub fn query(&self) -> Query<'_> {
        Query { assertions: &self.assertions, hint: self.hint.as_ref() }
    }
}
