//! Instances: the values of signatures and fields in one solution.

use crate::logic::{FieldId, SigId};
use crate::model::Model;
use crate::universe::{Atom, Universe};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::rc::Rc;

/// The members of signatures and the tuples of fields, by atom number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Structure {
    /// The atoms of each signature, ascending.
    pub sigs: Vec<Vec<u32>>,
    /// The tuples of each field, ascending.
    pub fields: Vec<Vec<Vec<u32>>>,
}

/// A solution.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The atoms, including those that the instance does not use.
    pub universe: Rc<Universe>,
    /// Its values.
    pub structure: Structure,
}

impl Instance {
    /// The atoms of a signature.
    pub fn atoms(&self, sig: SigId) -> &[u32] {
        self.structure.sigs.get(sig.0 as usize).map_or(&[], |it| it)
    }

    /// The tuples of a field.
    pub fn tuples(&self, field: FieldId) -> &[Vec<u32>] {
        self.structure.fields.get(field.0 as usize).map_or(&[], |it| it)
    }

    /// The value of a binary field for an atom, if it has one.
    pub fn value(&self, field: FieldId, of: u32) -> Option<u32> {
        self.tuples(field).iter().find(|it| it[0] == of).map(|it| it[1])
    }

    /// The atom with this number.
    pub fn atom(&self, at: u32) -> &Atom {
        &self.universe.atoms[at as usize]
    }

    /// The instance in the format of the TestEra paper (§3.3): a line for each signature and field.
    pub fn show(&self, model: &Model) -> String {
        let mut text = String::new();
        let name = |at: &u32| self.universe.show(*at, model);
        for (id, sig) in model.signatures() {
            let unused =
                !model.fields().any(|(_, it)| it.columns.products.iter().flatten().any(|it| *it == id));
            if unused && [Model::INT, Model::BOOL, Model::TEXT].contains(&id) {
                continue;
            }
            let atoms: Vec<String> = self.atoms(id).iter().map(name).collect();
            let _ = writeln!(text, "{} = {{{}}}", sig.name, atoms.join(", "));
        }
        for (id, field) in model.fields() {
            let tuples = self.tuples(id).iter().map(|tuple| {
                let atoms: Vec<String> = tuple.iter().map(name).collect();
                format!("({})", atoms.join(", "))
            });
            let _ = writeln!(text, "{} = {{{}}}", field.name, tuples.collect::<Vec<_>>().join(", "));
        }
        text
    }
}
