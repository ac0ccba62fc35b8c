//! Array instructions with symbolic indices, elements or lengths, and arrays of arrays.
//!
//! Both heap representations of the thesis (§3.2) are implemented here. Under *heap reasoning*, an element read
//! at a symbolic index is a term over all elements; under *heap simulation*, the index is fixed on the path.
//! The policy: primitive arrays of at most [`RunLimits::reasoning_elements`](crate::RunLimits) elements, and
//! constant tables up to [`MAX_TABLE`], are reasoned about; the rest is simulated.

use crate::classes::{ClassId, Kind};
use crate::code::Insn;
use crate::exit::{DecisionKind, Step, Trap};
use crate::heap::layout::{ARRAY_HEADER, element_byte};
use crate::interpret::out_of_bounds;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Shadow, Value};
use crate::symbols::{sort_of, term_of};
use cupping_term::{Sort, TermId};

/// Elements of the largest constant array that becomes a lookup table: an entry for each character, and one more
/// for the end of the text.
pub const MAX_TABLE: u32 = (1 << 16) + 1;

/// Runs of equal elements that such an array may have.
const MAX_RUNS: usize = 1024;

impl Machine {
    /// Decides whether the index is within bounds, and throws if it is not.
    pub(crate) fn check_bounds(&mut self, array: Addr, index: Value) -> Step<()> {
        let length =
            Value { bits: self.array_length(array) as u64, shadow: self.heap_shadow((array + 1) as u64 * 8) };
        let within = (index.bits as u32) < length.bits as u32;
        if (index.shadow | length.shadow) != 0 {
            let (i, n) = (self.term(index, Sort::Bv32), self.term(length, Sort::Bv32));
            let condition = self.terms.ult(i, n);
            self.decide_branch(DecisionKind::BoundsCheck, condition, within)?;
        }
        if within { Ok(()) } else { Err(out_of_bounds(index.bits as i32, length.bits as u32)) }
    }

    /// Number of elements for which memory is allocated: more than the length if that is symbolic.
    pub fn array_capacity(&self, array: Addr) -> u32 {
        self.registers.cold.capacities.get(&array).copied().unwrap_or_else(|| self.array_length(array))
    }

    /// The element with its shadow, as a slot.
    pub fn element_value(&self, array: Addr, index: u32, kind: Kind) -> Value {
        let size = kind.array_bytes();
        let byte = element_byte(array, index, size);
        let bits = self.memory.read_bytes(byte, size);
        Value { bits: kind.narrow(bits), shadow: self.heap_shadow(byte) }
    }

    /// The elements of an array of primitives, packed, if none of them has a shadow.
    pub fn concrete_elements(&self, array: Addr, kind: Kind) -> Option<&[u64]> {
        self.first_concrete_elements(array, kind, self.array_length(array))
    }

    /// The first elements of an array of primitives, packed, if none of them has a shadow.
    fn first_concrete_elements(&self, array: Addr, kind: Kind, length: u32) -> Option<&[u64]> {
        if kind == Kind::Reference {
            return None;
        }
        let size = kind.array_bytes();
        let bytes = u64::from(length) * u64::from(size);
        let first = element_byte(array, 0, size);
        let may_have = bytes > 0 && self.shadows.may_be_within(first, first + bytes - 1);
        if may_have && (0..length).any(|at| self.has_shadow(element_byte(array, at, size))) {
            return None;
        }
        Some(self.memory.slice(array + ARRAY_HEADER, bytes.div_ceil(8) as u32))
    }

    /// Sets an element and its shadow.
    pub fn set_element_value(&mut self, array: Addr, index: u32, kind: Kind, value: Value) {
        let size = kind.array_bytes();
        let byte = element_byte(array, index, size);
        self.memory.write_bytes(byte, size, value.bits);
        let shadow = self.narrowed_shadow(value, kind);
        self.set_heap_shadow(byte, size, shadow);
    }

    pub(crate) fn symbolic_array_load(&mut self, array: Addr, index: Value, kind: Kind) -> Step<Value> {
        let kind = if kind == Kind::Byte { self.element_kind(self.class_of(array)) } else { kind };
        self.check_bounds(array, index)?;
        let concrete = self.element_value(array, index.bits as u32, kind);
        let Some(index_term) = term_of(index.shadow) else { return Ok(concrete) };
        if kind != Kind::Reference
            && let Some(term) = select_term(self, array, index_term, kind)
        {
            return Ok(Value { bits: concrete.bits, shadow: self.shadow(term) });
        }
        self.concretize(index, Kind::Int)?;
        Ok(concrete)
    }

