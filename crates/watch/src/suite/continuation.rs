//! Turns the assertions of a test into methods: a generated method continues the test's code after a call,
//! with other values.
//!
//! The method takes every local and operand-stack slot of the test's frame as a parameter, and the result of
//! the call. It restores them and continues in a copy of the test's code, to its end or to a given
//! instruction. The generated class shares the constant pool of the test class, so the copied code needs no
//! change. It is trusted like the condition classes and is not verified.

use cupping_classfile::Opcode::{self, *};
use cupping_classfile::{ClassFile, Code, Constant, MethodDescriptor, instructions};
use std::collections::BTreeMap;

/// Limit on parameter slots (JVMS §4.3.3).
const MOST_SLOTS: usize = 255;
const LAST_SHORT_JUMP: usize = 32_000;

/// A generated class, based on the constant pool of a test class.
pub(crate) struct ContinuationClass {
    of: String,
    this: u16,
    object: u16,
    code: u16,
    constants: Vec<u8>,
    count: u16,
    /// Parts of the original: exception classes by name, and the bootstrap methods of lambdas.
    classes: BTreeMap<String, u16>,
    bootstrap: Option<Vec<u8>>,
    version: [u8; 4],
    methods: Vec<Vec<u8>>,
    full: bool,
}

/// The byte range of each UTF-8 constant.
type Texts = Vec<Option<(usize, usize)>>;

/// Locates the end of the constant pool (JVMS §4.1).
fn constants_end(bytes: &[u8]) -> Option<(u16, usize, Texts)> {
    let u2 = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let count = u2(8)?;
    let mut at = 10;
    let mut texts = vec![None; usize::from(count)];
    let mut index = 1;
    while index < count {
        let (length, slots) = match bytes.get(at)? {
            1 => {
                let length = usize::from(u2(at + 1)?);
                texts[usize::from(index)] = Some((at + 3, at + 3 + length));
                (3 + length, 1)
            }
            5 | 6 => (9, 2),
            7 | 8 | 16 | 19 | 20 => (3, 1),
            15 => (4, 1),
            _ => (5, 1),
        };
        at += length;
        index += slots;
    }
    Some((count, at, texts))
}

