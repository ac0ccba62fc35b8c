//! Reading names and attributes through the constant pool, with errors that name file and place.

use std::borrow::Cow;
use std::sync::Arc;

use noak::MStr;
use noak::error::{DecodeError, DecodeErrorKind};
use noak::reader::cpool::{Class, ConstantPool, Index, ToValue, Utf8};

use crate::bytes::SharedBytes;
use crate::error::{ClassFileError, Result};
use crate::utf16::utf16_units;

/// A class file being read: its bytes, its constants, and the name for messages.
#[derive(Clone, Copy)]
pub(crate) struct PoolReader<'r, 'a> {
    /// The file, as messages name it.
    pub(crate) file: &'r str,
    /// The whole class file.
    pub(crate) bytes: &'r Arc<[u8]>,
    /// Its constants.
    pub(crate) pool: &'r ConstantPool<'a>,
}

impl<'a> PoolReader<'_, 'a> {
    /// The value of the constant at `index`, with all that it refers to.
    pub(crate) fn value<I>(self, index: Index<I>) -> Result<<Index<I> as ToValue<'a>>::Target>
    where
        Index<I>: ToValue<'a>,
    {
        self.pool.retrieve(index).map_err(|error| self.bad_constant(index.as_u16(), &error))
    }

    /// The text of the `Utf8` constant at `index`.
    pub(crate) fn text(self, index: Index<Utf8<'a>>) -> Result<Arc<str>> {
        let value = self.value(index)?;
        self.unicode(index.as_u16(), value).map(Arc::from)
    }

    /// The text of the `Utf8` constant at `index`, or nothing for index 0.
    pub(crate) fn optional_text(self, index: Option<Index<Utf8<'a>>>) -> Result<Option<Arc<str>>> {
        index.map(|index| self.text(index)).transpose()
    }

    /// The internal name of the `Class` constant at `index`.
    pub(crate) fn class_name(self, index: Index<Class<'a>>) -> Result<Arc<str>> {
        let class = self.value(index)?;
        self.unicode(index.as_u16(), class.name).map(Arc::from)
    }

    /// The internal name of the `Class` constant at `index`, or nothing for index 0.
    pub(crate) fn optional_class_name(self, index: Option<Index<Class<'a>>>) -> Result<Option<Arc<str>>> {
        index.map(|index| self.class_name(index)).transpose()
    }

    /// `text` as Unicode. Names with lone surrogates are legal for the JVM, but no compiler writes them.
    pub(crate) fn unicode(self, index: u16, text: &'a MStr) -> Result<Cow<'a, str>> {
        if let Some(text) = text.to_str() {
            return Ok(Cow::Borrowed(text));
        }
        String::from_utf16(&utf16_units(text.as_bytes())).map(Cow::Owned).map_err(|_| {
            let problem = "this name holds a lone surrogate, which Cupping does not support in names";
            ClassFileError::damaged(self.file, format!("constant pool entry {index}"), problem)
        })
    }

    /// `slice`, which was borrowed from the class file, as a part that keeps it alive.
    pub(crate) fn share(self, slice: &[u8]) -> Result<SharedBytes> {
        SharedBytes::of(self.bytes, slice)
            .ok_or_else(|| ClassFileError::damaged(self.file, "an attribute", "lies outside the file"))
    }

    /// The error for the constant at `index`.
    pub(crate) fn bad_constant(self, index: u16, error: &DecodeError) -> ClassFileError {
        let problem = match error.kind() {
            DecodeErrorKind::TagMismatch => {
                "is, or refers to, a constant of another kind than expected".into()
            }
            DecodeErrorKind::InvalidIndex => "does not exist, or refers to a constant that does not".into(),
            other => other.to_string(),
        };
        ClassFileError::damaged(self.file, format!("constant pool entry {index}"), problem)
    }

    /// The error for the malformed structure `what`, such as `attribute InnerClasses`.
    pub(crate) fn bad(self, what: &str, error: &DecodeError) -> ClassFileError {
        let place = match error.position() {
            Some(offset) => format!("{what}, offset {offset:#x}"),
            None => what.to_owned(),
        };
        ClassFileError::damaged(self.file, place, error.kind().to_string())
    }
}
