//! The code behind `Method.invoke` and `Constructor.newInstance`: for each method called reflectively, a static
//! method that calls it, boxes its result, and wraps its exceptions.

use super::assemble::{Assembler, InvocationKind};
use super::convert::{wrapped, wrapper};
use crate::classes::{Kind, MethodId};
use crate::code::Op;
use crate::dynamic::synthetic;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::NativeOutcome;
use crate::state::Value;

const WRAPPER: &str = "java/lang/reflect/InvocationTargetException";

impl Machine {
    /// The static method that calls `method` with its receiver and arguments unboxed, and returns its result
    /// boxed. For a constructor, it creates and returns a new object. Exceptions are wrapped in an
    /// `InvocationTargetException`.
    pub(crate) fn reflective_call(&mut self, method: MethodId) -> Step<MethodId> {
        if let Some(known) = self.dynamic.reflective.get(&method) {
            return Ok(*known);
        }
        let loaded = self.method(method);
        let (host, result) = (loaded.class, loaded.result);
        let is_constructor = &*loaded.name == "<init>";
        let receiver = (!loaded.is_static()).then_some(Kind::Reference);
        let kinds: Vec<Kind> = receiver.into_iter().chain(loaded.parameters.iter().copied()).collect();
        let call = if loaded.is_static() { InvocationKind::Static } else { InvocationKind::Direct };
        let letters: String = kinds.iter().map(descriptor_of).collect();

        let mut code = Assembler::new(&kinds);
        let start = code.here();
        for index in 0..kinds.len() {
            code.parameter(index);
        }
        code.invoke(self, method, call);
        let end = code.here();
        if is_constructor {
            code.parameter(0);
        } else if let Some(class) = wrapper(result) {
            let descriptor = format!("({})L{class};", result.letter());
            code.invoke_named(self, InvocationKind::Static, class, "valueOf", &descriptor)?;
        } else if result == Kind::Void {
            code.op(Op::AConstNull);
        }
        code.ret(Kind::Reference);
        let wrap = code.label();
        code.bind_at(wrap, 1);
        let thrown = code.local(Kind::Reference);
        code.store(thrown, Kind::Reference);
        code.new_object_of(self, WRAPPER)?;
        code.op(Op::Dup);
        code.load(thrown, Kind::Reference);
        code.invoke_named(self, InvocationKind::Direct, WRAPPER, "<init>", "(Ljava/lang/Throwable;)V")?;
        code.op(Op::AThrow);
        code.handler(start, end, wrap, None);

        let name = format!("jdk/internal/reflect/Call${}", self.dynamic.reflective.len() + 1);
        let descriptor = format!("({letters})Ljava/lang/Object;");
        let made = synthetic::define_static(self, host, name, "invoke", &descriptor, code)?;
        self.dynamic.reflective.insert(method, made);
        Ok(made)
    }

    /// The call that boxes a primitive value.
    pub(crate) fn box_call(&mut self, kind: Kind, value: Value) -> Step<NativeOutcome> {
        let Some(class) = wrapper(kind) else { return Ok(NativeOutcome::Value(value)) };
        let class_id = self.load(class)?;
        self.ensure_initialized(class_id)?;
        let method = self.jdk_method(class, "valueOf", &format!("({})L{class};", kind.letter()))?;
        Ok(NativeOutcome::Call(method, vec![value]))
    }

    /// The primitive that an object wraps, if it is a wrapper.
    pub(crate) fn unboxed(&self, object: Addr) -> Option<(Kind, Value)> {
        if object == 0 {
            return None;
        }
        let class = self.class_of(object);
        let kind = wrapped(&self.class(class).name)?;
        let at = object + self.field_offset(class, "value")?;
        Some((kind, Value { bits: self.memory.read(at), shadow: self.heap_shadow(at as u64 * 8) }))
    }

    /// A primitive value widened to another kind (JLS §5.1.2), if that is a widening.
    pub(crate) fn widened(&mut self, from: Kind, to: Kind, value: Value) -> Option<Value> {
        if from == to {
            return Some(value);
        }
        if !super::convert::widens(from, to) {
            return None;
        }
        let held = if matches!(from, Kind::Long | Kind::Float) { from } else { Kind::Int };
        let (op, bits) = match (held, to) {
            (Kind::Int, Kind::Long) => (Op::I2L, value.as_int() as i64 as u64),
            (Kind::Int, Kind::Float) => (Op::I2F, (value.as_int() as f32).to_bits() as u64),
            (Kind::Int, Kind::Double) => (Op::I2D, (value.as_int() as f64).to_bits()),
            (Kind::Long, Kind::Float) => (Op::L2F, (value.bits as i64 as f32).to_bits() as u64),
            (Kind::Long, _) => (Op::L2D, (value.bits as i64 as f64).to_bits()),
            (Kind::Float, _) => (Op::F2D, (f32::from_bits(value.bits as u32) as f64).to_bits()),
            _ => return Some(value),
        };
        let shadow = if value.shadow == 0 { 0 } else { self.shadow_arithmetic(op, value, value) };
        Some(Value { bits, shadow })
    }
}

fn descriptor_of(kind: &Kind) -> String {
    if *kind == Kind::Reference { "Ljava/lang/Object;".into() } else { kind.letter().to_string() }
}
