//! Assertions of a test as methods: the code of the test from behind a call on, over values that are given.
//!
//! The method that is made takes the locals and the operand stack of the test's frame, each slot as a parameter, and what
//! the call returned. It puts them where the test had them and goes on in a copy of the test's code, to the end of that, or
//! to the place before which it is to stop. The class that is made has the test class's constants, so that the
//! copied code needs no change. It is trusted as the classes of conditions are and never verified.

use cupping_classfile::{ClassFile, Code};
use std::collections::BTreeMap;

/// Parameters that a method can have, in slots.
const MOST_SLOTS: usize = 255;
const LAST_SHORT_JUMP: usize = 32_000;

/// A class in the making, from the constants of a class of tests.
pub(crate) struct Made {
    of: String,
    this: u16,
    object: u16,
    code: u16,
    constants: Vec<u8>,
    count: u16,
    /// What of the original is kept: names of handlers' classes by text, and methods of lambdas.
    classes: BTreeMap<String, u16>,
    bootstrap: Option<Vec<u8>>,
    version: [u8; 4],
    methods: Vec<Vec<u8>>,
    full: bool,
}

/// Where each constant that is a text begins and ends.
type Texts = Vec<Option<(usize, usize)>>;

/// Where the parts of a class file are (JVMS §4.1).
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

/// The attribute that lambdas and concatenations are made by, without its name.
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

/// What a made method is to do.
pub(crate) struct Region<'r> {
    /// The test's code.
    pub code: &'r Code,
    /// What the test's method returns, as its descriptor ends.
    pub returns: &'r str,
    /// Locals, and slots of the operand stack.
    pub slots: (usize, usize),
    /// The descriptor of what the call returned: `None` for nothing. Whether it is put on the stack.
    pub result: Option<(&'r str, bool)>,
    /// Where it goes on.
    pub from: u32,
    /// Before which instruction it stops.
    pub until: Option<u32>,
}

impl Made {
    /// A class of this name with the constants of another; `None` if they leave no room.
    pub(crate) fn new(name: &str, of: &str, file: &ClassFile) -> Option<Made> {
        let bytes = file.bytes();
        let (count, end, texts) = constants_end(bytes)?;
        let mut made = Made {
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

    /// Whether it is for the tests of this class.
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
        // Names of classes and methods: none has characters that the format writes otherwise, but 0.
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

    /// Adds a method that tells whether an object is of a class.
    pub(crate) fn instance_of(&mut self, name: &str, class: &str) {
        let class = self.class(class).to_be_bytes();
        self.method(name, "(Ljava/lang/Object;)Z", 1, 1, &[0x2a, 0xc1, class[0], class[1], 0xac], &[]);
    }

    /// Adds a method that goes on in the code of a test; whether that can be done.
    pub(crate) fn region(&mut self, name: &str, region: &Region<'_>) -> bool {
        self.try_region(name, region).is_some() && !self.full
    }

    fn try_region(&mut self, name: &str, region: &Region<'_>) -> Option<()> {
        let (locals, stack) = region.slots;
        let mut descriptor = "(".to_owned() + &"Ljava/lang/Object;".repeat(locals + stack);
        let mut parameters = locals + stack;
        // What was on the operand stack goes there again.
        let mut code = Vec::new();
        let mut load = |opcode: u8, slot: usize| match u8::try_from(slot) {
            Ok(slot) => code.extend([opcode, slot]),
            Err(_) => code.extend([0xc4, opcode, (slot >> 8) as u8, slot as u8]),
        };
        (locals..locals + stack).for_each(|slot| load(0x19, slot));
        if let Some((result, is_put)) = region.result {
            let (opcode, slots) = match result.as_bytes().first()? {
                b'J' => (0x16, 2),
                b'D' => (0x18, 2),
                b'F' => (0x17, 1),
                b'L' | b'[' => (0x19, 1),
                _ => (0x15, 1),
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
        // Switches are padded by their place: the copy is moved by a multiple of four.
        while (code.len() + 3) % 4 != 0 {
            code.push(0);
        }
        let begin = code.len() + 3;
        let original = &region.code.bytecode;
        if original.len() + begin > LAST_SHORT_JUMP {
            return None;
        }
        code.push(0xa7);
        code.extend((region.from as i16 + 3).to_be_bytes());
        code.extend_from_slice(original);
        // At the very end of the code there is no room for a jump, and no need of one.
        if let Some(until) = region.until.filter(|it| *it as usize + 3 <= original.len()) {
            let at = begin + until as usize;
            let to = i16::try_from(code.len() - at).ok()?.to_be_bytes();
            code.get_mut(at..at + 3)?.copy_from_slice(&[0xa7, to[0], to[1]]);
            code.extend_from_slice(match region.returns.as_bytes().first()? {
                b'V' => &[0xb1],
                b'J' => &[0x09, 0xad],
                b'F' => &[0x0b, 0xae],
                b'D' => &[0x0e, 0xaf],
                b'L' | b'[' => &[0x01, 0xb0],
                _ => &[0x03, 0xac],
            });
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
        // Public and final, of no interfaces and without fields.
        for part in [0x0031, self.this, self.object, 0, 0, self.methods.len() as u16] {
            bytes.extend(part.to_be_bytes());
        }
        self.methods.iter().for_each(|it| bytes.extend(it));
        bytes.extend(u16::from(self.bootstrap.is_some()).to_be_bytes());
        bytes.extend(self.bootstrap.iter().flatten());
        bytes
    }
}
