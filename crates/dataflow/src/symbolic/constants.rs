//! Objects that the code names, constant texts and constants of enums, and what is known of them: which are equal, the
//! hash codes of texts, the ordinals of enum constants, and the table by which a `switch` over an enum jumps.

use super::evaluator::Evaluator;
use super::state::{FIRST_CONSTANT, SymbolicState};
use crate::body::AnalysedBody;
use cupping_classfile::interpreter::FieldAccess;
use cupping_classfile::{Action, Constant, Literal};
use cupping_machine::{ClassId, Kind, Machine};
use cupping_term::TermId;

/// The field in which javac keeps, by ordinal, the number of the case of a constant.
const SWITCH_TABLE: &str = "$SwitchMap$";
/// Texts of the class whose hash codes are distinguished, at most.
const MAX_TEXTS: usize = 64;

impl Evaluator<'_> {
    /// The result of a call that only depends on which object the receiver is; `None` for any other call.
    pub(super) fn known_result(
        &mut self,
        state: &mut SymbolicState,
        class: &str,
        name: &str,
        descriptor: &str,
        arguments: &[TermId],
    ) -> Option<TermId> {
        match (name, descriptor, arguments) {
            ("ordinal", "()I", [object]) => self.ordinal(class, *object),
            ("equals", "(Ljava/lang/Object;)Z", [a, b]) => self.equality(state, class, *a, *b),
            ("hashCode", "()I", [object]) if class == "java/lang/String" => Some(self.hash(state, *object)),
            _ => None,
        }
    }

    /// The constants of an enum in order; `None` for other classes, and for one that is analysed itself.
    fn enum_constants(&mut self, class: ClassId) -> Option<Vec<TermId>> {
        let loaded = self.machine.class(class);
        if !loaded.access.is_enum() || self.flat.hierarchy.contains(&class) {
            return None;
        }
        let fields = loaded.fields.iter().filter(|field| field.access.is_enum());
        let names: Vec<String> = fields.map(|field| field.name.to_string()).collect();
        let class = loaded.name.to_string();
        Some(names.iter().map(|name| self.enum_constant(&class, name)).collect())
    }

    /// The reference to a constant of an enum.
    pub(super) fn enum_constant(&mut self, class: &str, name: &str) -> TermId {
        let class = class.replace(['/', '$'], ".");
        self.constant(&format!("{class}.{name}"))
    }

    fn ordinal(&mut self, class: &str, object: TermId) -> Option<TermId> {
        let class = self.machine.load(class).ok()?;
        let constants = self.enum_constants(class)?;
        // An object of an enum is one of its constants.
        let mut value = self.terms.int(i32::try_from(constants.len()).ok()?.checked_sub(1)?);
        for (nth, constant) in constants.into_iter().enumerate().rev().skip(1) {
            let is_it = self.terms.eq(object, constant);
            let nth = self.terms.int(i32::try_from(nth).ok()?);
            value = self.terms.ite(is_it, nth, value);
        }
        Some(value)
    }

    /// Whether two objects are equal. Of objects that the code names each is equal only to itself.
    fn equality(&mut self, state: &mut SymbolicState, class: &str, a: TermId, b: TermId) -> Option<TermId> {
        let is_text = class == "java/lang/String";
        if !is_text && class != "java/lang/Object" {
            let class = self.machine.load(class).ok()?;
            if !self.machine.class(class).access.is_enum() {
                return None;
            }
            let same = self.terms.eq(a, b);
            return Some(self.terms.bool_to_int(same));
        }
        let first = self.terms.int(FIRST_CONSTANT);
        let (a_is_named, b_is_named) = (self.terms.sge(a, first), self.terms.sge(b, first));
        let same = self.terms.eq(a, b);
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        let both = self.terms.and(a_is_named, b_is_named);
        let unknown = match self.terms.as_constant(both) {
            Some(1) => zero,
            _ => self.unknown(state, Kind::Boolean, "equals()"),
        };
        let is_named = self.terms.bool_to_int(same);
        let mut value = self.terms.ite(both, is_named, unknown);
        if is_text {
            let nothing = self.terms.eq(b, zero);
            value = self.terms.ite(nothing, zero, value);
            value = self.terms.ite(same, one, value);
        }
        Some(value)
    }

    /// The hash code of a text.
    fn hash(&mut self, state: &mut SymbolicState, text: TermId) -> TermId {
        let mut value = self.unknown(state, Kind::Int, "hashCode()");
        for constant in self.texts() {
            let reference = self.constant(&format!("\"{constant}\""));
            let is_it = self.terms.eq(text, reference);
            let hash = constant
                .encode_utf16()
                .fold(0i32, |sum, unit| sum.wrapping_mul(31).wrapping_add(i32::from(unit)));
            let hash = self.terms.int(hash);
            value = self.terms.ite(is_it, hash, value);
        }
        value
    }

    /// The constant texts of the class.
    fn texts(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for body in &self.flat.methods {
            for at in 0..body.instructions.len() {
                let Some(Constant::String(units)) = body.constant(at) else { continue };
                let Ok(text) = String::from_utf16(&units) else { continue };
                if found.len() < MAX_TEXTS && !found.contains(&text) {
                    found.push(text);
                }
            }
        }
        found
    }

    /// The table of a `switch` over an enum, if a static field holds one.
    pub(super) fn switch_table(
        &mut self,
        state: &mut SymbolicState,
        field: &FieldAccess<'_>,
    ) -> Option<TermId> {
        if !field.name.starts_with(SWITCH_TABLE) {
            return None;
        }
        let class = self.machine.load(field.class).ok()?;
        let (cases, constants) = cases(self.machine, class, field.name)?;
        let table = self.constant(&format!("{}.{}", field.class.replace('/', "."), field.name));
        let length = self.terms.int(i32::try_from(constants).ok()?);
        state.lengths.insert(table, length);
        self.switch_tables.insert(table, cases);
        Some(table)
    }

    /// An element of the table of a `switch`.
    pub(super) fn case_of(&mut self, table: TermId, index: TermId) -> Option<TermId> {
        let cases = self.switch_tables.get(&table)?.clone();
        let mut value = self.terms.int(0);
        for (ordinal, case) in cases {
            let (ordinal, case) = (self.terms.int(ordinal), self.terms.int(case));
            let is_it = self.terms.eq(index, ordinal);
            value = self.terms.ite(is_it, case, value);
        }
        Some(value)
    }
}

