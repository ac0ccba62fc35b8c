//! Classes that stand in for an implementation of an interface or an abstract class (mock objects, thesis
//! §7.4). Each abstract method returns one of its arguments, a field of the object, or several fields in turn,
//! or it throws what a field holds. The code that creates the object sets the fields.

use super::assemble::{Assembler, InvocationKind};
use super::call_record::CallRecords;
use super::signature::{Signature, kind};
use super::synthetic::{PUBLIC, Synthetic};
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Op;
use crate::dynamic::StubResult;
use crate::dynamic::synthetic;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use std::rc::Rc;
use std::sync::Arc;

impl Machine {
    /// The methods of an interface or abstract class that an implementation has to have, in the order of their
    /// declaration, inherited ones last.
    pub fn abstract_methods(&self, class: ClassId) -> Vec<MethodId> {
        let object = ClassId(self.classes.well_known.object);
        let mut found: Vec<MethodId> = Vec::new();
        let mut seen: Vec<MethodId> = Vec::new();
        // Methods of a superclass precede those of an interface (JVMS §5.4.6).
        let above = |class: &ClassId| self.class(*class).super_class.filter(|above| *above != object);
        let mut types: Vec<ClassId> = std::iter::successors(Some(class), above).collect();
        let mut at = 0;
        while at < types.len() {
            let class = self.class(types[at]);
            for id in &class.methods {
                let method = self.method(*id);
                if method.is_static() || method.is_private() {
                    continue;
                }
                // Methods of a nearer interface, abstract or not, come first.
                let known = |m: &MethodId| self.method(*m).signature == method.signature;
                // `clone` and `finalize` of `Object` are protected: they implement nothing (JLS §9.2).
                let of_object = class.access.is_interface()
                    && self
                        .declared_method(object, &method.name, &method.descriptor)
                        .is_some_and(|of_object| self.method(of_object).access.is_public());
                if seen.iter().any(known) || of_object {
                    continue;
                }
                seen.push(*id);
                if method.is_abstract() {
                    found.push(*id);
                }
            }
            for above in class.interfaces.iter() {
                if !types.contains(above) {
                    types.push(*above);
                }
            }
            at += 1;
        }
        found
    }

    /// A class that implements an interface, or extends an abstract class, and whose methods return these
    /// results, in the order of [`Machine::abstract_methods`]. Its own instance fields are those of the methods
    /// that return a field.
    ///
    /// # Errors
    ///
    /// [`Trap::Exit`] if the type of a method is malformed.
    pub fn stub_class(&mut self, class: ClassId, results: &[StubResult]) -> Step<ClassId> {
        self.stub_class_that(class, results, false)
    }

    /// As [`Machine::stub_class`]; its objects record the calls that they receive ([`Machine::stub_calls`]).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn recording_stub_class(&mut self, class: ClassId, results: &[StubResult]) -> Step<ClassId> {
        self.stub_class_that(class, results, true)
    }

    fn stub_class_that(&mut self, class: ClassId, results: &[StubResult], records: bool) -> Step<ClassId> {
        let key = (class, results.to_vec(), records);
        if let Some(class) = self.dynamic.stubs.get(&key) {
            return Ok(*class);
        }
        let methods = self.abstract_methods(class);
        let mut signatures = Vec::with_capacity(methods.len());
        for method in &methods {
            let descriptor = &self.method(*method).descriptor;
            let Some(signature) = Signature::parse(descriptor) else {
                return Err(Trap::unsupported(format!("a stub of a method of type {descriptor}")));
            };
            signatures.push(signature);
        }
        let name = format!("{}$$Stub", self.class(class).name);
        let mut synthetic = Synthetic::holder(self, class, name);
        if self.class(class).access.is_interface() {
            synthetic.interfaces = vec![class];
        } else {
            synthetic.super_class = class;
        }
        for (id, result) in methods.iter().zip(results) {
            let method = self.method(*id);
            synthetic.methods.push((method.name.clone(), method.descriptor.clone(), PUBLIC));
            synthetic.fields.extend(field_types(self, *id, *result));
        }
        let last = synthetic.fields.len();
        if records {
            synthetic.fields.extend(["Ljava/lang/Object;".into(), "I".into()]);
        }
        let class = synthetic::define_synthetic(self, synthetic)?;
        let records = match records {
            true => {
                let fields = [last, last + 1].map(|at| synthetic::synthetic_field(self, class, at));
                Some(Rc::new(CallRecords::new(self, class, &signatures, fields)?))
            }
            false => None,
        };
        let mut field = 0;
        for (index, (signature, result)) in signatures.iter().zip(results).enumerate() {
            let mut code = Assembler::instance(&signature.kinds());
            if let Some(records) = &records {
                records.record(&mut code, index);
            }
            let own = kind(&signature.result);
            let fields: Vec<u16> = (field..field + result.fields())
                .map(|at| synthetic::synthetic_field(self, class, at))
                .collect();
            field += fields.len();
            match result {
                StubResult::Nothing => code.zero(own),
                StubResult::Calls { parameter, method: callee, .. } => {
                    code.parameter(parameter + 1);
                    for (field, ty) in fields.iter().zip(&field_types(self, methods[index], *result)) {
                        code.this();
                        code.get_field(*field, kind(ty));
                    }
                    code.invoke(self, *callee, InvocationKind::Virtual);
                    if own == Kind::Void {
                        code.pop(self.method(*callee).result);
                    }
                }
                StubResult::Field => {
                    code.this();
                    code.get_field(fields[0], own);
                }
                StubResult::Sequence => {
                    // The answers move up.
                    code.this();
                    code.get_field(fields[0], own);
                    for (to, from) in fields.iter().zip(&fields[1..]) {
                        code.this();
                        code.this();
                        code.get_field(*from, own);
                        code.put_field(*to, own);
                    }
                }
                StubResult::Throws => {
                    code.this();
                    code.get_field(fields[0], Kind::Reference);
                    code.op(Op::AThrow);
                    synthetic::set_code(self, class, index, code);
                    continue;
                }
                StubResult::Parameter(at) => code.parameter(at + 1),
            }
            code.ret(own);
            synthetic::set_code(self, class, index, code);
        }
        if let Some(records) = records {
            self.dynamic.call_records.insert(class, records);
        }
        self.dynamic.stubs.insert(key, class);
        Ok(class)
    }
}

/// The descriptors of the fields that a method of a stub reads.
fn field_types(machine: &Machine, method: MethodId, result: StubResult) -> Vec<Arc<str>> {
    let signature = |method: MethodId| Signature::parse(&machine.method(method).descriptor);
    match result {
        StubResult::Throws => vec!["Ljava/lang/Throwable;".into()],
        StubResult::Calls { method, .. } => signature(method).map_or_else(Vec::new, |it| it.parameters),
        _ => {
            let own = signature(method).map(|it| it.result);
            own.into_iter().flat_map(|ty| std::iter::repeat_n(ty, result.fields())).collect()
        }
    }
}
