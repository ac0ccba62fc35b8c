//! Recorded specifications: the file that `--write` writes and `--check` reads. `docs/specification-file.md`
//! documents it.
//!
//! A format change that makes old files unreadable raises [`VERSION`]; a new kind of formula does not.

use crate::json::{Fields, Json, ToJson, object};
use crate::program_point::ProgramPoint;
use crate::specification::ThrowsClause;
use crate::specification::{Clause, Specification};
use crate::subject::Subject;
use crate::trace::{CallOutcome, Execution};
use std::collections::BTreeSet;
use std::fmt;

/// The version of the format.
pub const VERSION: i64 = 2;
/// What the field `format` says.
const FORMAT: &str = "cupping specification";

/// A recorded specification.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedSpecification {
    /// Internal name of the class.
    pub class: String,
    /// The inferred specification.
    pub specification: Specification,
    /// Exceptions that methods were observed to throw: method and internal name of the exception's class.
    pub thrown: BTreeSet<(String, String)>,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It has another version of the format.
    Version(i64),
    /// The text is not a recorded specification, or a damaged one: the error, and its location.
    Damaged(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Version(version) if *version < VERSION => write!(
                f,
                "the file has version {version} of the format, an older one; this Cupping reads version {VERSION}: \
                 record the specification again with --write"
            ),
            ReadError::Version(version) => write!(
                f,
                "the file has version {version} of the format, a newer one; this Cupping reads version {VERSION}: \
                 use the Cupping that wrote it, or record the specification again with --write"
            ),
            ReadError::Damaged(what) => write!(f, "not a recorded specification: {what}"),
        }
    }
}

impl From<String> for ReadError {
    fn from(what: String) -> ReadError {
        ReadError::Damaged(what)
    }
}

impl RecordedSpecification {
    /// The specification to record for a class.
    pub fn new(
        subject: &Subject,
        specification: &Specification,
        executions: &[&Execution],
    ) -> RecordedSpecification {
        let mut thrown = BTreeSet::new();
        for execution in executions {
            if let CallOutcome::Threw { class, .. } = &execution.ending {
                thrown.insert((subject.key(execution.method), class.to_string()));
            }
        }
        RecordedSpecification {
            class: subject.name.to_string(),
            specification: specification.clone(),
            thrown,
        }
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let thrown = self
            .thrown
            .iter()
            .map(|(method, class)| object([("method", method.json()), ("class", class.json())]));
        let file = object([
            ("format", FORMAT.json()),
            ("version", VERSION.json()),
            ("class", self.class.json()),
            ("clauses", self.specification.clauses.json()),
            ("throws", self.specification.throws.json()),
            ("thrown", Json::Array(thrown.collect())),
        ]);
        format!("{file:#}\n")
    }

    /// Reads what [`RecordedSpecification::write`] wrote.
    ///
    /// # Errors
    /// Another version of the format, or text that is not a recorded specification.
    pub fn read(text: &str) -> Result<RecordedSpecification, ReadError> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let fields = Fields::of(&json, "").map_err(|_| "an object is expected".to_owned())?;
        let version = fields.integer("version")?;
        if version != VERSION {
            return Err(ReadError::Version(version));
        }
        if fields.text("format")? != FORMAT {
            return Err(fields.wrong("format", &format!("\"{FORMAT}\"")).into());
        }
        let specification = Specification {
            clauses: fields.list("clauses", clause)?,
            throws: fields.list("throws", throws)?,
        };
        let thrown = fields.list("thrown", |json, path| {
            let fields = Fields::of(json, path)?;
            Ok((fields.text("method")?.to_owned(), fields.text("class")?.to_owned()))
        })?;
        let class = fields.text("class")?.to_owned();
        Ok(RecordedSpecification { class, specification, thrown: thrown.into_iter().collect() })
    }
}

impl ToJson for Clause {
    fn json(&self) -> Json {
        object([
            ("point", self.point.json()),
            ("formula", self.formula.json()),
            ("template", self.template.json()),
            ("samples", self.samples.json()),
        ])
    }
}

fn clause(json: &Json, path: &str) -> Result<Clause, String> {
    let fields = Fields::of(json, path)?;
    Ok(Clause {
        point: point(fields.get("point")?, &fields.path("point"))?,
        formula: fields.formula("formula")?,
        template: fields.text("template")?.to_owned(),
        samples: fields.count("samples")?,
    })
}

impl ToJson for ProgramPoint {
    fn json(&self) -> Json {
        match self {
            ProgramPoint::Class => "class".json(),
            ProgramPoint::Entry(method) => object([("entry", method.json())]),
            ProgramPoint::Exit(method) => object([("exit", method.json())]),
        }
    }
}

fn point(json: &Json, path: &str) -> Result<ProgramPoint, String> {
    if json.as_str() == Some("class") {
        return Ok(ProgramPoint::Class);
    }
    let fields = Fields::of(json, path)?;
    Ok(if fields.has("entry") {
        ProgramPoint::Entry(fields.text("entry")?.to_owned())
    } else {
        ProgramPoint::Exit(fields.text("exit")?.to_owned())
    })
}

impl ToJson for ThrowsClause {
    fn json(&self) -> Json {
        object([
            ("method", self.method.json()),
            ("class", self.class.json()),
            ("condition", self.condition.json()),
            ("exact", self.exact.json()),
            ("declared", self.declared.json()),
            ("samples", self.samples.json()),
        ])
    }
}

fn throws(json: &Json, path: &str) -> Result<ThrowsClause, String> {
    let fields = Fields::of(json, path)?;
    Ok(ThrowsClause {
        method: fields.text("method")?.to_owned(),
        class: fields.text("class")?.to_owned(),
        condition: fields.formula("condition")?,
        exact: fields.truth("exact")?,
        declared: fields.truth("declared")?,
        samples: fields.count("samples")?,
    })
}

#[cfg(test)]
mod tests;
