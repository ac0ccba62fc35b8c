//! Facts of method bodies: what an analysis needs to know of a body, which is less than the body.
//!
//! An analysis that follows calls looks at hundreds of bodies, but only at the fields and methods that they name, or
//! at their casts. A result that depends on a fact stays valid when the body changes and the fact does not.

use crate::class_file::{ClassFile, Method};
use crate::code::Code;
use crate::error::Result;
use crate::reads::{Read, without_recording};
use std::fmt::Debug;

/// A fact of a method body. A function of the body alone; its text by [`Debug`] tells different facts apart.
pub trait BodyFact: Debug + Sized {
    /// Its name in a [`Read::Fact`].
    const NAME: &'static str;

    /// The fact of a body.
    fn of(file: &ClassFile, method: &Method, code: &Code) -> Self;
}

/// A kind of facts, for those who know only its name.
#[derive(Clone, Copy, Debug)]
pub struct FactKind {
    /// [`BodyFact::NAME`].
    pub name: &'static str,
    text: fn(&ClassFile, &Method, &Code) -> String,
}

impl FactKind {
    /// The kind of these facts.
    pub const fn of<F: BodyFact>() -> FactKind {
        FactKind { name: F::NAME, text: |file, method, code| format!("{:?}", F::of(file, method, code)) }
    }

    /// The text of a fact.
    pub(crate) fn text(&self, file: &ClassFile, method: &Method, code: &Code) -> String {
        (self.text)(file, method, code)
    }
}

impl ClassFile {
    /// A fact of the body of `method`, one of this class's own; `None` if it is abstract or native. A
    /// [recording](crate::reads) has the fact instead of the body.
    ///
    /// # Errors
    ///
    /// As for [`ClassFile::code`].
    pub fn fact<F: BodyFact>(&self, method: &Method) -> Result<Option<F>> {
        self.note_of_method(method, |class, method| Read::Fact(F::NAME.into(), class, method));
        without_recording(|| Ok(self.code(method)?.map(|code| F::of(self, method, code))))
    }
}
