//! Sequences of calls with literal arguments, and their execution on the machine.

use crate::check::CheckResult;
use crate::classes::Values;
use crate::world::World;
use cupping_case::{Literal, MethodRef};
use cupping_machine::{Addr, Kind, MethodId, Value};
use cupping_relation::Atom;
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the distinct integers among the arguments.
const MOST_INTEGERS: usize = 8;
/// Fuel of one call.
const FUEL: u64 = 100_000;

/// A call of a sequence; the first is a constructor call.
#[derive(Clone, Debug)]
pub(super) struct SequenceCall {
    pub(super) method: MethodRef,
    pub(super) arguments: Vec<Literal>,
}

/// The sequences found per class and state.
pub(super) struct Sequences {
    pub(super) integers: Vec<i64>,
    pub(super) found: Option<BTreeMap<String, Vec<SequenceCall>>>,
    pub(super) wanted: usize,
}

impl Sequences {
    /// Uses the integers of all counterexamples as arguments.
    pub(super) fn new(checked: &CheckResult) -> Sequences {
        let mut integers = BTreeSet::new();
        let examples = checked.groups.iter().flat_map(|it| &it.examples);
        for example in examples {
            for atom in example.pair.before.fields.iter().flatten().flatten() {
                if let Atom::Int(value) = example.pair.universe.atoms[*atom as usize] {
                    integers.insert(value);
                }
            }
        }
        if integers.is_empty() {
            integers.extend([0, 1]);
        }
        Sequences { integers: integers.into_iter().take(MOST_INTEGERS).collect(), found: None, wanted: 0 }
    }
}

/// Whether a subclass overrides the method.
pub(super) fn hidden_by(methods: &[(MethodId, SequenceCall)], name: &str, descriptor: &str) -> bool {
    methods.iter().any(|(_, it)| *it.method.name == *name && *it.method.descriptor == *descriptor)
}

/// Makes a call; returns whether it returned normally.
pub(super) fn invoke(world: &mut World, method: MethodId, object: Addr, arguments: &[Literal]) -> bool {
    let mut values = vec![Value::reference(object)];
    for literal in arguments {
        match value(world, literal) {
            Some(value) => values.push(value),
            None => return false,
        }
    }
    world.machine.set_fuel(FUEL);
    world.machine.call(method, &values).is_ok()
}

/// A literal as a value of the machine.
pub(super) fn value(world: &mut World, literal: &Literal) -> Option<Value> {
    let plain = |bits: u64| Some(Value::concrete(bits));
    match literal {
        Literal::Null => Some(Value::reference(0)),
        Literal::Boolean(it) => Some(Value::boolean(*it)),
        Literal::Int(it) => Some(Value::int(*it)),
        Literal::Short(it) => Some(Value::int(i32::from(*it))),
        Literal::Byte(it) => Some(Value::int(i32::from(*it))),
        Literal::Char(it) => Some(Value::int(i32::from(*it))),
        Literal::Long(it) => plain(*it as u64),
        Literal::String(units) => {
            let text = String::from_utf16_lossy(units);
            plain(world.bits(&Atom::Text(text), Kind::Reference, &[]).ok()?)
        }
        Literal::Boxed(inner) => {
            let (atom, class) = match &**inner {
                Literal::Boolean(it) => (Atom::Bool(*it), None),
                Literal::Int(it) => (Atom::Int(i64::from(*it)), Some("Integer")),
                Literal::Long(it) => (Atom::Int(*it), Some("Long")),
                Literal::Short(it) => (Atom::Int(i64::from(*it)), Some("Short")),
                Literal::Byte(it) => (Atom::Int(i64::from(*it)), Some("Byte")),
                Literal::Char(it) => (Atom::Int(i64::from(*it)), Some("Character")),
                _ => return None,
            };
            let values = class.map(|it| Values::Integers(Some(format!("java/lang/{it}"))));
            plain(world.bits(&atom, Kind::Reference, values.as_slice()).ok()?)
        }
        Literal::Constant { class, field } => plain(u64::from(world.constant(class, field))),
        Literal::Float(_) | Literal::Double(_) | Literal::Class(_) => None,
    }
}
