//! The state of a symbolic execution.

use super::path::{Event, PathEnd};
use super::sorts::{LENGTH, narrowed, sort_of, widened};
use crate::body::AnalysedBody;
use crate::flattened_class::FlatClass;
use cupping_classfile::{StackType, interpreter};
use cupping_machine::Kind;
use cupping_term::{TermId, Terms, VarIndex};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number of a reference to `this`.
pub(crate) const THIS: i32 = 1;
/// The first number of references to constant texts and classes of the code: equal texts are the same object,
/// wherever the code names them.
pub const FIRST_CONSTANT: i32 = 0x7f00_0000;
/// Separates the name of an unknown from its number.
pub const END_OF_UNKNOWN: char = '#';

/// The variables of the object before a method: symbols of the conditions.
#[derive(Clone, Debug)]
pub struct StateVariables {
    /// Symbols by variable of the class.
    pub values: Vec<VarIndex>,
    /// Length symbols of arrays, by variable of the class.
    pub lengths: Vec<Option<VarIndex>>,
}

impl StateVariables {
    /// Symbols for the variables of a class.
    pub fn new(terms: &mut Terms, flat: &FlatClass) -> StateVariables {
        let mut found = StateVariables { values: Vec::new(), lengths: Vec::new() };
        for variable in &flat.variables {
            let term = terms.new_variable(&*variable.name, sort_of(variable.kind));
            found.values.extend(terms.as_variable(term));
            let length = variable.is_array().then(|| {
                let length = terms.new_variable(format!("{}{LENGTH}", variable.name), sort_of(Kind::Int));
                terms.as_variable(length)
            });
            found.lengths.push(length.flatten());
        }
        found
    }

    /// Whether a symbol is one of these.
    pub fn contains(&self, variable: VarIndex) -> bool {
        self.values.contains(&variable) || self.lengths.contains(&Some(variable))
    }
}

/// A method in execution.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicFrame {
    pub body: Rc<AnalysedBody>,
    pub at: usize,
    /// Its locals and operand stack.
    pub slots: interpreter::Frame<TermId>,
    /// The instruction before.
    pub came_from: usize,
    /// Whether local 0 is the object under test.
    pub is_own: bool,
    /// For each loop header: times reached, conjuncts at that time, and whether it was generalised.
    pub visits: BTreeMap<usize, (u32, usize, bool)>,
}

/// A state.
#[derive(Clone, Debug)]
pub struct SymbolicState {
    pub(crate) frames: Vec<SymbolicFrame>,
    /// Slot values by variable of the class.
    pub(crate) values: Vec<TermId>,
    /// Lengths of arrays, by reference.
    pub(crate) lengths: BTreeMap<TermId, TermId>,
    /// References to what was made on the path.
    pub(crate) made: Vec<TermId>,
    /// Classes of some of these, by internal name.
    pub(crate) classes: BTreeMap<TermId, Rc<str>>,
    pub(crate) condition: Vec<TermId>,
    pub(crate) events: Vec<Event>,
    pub(crate) is_exact: bool,
    pub(crate) end: Option<PathEnd>,
}

impl SymbolicState {
    pub(crate) fn new(variables: &StateVariables) -> SymbolicState {
        SymbolicState {
            frames: Vec::new(),
            values: Vec::with_capacity(variables.values.len()),
            lengths: BTreeMap::new(),
            made: Vec::new(),
            classes: BTreeMap::new(),
            condition: Vec::new(),
            events: Vec::new(),
            is_exact: true,
            end: None,
        }
    }

    /// Gives all variables the values of their symbols.
    pub(crate) fn begin(&mut self, terms: &mut Terms, flat: &FlatClass, variables: &StateVariables) {
        for (nth, variable) in flat.variables.iter().enumerate() {
            let symbol = terms.variable(variables.values[nth]).term;
            let value = widened(terms, variable.kind, symbol);
            if let Some(length) = variables.lengths[nth] {
                let length = terms.variable(length).term;
                self.lengths.insert(value, length);
            }
            self.values.push(value);
        }
    }

    /// A new object: all its variables are zero.
    pub(crate) fn forget_object(&mut self, terms: &mut Terms, flat: &FlatClass) {
        for (nth, variable) in flat.variables.iter().enumerate().filter(|(_, v)| !v.is_static) {
            let zero = terms.constant(sort_of(variable.kind), 0);
            self.values[nth] = widened(terms, variable.kind, zero);
        }
    }

    pub(crate) fn enter(&mut self, body: Rc<AnalysedBody>, arguments: &[TermId]) {
        let mut locals: Vec<Option<TermId>> = Vec::with_capacity(usize::from(body.code.max_locals));
        let parsed = cupping_classfile::MethodDescriptor::parse(&body.descriptor);
        let types = parsed.map(|d| d.parameters).unwrap_or_default();
        let receiver = usize::from(!body.is_static);
        for (nth, argument) in arguments.iter().enumerate() {
            locals.push(Some(*argument));
            if nth.checked_sub(receiver).and_then(|at| types.get(at)).is_some_and(|t| t.slots() == 2) {
                locals.push(None);
            }
        }
        locals.resize(usize::from(body.code.max_locals).max(locals.len()), None);
        self.frames.push(SymbolicFrame {
            body,
            at: 0,
            slots: interpreter::Frame { locals, stack: Vec::new() },
            came_from: usize::MAX,
            is_own: false,
            visits: BTreeMap::new(),
        });
    }

    pub(crate) fn frame(&mut self) -> Option<&mut SymbolicFrame> {
        self.frames.last_mut()
    }

    pub(crate) fn access(&mut self, id: usize, is_certain: bool) {
        let conditions = self.condition.len();
        self.events.push(Event { accesses: Rc::from([id]), is_certain, conditions });
    }

    pub(crate) fn may_access(&mut self, all: &[usize]) {
        if !all.is_empty() {
            let conditions = self.condition.len();
            self.events.push(Event { accesses: Rc::from(all), is_certain: false, conditions });
        }
    }

    /// The variables whose value has changed, by symbol, with the new value.
    pub(crate) fn changes(
        &self,
        terms: &mut Terms,
        flat: &FlatClass,
        variables: &StateVariables,
    ) -> Vec<(VarIndex, TermId)> {
        let mut changes = Vec::new();
        for (nth, value) in self.values.iter().enumerate() {
            let kind = flat.variables[nth].kind;
            let value = narrowed(terms, kind, *value);
            let symbol = variables.values[nth];
            if terms.variable(symbol).term != value {
                changes.push((symbol, value));
                if let Some(length) = variables.lengths[nth] {
                    let known = self.lengths.get(&value).copied();
                    let term = known.unwrap_or_else(|| {
                        let name = format!("{}{LENGTH}{END_OF_UNKNOWN}", flat.variables[nth].name);
                        terms.new_variable(name, sort_of(Kind::Int))
                    });
                    changes.push((length, term));
                }
            }
        }
        changes
    }
}

impl SymbolicState {
    pub(crate) fn push_kind(&mut self, kind: Kind, value: TermId) {
        self.push_sized(value, kind.slots() == 2);
    }

    pub(crate) fn push_sized(&mut self, value: TermId, is_wide: bool) {
        if let Some(frame) = self.frames.last_mut() {
            frame.slots.stack.push(Some(value));
            if is_wide {
                frame.slots.stack.push(None);
            }
        }
    }

    /// Pops values of these types, the last of which is on top.
    pub(crate) fn pop_all(&mut self, types: &[StackType]) -> Option<Vec<TermId>> {
        self.frames.last_mut()?.slots.pop_all(types).ok()
    }
}
