//! Observers: public methods that reveal the receiver's state.

use super::emitter::{Emitter, SubjectPlace};
use crate::error::Error;
use cupping_case::{Literal, MethodRef};
use cupping_machine::{Addr, MethodId};
use cupping_relation::Instance;

impl Emitter<'_> {
    /// The observers without parameters.
    pub(super) fn observers(&mut self) -> Vec<(MethodRef, MethodId)> {
        let Some(receiver) = self.specification.plan.receiver.clone() else { return Vec::new() };
        if !matches!(self.subject_place(), Some(SubjectPlace::Argument(0)))
            || !self.sources.is_nameable(&receiver)
        {
            return Vec::new();
        }
        let id = self.world.classes[&receiver];
        let target = self.specification.target.as_ref().map(|it| it.name.clone()).unwrap_or_default();
        let mut found: Vec<(MethodRef, MethodId)> = Vec::new();
        for file in self.sources.upwards(&receiver) {
            for method in file.methods.iter().filter(|it| self.sources.is_callable(&file, it)) {
                let result = method.descriptor.strip_prefix("()").unwrap_or("V");
                let shows = matches!(result, "I" | "J" | "S" | "B" | "C" | "Z" | "Ljava/lang/String;");
                let is_known = found.iter().any(|it| *it.0.name == *method.name);
                if !shows
                    || is_known
                    || method.access.is_static()
                    || *method.name == *target
                    || &*method.name == "hashCode"
                {
                    continue;
                }
                if let Some(at) = self.world.machine.find_method(id, &method.name, &method.descriptor) {
                    found.push((self.sources.reference(&receiver, method), at));
                }
            }
        }
        found.sort_by_key(|it| &*it.0.name != "toString");
        found
    }

    /// The values of the observers after the run.
    pub(super) fn observe_actual(
        &mut self,
        instance: &Instance,
        observers: &[(MethodRef, MethodId)],
    ) -> Result<Vec<Option<Literal>>, Error> {
        let input = self.write(instance)?;
        self.world.run(&input.arguments);
        let object = input.arguments.first().map_or(0, |it| it.as_ref());
        Ok(self.observe(object, observers))
    }

    pub(super) fn observe(
        &mut self,
        object: Addr,
        observers: &[(MethodRef, MethodId)],
    ) -> Vec<Option<Literal>> {
        if object == 0 || observers.is_empty() {
            return vec![None; observers.len()];
        }
        let here = self.world.machine.snapshot();
        let mut all = Vec::new();
        for (reference, method) in observers {
            self.world.machine.set_fuel(100_000);
            let made = self.world.machine.call(*method, &[cupping_machine::Value::reference(object)]);
            let result = reference.descriptor.rsplit(')').next().unwrap_or("V");
            all.push(made.ok().and_then(|it| self.shown(it.bits, result)));
            self.world.machine.restore(&here);
        }
        all
    }

    fn shown(&self, bits: u64, descriptor: &str) -> Option<Literal> {
        Some(match descriptor {
            "I" => Literal::Int(bits as u32 as i32),
            "J" => Literal::Long(bits as i64),
            "S" => Literal::Short(bits as i16),
            "B" => Literal::Byte(bits as i8),
            "C" => Literal::Char(bits as u16),
            "Z" => Literal::Boolean(bits & 1 != 0),
            "Ljava/lang/String;" if bits == 0 => Literal::Null,
            "Ljava/lang/String;" => {
                let text = self.world.machine.text(bits as Addr);
                // Default `toString` texts contain identity hash codes.
                if text.contains('@') {
                    return None;
                }
                Literal::String(text.encode_utf16().collect())
            }
            _ => return None,
        })
    }
}
