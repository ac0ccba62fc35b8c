//! Stubs record the calls that they receive: as objects of the program's heap, so that forks, and what the calls have
//! been given, are kept as all state is.

use super::assemble::Assembler;
use super::call_record::{CallRecords, StubCall};
use super::signature::Signature;
use super::synthetic::{self, Synthetic};
use crate::classes::{ClassId, Kind};
use crate::code::Op;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use std::rc::Rc;

/// Limit on the calls that a stub records. More would fill the heap of a program that has its own limit.
pub const MAX_RECORDED_CALLS: usize = 1000;

/// The kinds of fields that hold arguments.
const KINDS: [(Kind, &str); 5] = [
    (Kind::Reference, "Ljava/lang/Object;"),
    (Kind::Int, "I"),
    (Kind::Long, "J"),
    (Kind::Float, "F"),
    (Kind::Double, "D"),
];

/// The kind of the field for an argument.
fn field_kind(kind: Kind) -> Kind {
    match kind {
        Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short => Kind::Int,
        other => other,
    }
}

impl CallRecords {
    /// Records of calls of methods with these signatures. A stub has the last element and their number in the given
    /// fields.
    pub(super) fn new(
        machine: &mut Machine,
        stub: ClassId,
        signatures: &[Signature],
        [last, count]: [u16; 2],
    ) -> Step<CallRecords> {
        let kinds = |it: &Signature| it.kinds().into_iter().map(field_kind).collect::<Vec<Kind>>();
        let methods: Vec<Vec<Kind>> = signatures.iter().map(kinds).collect();
        let mut synthetic = Synthetic::holder(machine, stub, format!("{}$Call", machine.class(stub).name));
        synthetic.fields = vec!["Ljava/lang/Object;".into(), "I".into()];
        // Methods share the fields of one kind.
        let mut firsts = Vec::new();
        for (kind, descriptor) in KINDS {
            firsts.push((kind, synthetic.fields.len()));
            let count = |method: &Vec<Kind>| method.iter().filter(|it| **it == kind).count();
            let most = methods.iter().map(count).max().unwrap_or(0);
            synthetic.fields.extend(std::iter::repeat_n(descriptor.into(), most));
        }
        let class = synthetic::define_synthetic(machine, synthetic)?;
        let offset = |index| synthetic::synthetic_field(machine, class, index);
        let arguments = |(method, signature): (&Vec<Kind>, &Signature)| {
            let mut next = firsts.clone();
            let place = |kind: &Kind| {
                let (_, field) = next.iter_mut().find(|(it, _)| it == kind)?;
                *field += 1;
                Some((offset(*field - 1), *kind))
            };
            (method.iter().filter_map(place).collect(), &*signature.result != "V")
        };
        let arguments = methods.iter().zip(signatures).map(arguments).collect();
        Ok(CallRecords { class, previous: offset(0), method: offset(1), arguments, last, count })
    }

    /// Code that records a call of this method.
    pub(super) fn record(&self, code: &mut Assembler, method: usize) {
        let (record, full) = (code.local(Kind::Reference), code.label());
        code.this();
        code.get_field(self.count, Kind::Int);
        code.int(MAX_RECORDED_CALLS as i32);
        code.jump(Op::IfICmpGe, full);
        code.new_object(self.class);
        code.store(record, Kind::Reference);
        code.load(record, Kind::Reference);
        code.this();
        code.get_field(self.last, Kind::Reference);
        code.put_field(self.previous, Kind::Reference);
        code.load(record, Kind::Reference);
        code.int(method as i32);
        code.put_field(self.method, Kind::Int);
        for (at, (field, kind)) in self.arguments[method].0.iter().enumerate() {
            code.load(record, Kind::Reference);
            code.parameter(at + 1);
            code.put_field(*field, *kind);
        }
        code.this();
        code.load(record, Kind::Reference);
        code.put_field(self.last, Kind::Reference);
        code.this();
        code.this();
        code.get_field(self.count, Kind::Int);
        code.int(1);
        code.op(Op::IAdd);
        code.put_field(self.count, Kind::Int);
        code.bind(full);
    }
}

impl Machine {
    /// Where the objects of a class of stubs have their record of calls, if they have one.
    pub fn call_record_fields(&self, class: ClassId) -> Option<[u16; 2]> {
        let is_generated = self.class(class).host.is_some();
        let records = is_generated.then(|| self.dynamic.call_records.get(&class)).flatten();
        records.map(|it| [it.last, it.count])
    }

    /// The first calls that a stub has received, in their order. If there are [`MAX_RECORDED_CALLS`], more may have
    /// followed. `None` for objects of other classes than those of [`Machine::recording_stub_class`].
    pub fn stub_calls(&self, stub: Addr) -> Option<Vec<StubCall>> {
        let records: Rc<CallRecords> = self.dynamic.call_records.get(&self.class_of(stub))?.clone();
        let read = |object: Addr, offset: u16| {
            let word = object + Addr::from(offset);
            Value { bits: self.memory().read(word), shadow: self.heap_shadow(u64::from(word) * 8) }
        };
        let mut calls = Vec::new();
        let mut next = read(stub, records.last).as_ref();
        while next != 0 {
            let method = read(next, records.method).bits as usize;
            let (fields, has_result) = records.arguments.get(method)?;
            let arguments = fields.iter().map(|(field, kind)| (*kind, read(next, *field))).collect();
            calls.push(StubCall { method, has_result: *has_result, arguments });
            next = read(next, records.previous).as_ref();
        }
        calls.reverse();
        Some(calls)
    }
}
