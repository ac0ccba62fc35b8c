//! Support for natives: results, fields by name, arrays of objects.

use super::{NativeCode, NativeOutcome, VOID};
use crate::classes::{ClassId, MethodId};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;

/// A native that does nothing.
pub(super) const NOTHING: NativeCode = |_, _| Ok(VOID);
/// A native that returns 0, `false` or `null`.
pub(super) const ZERO: NativeCode = |_, _| Ok(VOID);
/// The outcome of a native that returns nothing.
pub(super) const VOID_RESULT: Step<NativeOutcome> = Ok(VOID);
/// A native that returns 1 or `true`.
pub(super) const ONE: NativeCode = |_, _| int(1);
/// A native that returns -1.
pub(super) const MINUS_ONE: NativeCode = |_, _| int(-1);
/// A native that returns -1 as a long.
pub(super) const MINUS_ONE_LONG: NativeCode = |_, _| long(-1);

pub(super) fn int(value: i32) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::int(value)))
}

pub(super) fn long(value: i64) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::long(value)))
}

pub(super) fn boolean(value: bool) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::boolean(value)))
}

pub(super) fn double(value: f64) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::double(value)))
}

pub(super) fn reference(addr: Addr) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::reference(addr)))
}

pub(super) fn value(value: Value) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(value))
}

pub(super) fn illegal_argument(message: &str) -> Trap {
    Trap::Raise("java/lang/IllegalArgumentException", Some(message.to_owned()))
}

pub(super) fn null_pointer() -> Trap {
    Trap::Raise("java/lang/NullPointerException", None)
}

impl Machine {
    /// Sets the instance field of this name, if the object's class has one.
    pub(crate) fn set_named(&mut self, object: Addr, name: &str, bits: u64) {
        if let Some(offset) = self.field_offset(self.class_of(object), name) {
            self.set_field(object, offset, bits);
        }
    }

    /// The slot of the instance field of this name; 0 if there is none.
    pub(crate) fn named(&self, object: Addr, name: &str) -> u64 {
        self.field_offset(self.class_of(object), name).map_or(0, |offset| self.field(object, offset))
    }

    /// A new array of references to objects of this class.
    pub(crate) fn reference_array(&mut self, element: &str, items: &[Addr]) -> Step<Addr> {
        let class = self.load(&format!("[L{element};"))?;
        let array = self.new_array(class, items.len() as u32)?;
        for (index, item) in items.iter().enumerate() {
            self.set_element_ref(array, index as u32, *item);
        }
        Ok(array)
    }

    /// A new `String[]`; `None` is `null`.
    pub(crate) fn string_array<S: AsRef<str>>(&mut self, texts: &[Option<S>]) -> Step<Addr> {
        let mut items = Vec::with_capacity(texts.len());
        for text in texts {
            items.push(match text {
                Some(text) => self.new_text(text.as_ref())?,
                None => 0,
            });
        }
        self.reference_array("java/lang/String", &items)
    }

    /// The interned string of this text.
    pub(crate) fn intern_text(&mut self, text: &str) -> Step<Addr> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.intern(&units)
    }

    /// The method of this name and descriptor of a class of the JDK, which must have it.
    pub(crate) fn jdk_method(&mut self, class: &str, name: &str, descriptor: &str) -> Step<MethodId> {
        let class = self.load(class)?;
        self.find_method(class, name, descriptor)
            .ok_or_else(|| Trap::Missing(format!("{}.{name}{descriptor}", self.class(class).name)))
    }
}

/// A new `Class[]`.
pub(super) fn class_array(m: &mut Machine, classes: &[ClassId]) -> Step<Addr> {
    let mut items = Vec::with_capacity(classes.len());
    for class in classes {
        items.push(m.mirror(*class)?);
    }
    m.reference_array("java/lang/Class", &items)
}