    pub(crate) fn symbolic_array_store(
        &mut self,
        array: Addr,
        index: Value,
        stored: Value,
        kind: Kind,
    ) -> Step<()> {
        self.check_bounds(array, index)?;
        if let Some(index_term) = term_of(index.shadow) {
            let capacity = self.array_capacity(array);
            if capacity <= self.limits.reasoning_elements {
                let sort = sort_of(kind);
                let narrowed =
                    Value { bits: kind.narrow(stored.bits), shadow: self.narrowed_shadow(stored, kind) };
                let new = self.term(narrowed, sort);
                for at in 0..capacity {
                    let old = self.element_value(array, at, kind);
                    let (old_term, position) = (self.term(old, sort), self.terms.int(at as i32));
                    let here = self.terms.eq(index_term, position);
                    let term = self.terms.ite(here, new, old_term);
                    let bits = if at == index.bits as u32 { stored.bits } else { old.bits };
                    let shadow = self.shadow(term);
                    self.set_element_value(array, at, kind, Value { bits, shadow });
                }
                return Ok(());
            }
            self.concretize(index, Kind::Int)?;
        }
        self.set_element_value(array, index.bits as u32, kind, stored);
        Ok(())
    }

    /// The shadow of a value of which only the low bits are stored.
    pub(crate) fn narrowed_shadow(&mut self, value: Value, kind: Kind) -> Shadow {
        let Some(term) = term_of(value.shadow) else { return 0 };
        let term = match kind {
            Kind::Boolean => {
                let one = self.terms.int(1);
                self.terms.and(term, one)
            }
            Kind::Byte => self.terms.narrow_int(Sort::Bv8, true, term),
            Kind::Char => self.terms.narrow_int(Sort::Bv16, false, term),
            Kind::Short => self.terms.narrow_int(Sort::Bv16, true, term),
            _ => term,
        };
        self.shadow(term)
    }

    /// Decides whether an array size is negative, then fixes it.
    pub(crate) fn decide_size(&mut self, length: Value) -> Step<()> {
        let (size, zero) = (self.term(length, Sort::Bv32), self.terms.int(0));
        let condition = self.terms.sge(size, zero);
        let holds = length.bits as u32 as i32 >= 0;
        self.decide_branch(DecisionKind::SizeCheck, condition, holds)?;
        if holds { self.concretize(length, Kind::Int) } else { Ok(()) }
    }

    /// `multianewarray`.
    pub(crate) fn new_multi_array(&mut self, insn: Insn) -> Step<()> {
        let dimensions = insn.a as u32;
        let first = self.current().sp - dimensions;
        let mut lengths = Vec::with_capacity(dimensions as usize);
        for slot in first..first + dimensions {
            let bits = self.stack.get(slot);
            let shadow = if self.current().symbolic { self.stack.shadow(slot) } else { 0 };
            let length = Value { bits, shadow };
            if shadow != 0 {
                self.decide_size(length)?;
            }
            lengths.push(length.as_int());
        }
        self.finish_decisions();
        if let Some(negative) = lengths.iter().find(|l| **l < 0) {
            return Err(Trap::Raise("java/lang/NegativeArraySizeException", Some(negative.to_string())));
        }
        let array = self.multi_array(ClassId(insn.b as u32), &lengths)?;
        self.current_mut().sp = first;
        self.push_result(Value::reference(array), Kind::Reference);
        self.current_mut().pc += 1;
        Ok(())
    }

    /// An array of arrays with these lengths, outermost first.
    pub fn multi_array(&mut self, class: ClassId, lengths: &[i32]) -> Step<Addr> {
        let array = self.new_array(class, lengths[0] as u32)?;
        let crate::classes::ClassKind::Array { element, kind: Kind::Reference } = self.class(class).kind
        else {
            return Ok(array);
        };
        if lengths.len() > 1 {
            for index in 0..lengths[0] as u32 {
                let inner = self.multi_array(element, &lengths[1..])?;
                self.set_element_ref(array, index, inner);
            }
        }
        Ok(array)
    }

    /// The JDK's message for a failed cast.
    pub(crate) fn cast_message(&self, from: ClassId, to: ClassId) -> String {
        let name = |class: ClassId| self.class(class).name.replace('/', ".");
        format!(
            "class {} cannot be cast to class {} ({})",
            name(from),
            name(to),
            crate::classes::modules::places(self, from, to)
        )
    }
}