/// The `BootstrapMethods` attribute, which lambdas and concatenations need, without its name.
fn bootstrap(bytes: &[u8], mut at: usize, texts: &[Option<(usize, usize)>]) -> Option<(u16, Vec<u8>)> {
    let u2 = |at: usize| Some(usize::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let u4 = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    at += 6;
    at += 2 + 2 * u2(at)?;
    for _ in 0..2 {
        let members = u2(at)?;
        at += 2;
        for _ in 0..members {
            let attributes = u2(at + 6)?;
            at += 8;
            for _ in 0..attributes {
                at += 6 + u4(at + 2)?;
            }
        }
    }
    let attributes = u2(at)?;
    at += 2;
    for _ in 0..attributes {
        let (name, length) = (u2(at)?, u4(at + 2)?);
        let (start, end) = (*texts.get(name)?)?;
        if bytes.get(start..end)? == b"BootstrapMethods" {
            return Some((name as u16, bytes.get(at + 2..at + 6 + length)?.to_vec()));
        }
        at += 6 + length;
    }
    None
}

/// A method to generate.
pub(crate) struct Region<'r> {
    /// The class of the test.
    pub file: &'r ClassFile,
    /// The code of the test.
    pub code: &'r Code,
    /// The return type in the test method's descriptor.
    pub returns: &'r str,
    /// Number of locals, and of operand-stack slots.
    pub slots: (usize, usize),
    /// The descriptor of the call's result (`None` for void), and whether it is pushed on the stack.
    pub result: Option<(&'r str, bool)>,
    /// Where to continue.
    pub from: u32,
    /// The instruction before which to stop.
    pub until: Option<u32>,
    /// Calls that are left out.
    pub without: &'r [u32],
}

impl ContinuationClass {
    /// A class with this name and the constants of another; `None` if the constant pool has no room.
    pub(crate) fn new(name: &str, of: &str, file: &ClassFile) -> Option<ContinuationClass> {
        let bytes = file.bytes();
        let (count, end, texts) = constants_end(bytes)?;
        let mut made = ContinuationClass {
            of: of.to_owned(),
            this: 0,
            object: 0,
            code: 0,
            constants: bytes.get(10..end)?.to_vec(),
            count,
            classes: BTreeMap::new(),
            bootstrap: None,
            version: bytes.get(4..8)?.try_into().ok()?,
            methods: Vec::new(),
            full: false,
        };
        made.bootstrap = bootstrap(bytes, end, &texts).map(|(name, rest)| {
            let mut whole = name.to_be_bytes().to_vec();
            whole.extend(rest);
            whole
        });
        made.this = made.class(name);
        made.object = made.class("java/lang/Object");
        made.code = made.text("Code");
        Some(made).filter(|it| !it.full)
    }

    /// Whether it belongs to this test class.
    pub(crate) fn is_for(&self, class: &str) -> bool {
        self.of == class
    }

    fn add(&mut self, bytes: &[u8]) -> u16 {
        let index = self.count;
        match self.count.checked_add(1) {
            Some(count) => self.count = count,
            None => self.full = true,
        }
        self.constants.extend_from_slice(bytes);
        index
    }

    fn text(&mut self, text: &str) -> u16 {
        // Only names of classes and methods: modified UTF-8 equals UTF-8 for them, except for U+0000.
        let length = u16::try_from(text.len()).unwrap_or_else(|_| {
            self.full = true;
            0
        });
        let mut bytes = vec![1];
        bytes.extend(length.to_be_bytes());
        bytes.extend(&text.as_bytes()[..usize::from(length)]);
        self.add(&bytes)
    }

    fn class(&mut self, name: &str) -> u16 {
        if let Some(known) = self.classes.get(name) {
            return *known;
        }
        let text = self.text(name).to_be_bytes();
        let class = self.add(&[7, text[0], text[1]]);
        self.classes.insert(name.to_owned(), class);
        class
    }

    fn method(
        &mut self,
        name: &str,
        descriptor: &str,
        stack: u16,
        locals: u16,
        code: &[u8],
        handlers: &[(u16, u16, u16, u16)],
    ) {
        const PUBLIC_STATIC: u16 = 0x0009;
        let (name, descriptor) = (self.text(name), self.text(descriptor));
        let mut body = Vec::new();
        body.extend(stack.to_be_bytes());
        body.extend(locals.to_be_bytes());
        body.extend((code.len() as u32).to_be_bytes());
        body.extend_from_slice(code);
        body.extend((handlers.len() as u16).to_be_bytes());
        for (start, end, handler, class) in handlers {
            [start, end, handler, class].into_iter().for_each(|it| body.extend(it.to_be_bytes()));
        }
        body.extend(0_u16.to_be_bytes());
        let mut method = Vec::new();
        for part in [PUBLIC_STATIC, name, descriptor, 1, self.code] {
            method.extend(part.to_be_bytes());
        }
        method.extend((body.len() as u32).to_be_bytes());
        method.extend(body);
        self.methods.push(method);
    }

    /// Adds a method that tests whether an object is an instance of a class.
    pub(crate) fn instance_of(&mut self, name: &str, class: &str) {
        let class = self.class(class).to_be_bytes();
        self.method(
            name,
            "(Ljava/lang/Object;)Z",
            1,
            1,
            &[Aload0 as u8, Instanceof as u8, class[0], class[1], Ireturn as u8],
            &[],
        );
    }

    /// Adds a method that continues the code of a test; returns whether that is possible.
    pub(crate) fn region(&mut self, name: &str, region: &Region<'_>) -> bool {
        self.try_region(name, region).is_some() && !self.full
    }

    fn try_region(&mut self, name: &str, region: &Region<'_>) -> Option<()> {
        let (locals, stack) = region.slots;
        let mut descriptor = "(".to_owned() + &"Ljava/lang/Object;".repeat(locals + stack);
        let mut parameters = locals + stack;
        // Push the operands again.
        let mut code = Vec::new();
        let mut load = |opcode: Opcode, slot: usize| match u8::try_from(slot) {
            Ok(slot) => code.extend([opcode as u8, slot]),
            Err(_) => code.extend([Wide as u8, opcode as u8, (slot >> 8) as u8, slot as u8]),
        };
        (locals..locals + stack).for_each(|slot| load(Aload, slot));
        if let Some((result, is_put)) = region.result {
            let (opcode, slots) = match result.as_bytes().first()? {
                b'J' => (Lload, 2),
                b'D' => (Dload, 2),
                b'F' => (Fload, 1),
                b'L' | b'[' => (Aload, 1),
                _ => (Iload, 1),
            };
            if is_put {
                load(opcode, parameters);
            }
            descriptor += result;
            parameters += slots;
        }
        if parameters > MOST_SLOTS {
            return None;
        }
        descriptor = format!("{descriptor}){}", region.returns);
        // Switches are padded relative to their address, so the copy must move by a multiple of four.
        while (code.len() + 3) % 4 != 0 {
            code.push(0);
        }
        let begin = code.len() + 3;
        let original = &region.code.bytecode;
        if original.len() + begin > LAST_SHORT_JUMP {
            return None;
        }
        code.push(Goto as u8);
        code.extend((region.from as i16 + 3).to_be_bytes());
        code.extend_from_slice(original);
        for pc in region.without {
            let nothing = dropped_arguments(region.file, region.code, *pc)?;
            let at = begin + *pc as usize;
            code.get_mut(at..at + nothing.len())?.copy_from_slice(&nothing);
        }
        if let Some(until) = region.until.filter(|it| (*it as usize) < original.len()) {
            let at = begin + until as usize;
            let end: &[u8] = match region.returns.as_bytes().first()? {
                b'V' => &[Return as u8],
                b'J' => &[Lconst0 as u8, Lreturn as u8],
                b'F' => &[Fconst0 as u8, Freturn as u8],
                b'D' => &[Dconst0 as u8, Dreturn as u8],
                b'L' | b'[' => &[AconstNull as u8, Areturn as u8],
                _ => &[Iconst0 as u8, Ireturn as u8],
            };
            let after = instructions(original).flatten().map(|it| it.pc).find(|it| *it > until);
            let length = after.map_or(original.len(), |it| it as usize) - until as usize;
            if end.len() <= length {
                // The next instruction may be the target of a jump, so it stays where it is.
                let place = code.get_mut(at..at + length)?;
                place.fill(Nop as u8);
                place[..end.len()].copy_from_slice(end);
            } else if until as usize + 3 <= original.len() {
                let to = i16::try_from(code.len() - at).ok()?.to_be_bytes();
                code.get_mut(at..at + 3)?.copy_from_slice(&[Goto as u8, to[0], to[1]]);
                code.extend_from_slice(end);
            }
        }
        let mut handlers = Vec::new();
        for handler in &region.code.exception_table {
            let moved = |pc: u16| pc + begin as u16;
            let class = handler.catch_type.as_ref().map_or(0, |it| self.class(it));
            handlers.push((moved(handler.start), moved(handler.end), moved(handler.handler), class));
        }
        let most_stack = region.code.max_stack.checked_add(4)?;
        let most_locals = (parameters as u16).max(region.code.max_locals);
        self.method(name, &descriptor, most_stack, most_locals, &code, &handlers);
        Some(())
    }

    /// The class file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe];
        bytes.extend(self.version);
        bytes.extend(self.count.to_be_bytes());
        bytes.extend(&self.constants);
        // `public final`, without interfaces and fields.
        for part in [0x0031, self.this, self.object, 0, 0, self.methods.len() as u16] {
            bytes.extend(part.to_be_bytes());
        }
        self.methods.iter().for_each(|it| bytes.extend(it));
        bytes.extend(u16::from(self.bootstrap.is_some()).to_be_bytes());
        bytes.extend(self.bootstrap.iter().flatten());
        bytes
    }
}

/// Instructions in place of a call that only drop its arguments; a result of one slot is an argument instead, as
/// nobody reads it. `None` if they would not fit.
fn dropped_arguments(file: &ClassFile, code: &Code, pc: u32) -> Option<Vec<u8>> {
    let instruction = instructions(&code.bytecode).flatten().find(|it| it.pc == pc)?;
    let length = super::code::length_of(code, pc) as usize;
    let Some(Constant::Method { descriptor, .. }) = instruction.constant(file) else { return None };
    let receiver = usize::from(instruction.opcode != Invokestatic);
    let arguments = usize::from(MethodDescriptor::parse(&descriptor)?.parameter_slots()) + receiver;
    let result = match descriptor.rsplit(')').next()? {
        "V" => 0,
        "J" | "D" => return None,
        _ => 1,
    };
    let drop = arguments.checked_sub(result)?;
    let mut bytes = vec![Pop2 as u8; drop / 2];
    bytes.extend(vec![Pop as u8; drop % 2]);
    if bytes.len() > length {
        return None;
    }
    bytes.resize(length, Nop as u8);
    Some(bytes)
}
