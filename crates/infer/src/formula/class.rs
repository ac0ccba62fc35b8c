//! `x has class C`: an object is of one class, exactly.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::java_literals::string_text;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;
use cupping_case::JavaType;
use cupping_exhaust::classes::simple_name;

/// An object is of one class, exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The object.
    pub object: Term,
    /// The internal name of its class.
    pub class: String,
}

impl FormulaKind for Class {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let value = self.object.value(execution, phase);
        if value == Value::Null {
            return Some(false);
        }
        Some(*execution.moment(phase).object(&value)?.class == *self.class)
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.object]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        Class { object: term(&self.object), class: self.class.clone() }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, _: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        Err(FormulaStatus::Unknown)
    }

    fn text(&self) -> String {
        let name = JavaType::parse(&self.class).map_or(self.class.replace('/', "."), |it| it.to_string());
        format!("{} has class {name}", self.object)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let (it, name) = (writer.term(&self.object), string_text(&self.class.replace('/', ".")));
        Some(format!("({it} != null && {it}.getClass().getName().equals({name}))"))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let object = writer.value(&self.object)?;
        // The types of the model are exact.
        Some(match self.class.starts_with('[') {
            true => format!("some {object}"),
            false => format!("{object} in {}", simple_name(&self.class)),
        })
    }

    fn is_arithmetic(&self) -> bool {
        false
    }

    fn truth(&self, _: &Assignment<'_>) -> Option<bool> {
        None
    }

    fn tie(&self) -> Tie {
        Tie::Loose
    }

    fn is_restated(&self, _: &[&Formula]) -> bool {
        false
    }

    fn container_of(&self, _: &Term, _: bool) -> Option<&Term> {
        None
    }

    fn bound(&self) -> Option<(&Term, &Value)> {
        None
    }

    fn is_trivial(&self) -> bool {
        false
    }

    fn is_incidental(&self) -> bool {
        false
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![("object", self.object.json()), ("class", self.class.json())]
    }
}

impl RecordedKind for Class {
    const NAME: &'static str = "class";

    fn read(fields: &Fields<'_>) -> Result<Class, String> {
        Ok(Class { object: fields.term("object")?, class: fields.text("class")?.to_owned() })
    }
}
