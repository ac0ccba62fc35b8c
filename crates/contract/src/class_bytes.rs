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

#[cfg(test)]
mod tests {
    use super::*;

    const STATIC: u16 = 8;
    const FINAL: u16 = 16;

    fn u2(out: &mut Vec<u8>, values: &[u16]) {
        values.iter().for_each(|it| out.extend(it.to_be_bytes()));
    }

    fn attribute(out: &mut Vec<u8>, name: u16, body: &[u8]) {
        u2(out, &[name]);
        out.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
        out.extend(body);
    }

    /// A class with a private final field and a protected static method that has a local variable `v`, once as a
    /// `List` and with its signature; and a private static nested class.
    fn class() -> Vec<u8> {
        let texts = [
            "A",
            "f",
            "I",
            "m",
            "()V",
            "Code",
            "LocalVariableTable",
            "LocalVariableTypeTable",
            "v",
            "Ljava/util/List;",
            "Ljava/util/List<LA;>;",
            "InnerClasses",
        ];
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        // A long takes two numbers: the texts are 1 to 12, the long 13 and 14, the class 15.
        u2(&mut out, &[16]);
        for text in texts {
            out.push(1);
            u2(&mut out, &[u16::try_from(text.len()).unwrap()]);
            out.extend(text.bytes());
        }
        out.extend([5, 0, 0, 0, 0, 0, 0, 0, 7]);
        out.extend([7, 0, 1]);
        u2(&mut out, &[0x21, 15, 0, 0]);
        u2(&mut out, &[1, 2 | FINAL, 2, 3, 0]);
        let table = |ty: u16| {
            let mut table = Vec::new();
            u2(&mut table, &[1, 0, 1, 9, ty, 0]);
            table
        };
        let mut code = Vec::new();
        u2(&mut code, &[0, 1]);
        code.extend([0, 0, 0, 1, 0xb1]);
        // A handler, which is skipped.
        u2(&mut code, &[1, 0, 1, 0, 0, 2]);
        attribute(&mut code, 8, &table(11));
        attribute(&mut code, 7, &table(10));
        u2(&mut out, &[1, 4 | STATIC, 4, 5, 1]);
        attribute(&mut out, 6, &code);
        u2(&mut out, &[1]);
        let mut nested = Vec::new();
        u2(&mut nested, &[1, 15, 0, 1, 2 | STATIC]);
        attribute(&mut out, 12, &nested);
        out
    }

    #[test]
    fn all_members_become_public_and_nothing_else_changes() {
        let before = class();
        let after = opened(&before).unwrap();
        let changed: Vec<(u8, u8)> =
            before.iter().zip(&after).filter(|(a, b)| a != b).map(|(a, b)| (*a, *b)).collect();
        // The field, the method, the nested class: private or protected becomes public, the rest stays.
        assert_eq!(changed, [(2 | 16, 1 | 16), (4 | 8, 1 | 8), (2 | 8, 1 | 8)]);
        assert_eq!(before.len(), after.len());
        assert_eq!(opened(&after).as_ref(), Some(&after));
    }

    #[test]
    fn a_generic_variable_has_its_signature() {
        assert_eq!(variable_type(&class(), "m", "v").as_deref(), Some("Ljava/util/List<LA;>;"));
        assert_eq!(variable_type(&class(), "m", "w"), None);
        assert_eq!(variable_type(&class(), "n", "v"), None);
    }

    #[test]
    fn a_class_that_is_cut_off_is_damaged() {
        let whole = class();
        for length in 0..whole.len() {
            assert_eq!(opened(&whole[..length]), None, "{length} bytes");
        }
    }
}