/// The term of `array[index]` under heap reasoning, or `None` if the array is simulated.
fn select_term(machine: &mut Machine, array: Addr, index: TermId, kind: Kind) -> Option<TermId> {
    let capacity = machine.array_capacity(array);
    let sort = sort_of(kind);
    if machine.limits.reasoning_elements == 0 || capacity == 0 || capacity > MAX_TABLE {
        return None;
    }
    if let Some(words) = machine.first_concrete_elements(array, kind, capacity) {
        let entries = unpack(words, kind, capacity);
        if runs(entries.clone()) > MAX_RUNS {
            return None;
        }
        let entries: Vec<u64> = entries.collect();
        let table = machine.terms.new_table(sort, entries);
        return Some(machine.terms.lookup(table, index));
    }
    if capacity > machine.limits.reasoning_elements {
        return None;
    }
    let elements: Vec<Value> = (0..capacity).map(|i| machine.element_value(array, i, kind)).collect();
    let mut term = machine.term(elements[0], sort);
    for (at, element) in elements.iter().enumerate().skip(1) {
        let (position, value) = (machine.terms.int(at as i32), machine.term(*element, sort));
        let here = machine.terms.eq(index, position);
        term = machine.terms.ite(here, value, term);
    }
    Some(term)
}

/// The elements of an array whose memory consists of these words.
fn unpack(words: &[u64], kind: Kind, length: u32) -> impl Iterator<Item = u64> + Clone {
    let bits = kind.array_bytes() * 8;
    let in_word = 64 / bits;
    (0..length).map(move |at| kind.narrow(words[(at / in_word) as usize] >> (at % in_word * bits)))
}

/// Number of runs of equal elements, at most one more than is allowed.
fn runs(elements: impl Iterator<Item = u64>) -> usize {
    let mut last = None;
    elements.filter(|it| last.replace(*it) != Some(*it)).take(MAX_RUNS + 1).count()
}

impl Machine {
    /// An array of primitives whose elements and length may be symbolic. Memory is allocated for all elements,
    /// however short the array is under the current model.
    pub fn new_symbolic_array(&mut self, kind: Kind, elements: &[Value], length: Value) -> Step<Addr> {
        let class = self.load(&format!("[{}", kind.letter()))?;
        let array = self.new_array(class, elements.len() as u32)?;
        for (at, element) in elements.iter().enumerate() {
            self.set_element_value(array, at as u32, kind, *element);
        }
        set_symbolic_length(self, array, elements.len() as u32, length);
        Ok(array)
    }

    /// A `String` whose characters and length may be symbolic.
    pub fn new_symbolic_string(&mut self, characters: &[Value], length: Value) -> Step<Addr> {
        let string = self.new_string(&vec![0; characters.len()])?;
        let bytes = self.field_ref(string, self.classes.well_known.string_value);
        for (at, character) in characters.iter().enumerate() {
            let (low, high) = self.split_char(*character);
            self.set_element_value(bytes, at as u32 * 2, Kind::Byte, low);
            self.set_element_value(bytes, at as u32 * 2 + 1, Kind::Byte, high);
        }
        let Some(term) = term_of(length.shadow) else { return Ok(string) };
        let one = self.terms.int(1);
        let doubled = self.terms.shl(term, one);
        let byte_length = Value { bits: length.bits << 1, shadow: self.shadow(doubled) };
        self.shadows.set_length(byte_length.shadow, length.shadow);
        set_symbolic_length(self, bytes, characters.len() as u32 * 2, byte_length);
        Ok(string)
    }

    /// A char as its low and its high byte, each as a `byte[]` keeps it.
    pub fn split_char(&mut self, character: Value) -> (Value, Value) {
        let bits = character.bits;
        let mut low = Value::concrete(Kind::Byte.narrow(bits));
        let mut high = Value::concrete(Kind::Byte.narrow(bits >> 8));
        if let Some(term) = term_of(character.shadow) {
            let low_term = self.terms.narrow_int(Sort::Bv8, true, term);
            let eight = self.terms.int(8);
            let shifted = self.terms.lshr(term, eight);
            let high_term = self.terms.narrow_int(Sort::Bv8, true, shifted);
            low.shadow = self.shadow(low_term);
            high.shadow = self.shadow(high_term);
        }
        (low, high)
    }
}

fn set_symbolic_length(machine: &mut Machine, array: Addr, capacity: u32, length: Value) {
    if length.shadow != 0 {
        machine.registers.cold.capacities.insert(array, capacity);
        machine.memory.write(array + 1, length.bits);
        machine.set_heap_shadow((array + 1) as u64 * 8, 8, length.shadow);
    }
}
