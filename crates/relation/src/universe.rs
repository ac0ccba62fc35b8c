//! The universe of atoms: how many each signature has, and which of them are fixed before solving.

use crate::error::{Error, Result};
use crate::logic::SigId;
use crate::model::Model;
use crate::spelling::nearest;
use crate::syntax::ast::{Mult, ScopeItem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The size limits of instances.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Minimum and maximum number of atoms per signature.
    pub sizes: BTreeMap<SigId, (usize, usize)>,
    /// Maximum for signatures that are not listed.
    pub default: usize,
    /// The least and greatest integer.
    pub integers: (i64, i64),
    /// The strings.
    pub texts: Vec<String>,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope { sizes: BTreeMap::new(), default: 3, integers: (0, 2), texts: Vec::new() }
    }
}

impl Scope {
    /// A scope from the items of a command.
    pub fn from_items(model: &Model, default: Option<i64>, items: &[ScopeItem]) -> Result<Scope> {
        let mut scope = Scope::default();
        if let Some(default) = default {
            scope.default = default.clamp(0, 1 << 20) as usize;
        }
        for item in items {
            let sig = model.find_signature(&item.name.text).ok_or_else(|| {
                let name = item.name.text.as_str();
                let known = model.signatures().map(|(_, it)| it.name.as_str());
                let known = known.filter(|it| !it.starts_with('$')).chain(["int"]);
                let help = match nearest(known, name) {
                    Some(near) => format!("did you mean {near}?"),
                    None => "a scope lists signatures or int".to_owned(),
                };
                Error::new(item.name.span, format!("there is no signature {name}")).help(help)
            })?;
            if sig == Model::INT {
                if item.most - item.least > 4096 {
                    return Err(Error::new(item.name.span, "the range of integers is too large")
                        .help("at most 4096 integers are supported"));
                }
                scope.integers = (item.least, item.most);
            } else {
                if item.most > 1000 {
                    return Err(Error::new(item.name.span, "the scope is too large")
                        .help("at most 1000 atoms are supported"));
                }
                scope.sizes.insert(sig, (item.least.max(0) as usize, item.most.max(0) as usize));
            }
        }
        Ok(scope)
    }
}

/// What an atom is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Atom {
    /// An integer.
    Int(i64),
    /// A boolean.
    Bool(bool),
    /// A string.
    Text(String),
    /// The atom of a singleton signature.
    Of(SigId, u32),
    /// The only atom of a signature.
    Only(SigId),
}

/// All atoms of an instance; an atom's number is its index.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Atom>", into = "Vec<Atom>")]
pub struct Universe {
    /// The atoms.
    pub atoms: Vec<Atom>,
    places: BTreeMap<Atom, u32>,
}

impl From<Vec<Atom>> for Universe {
    fn from(atoms: Vec<Atom>) -> Universe {
        let places = atoms.iter().cloned().zip(0..).collect();
        Universe { atoms, places }
    }
}

impl From<Universe> for Vec<Atom> {
    fn from(universe: Universe) -> Vec<Atom> {
        universe.atoms
    }
}

impl Universe {
    /// The number of an atom, which is added if missing.
    pub fn add(&mut self, atom: Atom) -> u32 {
        if let Some(&at) = self.places.get(&atom) {
            return at;
        }
        let at = self.atoms.len() as u32;
        self.atoms.push(atom.clone());
        self.places.insert(atom, at);
        at
    }

    /// The number of an atom.
    pub fn find(&self, atom: &Atom) -> Option<u32> {
        self.places.get(atom).copied()
    }

    /// The integers with their atoms.
    pub fn integers(&self) -> impl Iterator<Item = (i64, u32)> {
        self.places.iter().filter_map(|(atom, at)| match atom {
            Atom::Int(value) => Some((*value, *at)),
            _ => None,
        })
    }

    /// The name of an atom: `Node0`, `Pre`, `3`.
    pub fn show(&self, at: u32, model: &Model) -> String {
        match self.atoms.get(at as usize) {
            Some(Atom::Int(value)) => value.to_string(),
            Some(Atom::Bool(value)) => value.to_string(),
            Some(Atom::Text(value)) => format!("{value:?}"),
            Some(Atom::Of(sig, n)) => format!("{}{n}", model.signature(*sig).name),
            Some(Atom::Only(sig)) => model.signature(*sig).name.clone(),
            None => "?".to_owned(),
        }
    }

    /// All atoms of instances within a scope; and for each top-level signature its interchangeable atoms, in
    /// order, with the least number that exist.
    pub(crate) fn within(model: &Model, scope: &Scope) -> Result<(Universe, BTreeMap<SigId, Atoms>)> {
        let mut universe = Universe::default();
        let mut pools = BTreeMap::new();
        for (id, sig) in model.signatures() {
            if sig.parent.is_some() || [Model::INT, Model::BOOL, Model::TEXT].contains(&id) {
                continue;
            }
            let named: Vec<SigId> = model
                .signatures()
                .filter(|(other, it)| {
                    it.mult == Some(Mult::One)
                        && it.disjoint
                        && model.root(*other) == id
                        && leaf(model, *other)
                })
                .map(|(other, _)| other)
                .collect();
            let (least, most) = match scope.sizes.get(&id) {
                Some(&size) => size,
                None if sig.mult == Some(Mult::One) => (1, 1),
                None if sig.mult == Some(Mult::Lone) => (0, 1),
                // An abstract signature whose extensions are all singletons has exactly their atoms.
                None if sig.is_abstract && only_named(model, id) => (named.len(), named.len()),
                None if sig.mult == Some(Mult::Some) => (1, scope.default.max(1)),
                None => (0, scope.default.max(named.len())),
            };
            if most < named.len() {
                return Err(Error::new(sig.span, format!("the scope of {} is too small", sig.name))
                    .label(format!("it has {} singleton signatures", named.len())));
            }
            let fixed: Vec<u32> = named.iter().map(|it| universe.add(Atom::Only(*it))).collect();
            let loose = (0..most - fixed.len()).map(|n| universe.add(Atom::Of(id, n as u32))).collect();
            let least = least.saturating_sub(fixed.len());
            pools.insert(id, Atoms { fixed, loose, least });
        }
        if model.fields.iter().any(|it| it.columns.products.iter().flatten().any(|sig| *sig == Model::BOOL)) {
            universe.add(Atom::Bool(false));
            universe.add(Atom::Bool(true));
        }
        for text in &scope.texts {
            universe.add(Atom::Text(text.clone()));
        }
        for value in scope.integers.0..=scope.integers.1 {
            universe.add(Atom::Int(value));
        }
        Ok((universe, pools))
    }
}

/// The atoms of a top-level signature.
#[derive(Clone, Debug)]
pub(crate) struct Atoms {
    /// Atoms of singleton signatures, which always exist.
    pub(crate) fixed: Vec<u32>,
    /// Interchangeable atoms.
    pub(crate) loose: Vec<u32>,
    /// The least number of interchangeable atoms that exist.
    pub(crate) least: usize,
}

fn leaf(model: &Model, sig: SigId) -> bool {
    !model.signatures().any(|(_, it)| it.parent == Some(sig) && it.disjoint && it.mult == Some(Mult::One))
}

fn only_named(model: &Model, id: SigId) -> bool {
    model
        .signatures()
        .filter(|(_, it)| it.parent == Some(id) && it.disjoint)
        .all(|(child, it)| it.mult == Some(Mult::One) || (it.is_abstract && only_named(model, child)))
}