/// What the initialiser of a synthetic class stores into a table: pairs of an ordinal and the number of its case, and
/// how many constants the enum has. It has `TABLE[CONSTANT.ordinal()] = NUMBER` for each case.
fn cases(machine: &mut Machine, class: ClassId, table: &str) -> Option<(Vec<(i32, i32)>, usize)> {
    let loaded = machine.class(class);
    if !loaded.access.is_synthetic() {
        return None;
    }
    let body = AnalysedBody::of(machine, loaded.initializer?)?;
    let (mut found, mut all) = (Vec::new(), 0);
    for at in 0..body.instructions.len().saturating_sub(4) {
        let Some(Constant::Field { name, .. }) = body.constant(at) else { continue };
        let Some(Constant::Field { class, name: constant, .. }) = body.constant(at + 1) else { continue };
        let Some(Constant::Method { name: method, .. }) = body.constant(at + 2) else { continue };
        let is_store = matches!(body.instructions[at + 4].action(), Action::ArrayStore(_));
        let Some(Literal::Int(case)) = body.instructions[at + 3].literal() else { continue };
        if name != table || method != "ordinal" || !is_store {
            continue;
        }
        let of = machine.load(&class).ok()?;
        let fields = || machine.class(of).fields.iter().filter(|field| field.access.is_enum());
        all = fields().count();
        found.push((i32::try_from(fields().position(|field| *field.name == *constant)?).ok()?, case));
    }
    (!found.is_empty()).then_some((found, all))
}
