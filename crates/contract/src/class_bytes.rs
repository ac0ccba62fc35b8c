//! Reads and edits class files beyond what the crate `classfile` offers: generic types of local variables,
//! and copies of classes with all members public, against which `javac` compiles conditions.

/// A cursor over the parts of a class file (JVMS §4.1).
struct Walk<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Walk<'_> {
    fn u1(&mut self) -> Option<usize> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte as usize)
    }

    fn u2(&mut self) -> Option<usize> {
        Some(self.u1()? << 8 | self.u1()?)
    }

    fn u4(&mut self) -> Option<usize> {
        Some(self.u2()? << 16 | self.u2()?)
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.at = self.at.checked_add(bytes).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }
}

/// Offsets of the relevant parts.
#[derive(Default)]
struct Layout {
    /// UTF-8 constants by index: the start and end of their bytes.
    texts: Vec<Option<(usize, usize)>>,
    /// Offsets of the access flags of fields and methods.
    member_flags: Vec<usize>,
    /// Offsets of the access flags of nested classes.
    nested_flags: Vec<usize>,
    /// For each method, the index of its name and the offset of its attributes.
    methods: Vec<(usize, usize)>,
}

impl Layout {
    fn text<'b>(&self, bytes: &'b [u8], index: usize) -> Option<&'b str> {
        let (start, end) = (*self.texts.get(index)?)?;
        std::str::from_utf8(bytes.get(start..end)?).ok()
    }
}

fn layout(bytes: &[u8]) -> Option<Layout> {
    let mut walk = Walk { bytes, at: 8 };
    let mut layout = Layout::default();
    let constants = walk.u2()?;
    layout.texts.resize(constants.max(1), None);
    let mut index = 1;
    while index < constants {
        match walk.u1()? {
            1 => {
                let length = walk.u2()?;
                layout.texts[index] = Some((walk.at, walk.at + length));
                walk.skip(length)?;
            }
            5 | 6 => {
                walk.skip(8)?;
                index += 1;
            }
            7 | 8 | 16 | 19 | 20 => walk.skip(2)?,
            15 => walk.skip(3)?,
            _ => walk.skip(4)?,
        }
        index += 1;
    }
    walk.skip(6)?;
    let interfaces = walk.u2()?;
    walk.skip(interfaces * 2)?;
    for is_method in [false, true] {
        for _ in 0..walk.u2()? {
            layout.member_flags.push(walk.at);
            walk.skip(2)?;
            let name = walk.u2()?;
            walk.skip(2)?;
            if is_method {
                layout.methods.push((name, walk.at));
            }
            for _ in 0..walk.u2()? {
                walk.skip(2)?;
                let length = walk.u4()?;
                walk.skip(length)?;
            }
        }
    }
    for _ in 0..walk.u2()? {
        let name = walk.u2()?;
        let length = walk.u4()?;
        let next = walk.at + length;
        if layout.text(bytes, name) == Some("InnerClasses") {
            for entry in 0..walk.u2()? {
                layout.nested_flags.push(walk.at + entry * 8 + 6);
            }
        }
        walk.at = next;
    }
    Some(layout)
}

const PUBLIC: u16 = 1;
const HIDING: u16 = 2 | 4;

/// The class with all members and nested classes public; `None` if it is damaged.
pub(crate) fn opened(bytes: &[u8]) -> Option<Vec<u8>> {
    let layout = layout(bytes)?;
    let mut opened = bytes.to_vec();
    for at in layout.member_flags.into_iter().chain(layout.nested_flags) {
        let flags = u16::from_be_bytes([*opened.get(at)?, *opened.get(at + 1)?]);
        let flags = ((flags & !HIDING) | PUBLIC).to_be_bytes();
        opened[at..at + 2].copy_from_slice(&flags);
    }
    Some(opened)
}

/// The type of a local variable: its signature if it is generic, else its descriptor.
pub(crate) fn variable_type(bytes: &[u8], method: &str, variable: &str) -> Option<String> {
    let layout = layout(bytes)?;
    let (_, attributes) =
        layout.methods.iter().find(|(name, _)| layout.text(bytes, *name) == Some(method))?;
    let mut walk = Walk { bytes, at: *attributes };
    let mut found = None;
    for _ in 0..walk.u2()? {
        let name = walk.u2()?;
        let length = walk.u4()?;
        let next = walk.at + length;
        if layout.text(bytes, name) == Some("Code") {
            walk.skip(4)?;
            let code = walk.u4()?;
            walk.skip(code)?;
            let handlers = walk.u2()?;
            walk.skip(handlers * 8)?;
            for _ in 0..walk.u2()? {
                let name = walk.u2()?;
                let length = walk.u4()?;
                let next = walk.at + length;
                let table = layout.text(bytes, name);
                if matches!(table, Some("LocalVariableTable" | "LocalVariableTypeTable")) {
                    for _ in 0..walk.u2()? {
                        walk.skip(4)?;
                        let (name, ty) = (walk.u2()?, walk.u2()?);
                        walk.skip(2)?;
                        let better = table == Some("LocalVariableTypeTable") || found.is_none();
                        if better && layout.text(bytes, name) == Some(variable) {
                            found = layout.text(bytes, ty).map(str::to_owned);
                        }
                    }
                }
                walk.at = next;
            }
        }
        walk.at = next;
    }
    found
}
