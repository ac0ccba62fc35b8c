//! The messages of `NullPointerException` that say what was null (JEP 358), in HotSpot's words.
//!
//! The message is computed on request, from the bytecode alone: [`sources::Sources`] runs once over the method
//! and records for each operand which instruction pushed it. The description follows the null operand back to
//! the instruction that pushed it, and on to the operands of that instruction.

use crate::machine::Machine;
use crate::run::exceptions::TraceRow;
use cupping_classfile::{Action, ArrayElement, Constant, FieldType, Invocation, Literal, MethodDescriptor};
use std::fmt::Write;

mod origin;
mod sources;
mod traced_method;

pub use origin::ReferenceOrigin;
use traced_method::TracedMethod;

/// Limit on the steps that the description of an operand goes back.
const MAX_DETAIL: u32 = 5;

impl Machine {
    /// HotSpot's message for a `NullPointerException` that an instruction raised; `None` if it has none.
    pub(crate) fn null_message(&self, row: &TraceRow) -> Option<String> {
        traced_method::ask(self, row, |method| method.message(row.offset))
    }
}

impl TracedMethod<'_> {
    fn message(&self, pc: u32) -> Option<String> {
        let depth = self.null_depth(pc)?;
        let mut text = self.failure(pc)?;
        let mut cause = String::new();
        if self.describe(&mut cause, pc, depth, MAX_DETAIL) {
            let from = self.sources.at(pc)?.operand(depth)?;
            let returned = matches!(
                self.action(from),
                Some(Action::Invoke(
                    Invocation::Virtual | Invocation::Special | Invocation::Static | Invocation::Interface
                ))
            );
            let because = if returned { "the return value of \"" } else { "\"" };
            let _ = write!(text, " because {because}{cause}\" is null");
        }
        Some(text)
    }

    /// The part of the message about the operation that failed.
    fn failure(&self, pc: u32) -> Option<String> {
        let field = |verb: &str| match self.constant(pc)? {
            Constant::Field { name, .. } => Some(format!("Cannot {verb} field \"{name}\"")),
            _ => None,
        };
        Some(match self.action(pc)? {
            Action::ArrayLoad(element) => format!("Cannot load from {} array", element_word(element)),
            Action::ArrayStore(element) => format!("Cannot store to {} array", element_word(element)),
            Action::ArrayLength => "Cannot read the array length".into(),
            Action::Throw => "Cannot throw exception".into(),
            Action::MonitorEnter => "Cannot enter synchronized block".into(),
            Action::MonitorExit => "Cannot exit synchronized block".into(),
            Action::GetField => field("read")?,
            Action::PutField => field("assign")?,
            Action::Invoke(how) if how.has_receiver() => format!("Cannot invoke \"{}\"", self.called(pc)?),
            _ => return None,
        })
    }

    /// The method that an instruction calls, with the types of its parameters.
    fn called(&self, pc: u32) -> Option<String> {
        let Constant::Method { class, name, descriptor, .. } = self.constant(pc)? else { return None };
        let parameters = MethodDescriptor::parse(&descriptor)?.parameters;
        let parameters: Vec<String> = parameters.iter().map(parameter_name).collect();
        Some(format!("{}.{name}({})", owner_name(&class), parameters.join(", ")))
    }

    /// Describes the source of the operand at `depth` of the instruction at `pc`. Returns whether there is a
    /// description.
    fn describe(&self, text: &mut String, pc: u32, depth: usize, detail: u32) -> bool {
        if detail == 0 {
            return false;
        }
        let Some(state) = self.sources.at(pc) else { return false };
        let Some(from) = state.operand(depth) else { return false };
        let Some(instruction) = self.sources.instruction(from) else { return false };
        if let Some(slot) = instruction.loaded_local() {
            self.write_local(text, from, slot, !state.was_written(slot));
            return true;
        }
        // HotSpot does not name longs, floats and doubles, nor what `ldc` loads.
        match instruction.literal() {
            Some(Literal::Null) => {
                text.push_str("null");
                return true;
            }
            Some(Literal::Int(value)) => {
                let _ = write!(text, "{value}");
                return true;
            }
            Some(_) => return false,
            None => {}
        }
        let said = match instruction.action() {
            Action::GetStatic => match self.constant(from) {
                Some(Constant::Field { class, name, .. }) => format!("{}.{name}", class_name(&class)),
                _ => return false,
            },
            Action::GetField => {
                let Some(Constant::Field { name, .. }) = self.constant(from) else { return false };
                if self.describe(text, from, 0, detail - 1) {
                    text.push('.');
                }
                name.into_owned()
            }
            Action::Invoke(_) => match self.called(from) {
                Some(called) => called,
                None => return false,
            },
            Action::ArrayLoad(_) => {
                if !self.describe(text, from, 1, detail - 1) {
                    text.push_str("<array>");
                }
                text.push('[');
                if !self.describe(text, from, 0, detail) {
                    text.push_str("...");
                }
                "]".into()
            }
            _ => return false,
        };
        text.push_str(&said);
        true
    }

    /// A local variable by its name, where the class file has names.
    fn write_local(&self, text: &mut String, pc: u32, slot: u16, is_parameter: bool) {
        let _ = if !self.code.local_variables.is_empty() {
            match self.code.variable_at(slot, pc) {
                Some(variable) => write!(text, "{}", variable.name),
                None => self.write_nameless(text, slot, is_parameter),
            }
        } else {
            self.write_nameless(text, slot, is_parameter)
        };
    }

    fn write_nameless(&self, text: &mut String, slot: u16, is_parameter: bool) -> std::fmt::Result {
        if !self.is_static && slot == 0 && is_parameter {
            return text.write_str("this");
        }
        let mut at = !self.is_static as u16;
        let parameters = MethodDescriptor::parse(self.descriptor).map(|d| d.parameters).unwrap_or_default();
        for (index, parameter) in parameters.iter().enumerate() {
            let behind = at + parameter.slots();
            if is_parameter && (at..behind).contains(&slot) {
                return write!(text, "<parameter{}>", index + 1);
            }
            at = behind;
        }
        write!(text, "<local{slot}>")
    }
}

fn element_word(element: ArrayElement) -> &'static str {
    match element {
        ArrayElement::Int => "int",
        ArrayElement::Long => "long",
        ArrayElement::Float => "float",
        ArrayElement::Double => "double",
        ArrayElement::Reference => "object",
        ArrayElement::Byte => "byte/boolean",
        ArrayElement::Char => "char",
        ArrayElement::Short => "short",
    }
}

/// The class of a method that is called: arrays by their descriptor.
fn owner_name(internal: &str) -> String {
    if internal.starts_with('[') { internal.replace('/', ".") } else { class_name(internal) }
}

/// A class as the messages name it: `Object` and `String` without their package.
fn class_name(internal: &str) -> String {
    match internal {
        "java/lang/Object" => "Object".into(),
        "java/lang/String" => "String".into(),
        other if other.starts_with('[') => FieldType::parse(other).map_or(other.into(), |ty| ty.java_name()),
        other => other.replace('/', "."),
    }
}

/// HotSpot removes `java.lang.` from every parameter type that begins with `java.lang.Object` or
/// `java.lang.String`.
fn parameter_name(ty: &FieldType) -> String {
    let name = ty.java_name();
    match name.strip_prefix("java.lang.") {
        Some(short) if short.starts_with("Object") || short.starts_with("String") => short.into(),
        _ => name,
    }
}
