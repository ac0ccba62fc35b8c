//! Reads annotations: their types, and all that they say.

use crate::{Annotations, ClassFile, Constant, SharedBytes};

/// The type descriptors of the annotations, up to a damaged one.
pub fn annotation_types(file: &ClassFile, annotations: &Annotations) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(visible) = &annotations.visible {
        let mut reader = AnnotationReader { bytes: visible, seen: &mut |_| {} };
        for _ in 0..reader.u16().unwrap_or(0) {
            let Some(index) = reader.annotation(0) else { break };
            if let Ok(Constant::Utf8(descriptor)) = file.constant(index) {
                found.push(descriptor.into_owned());
            }
        }
    }
    found
}

/// Passes on the annotations as they are, with all constants that they refer to; returns whether that is possible.
pub(crate) fn write_annotations(
    file: &ClassFile,
    annotations: &Annotations,
    part: &mut dyn FnMut(&[u8]),
) -> bool {
    let Annotations { visible, types, parameters, default } = annotations;
    let mut write = |content: &Option<SharedBytes>, read: fn(&mut AnnotationReader<'_>) -> Option<()>| {
        let Some(bytes) = content else {
            part(b"-");
            return true;
        };
        let mut seen = |place: Seen| match place {
            Seen::Number(number) => part(&number.to_be_bytes()),
            Seen::Constant(index) => part(format!("{:?}", file.constant(index)).as_bytes()),
        };
        read(&mut AnnotationReader { bytes, seen: &mut seen }).is_some()
    };
    // Annotations of types refer to places in bodies.
    types.is_none()
        && write(visible, |it| it.list())
        && write(default, |it| it.element(0))
        && write(parameters, |it| {
            for _ in 0..it.u8()? {
                it.list()?;
            }
            Some(())
        })
}

/// Limit on nested annotations.
const DEEPEST: u32 = 32;

/// A part of an annotation.
enum Seen {
    /// A length, or the tag of a value.
    Number(u16),
    /// The index of a constant.
    Constant(u16),
}

struct AnnotationReader<'a> {
    bytes: &'a [u8],
    /// Is told every part.
    seen: &'a mut dyn FnMut(Seen),
}

impl AnnotationReader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn word(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.byte()?, self.byte()?]))
    }

    fn u8(&mut self) -> Option<u8> {
        let number = self.byte()?;
        (self.seen)(Seen::Number(number.into()));
        Some(number)
    }

    fn u16(&mut self) -> Option<u16> {
        let number = self.word()?;
        (self.seen)(Seen::Number(number));
        Some(number)
    }

    fn constant(&mut self) -> Option<u16> {
        let index = self.word()?;
        (self.seen)(Seen::Constant(index));
        Some(index)
    }

    /// Reads annotations one after another.
    fn list(&mut self) -> Option<()> {
        for _ in 0..self.u16()? {
            self.annotation(0)?;
        }
        Some(())
    }

    /// Reads an annotation (JVMS §4.7.16); returns the index of its type.
    fn annotation(&mut self, depth: u32) -> Option<u16> {
        let ty = self.constant()?;
        for _ in 0..self.u16()? {
            self.constant()?;
            self.element(depth)?;
        }
        Some(ty)
    }

    fn element(&mut self, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match self.u8()? {
            b'e' => {
                self.constant()?;
                self.constant()?;
            }
            b'@' => {
                self.annotation(depth + 1)?;
            }
            b'[' => {
                for _ in 0..self.u16()? {
                    self.element(depth + 1)?;
                }
            }
            _ => {
                self.constant()?;
            }
        }
        Some(())
    }
}
