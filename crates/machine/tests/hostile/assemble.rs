//! Class files from a text, as no compiler writes them: `fixtures/hostile/*.txt`.
//!
//! ```text
//! expect java.lang.VerifyError     what initialising it throws on the JDK and here, or `ok`
//! version 49
//! access 33                        flags of the class; `super NAME` and `interface NAME` likewise
//! const C Class java/lang/Object   a constant by kind and text, for operands
//! const M Method java/lang/Object hashCode ()I
//! const H MethodHandle 6 M         a handle of this kind; `Dynamic NUMBER NAME DESCRIPTOR`, `InvokeDynamic` likewise
//! bootstrap H C                    a bootstrap method and its arguments
//! field 8 x I
//! method 8 m (I)I                  flags, name, descriptor; then its limits and code
//! stack 2
//! locals 2
//! catch FROM TO HANDLER any        between labels; a class constant or `any`
//! start: iload_0                   a label and an instruction; operands are numbers, labels or constants
//! bytes ff 00                      bytes as they are
//! ```

use cupping_classfile::{Opcode, OperandKind};
use std::collections::HashMap;

#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    count: u16,
    texts: HashMap<String, u16>,
}

impl Pool {
    fn add(&mut self, tag: u8, parts: &[u16]) -> u16 {
        self.count += 1;
        self.bytes.push(tag);
        for part in parts {
            self.bytes.extend(part.to_be_bytes());
        }
        self.count
    }

    fn text(&mut self, text: &str) -> u16 {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let index = self.add(1, &[text.len() as u16]);
        self.bytes.extend(text.bytes());
        self.texts.insert(text.into(), index);
        index
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.text(name);
        self.add(7, &[name])
    }

    fn constant(&mut self, words: &[&str], known: &HashMap<String, u16>) -> u16 {
        match words[0] {
            "MethodType" => {
                let text = self.text(words[1]);
                self.add(16, &[text])
            }
            "Module" => {
                let text = self.text(words[1]);
                self.add(19, &[text])
            }
            "MethodHandle" => {
                let index = self.add(15, &[]);
                self.bytes.push(words[1].parse().unwrap());
                self.bytes.extend(known[words[2]].to_be_bytes());
                index
            }
            kind @ ("Dynamic" | "InvokeDynamic") => {
                let (name, descriptor) = (self.text(words[2]), self.text(words[3]));
                let member = self.add(12, &[name, descriptor]);
                let tag = if kind == "Dynamic" { 17 } else { 18 };
                self.add(tag, &[words[1].parse().unwrap(), member])
            }
            "Class" => self.class(words[1]),
            "String" => {
                let text = self.text(words[1]);
                self.add(8, &[text])
            }
            "Integer" => {
                let value: i32 = words[1].parse().unwrap();
                self.add(3, &[(value >> 16) as u16, value as u16])
            }
            kind => {
                let class = self.class(words[1]);
                let (name, descriptor) = (self.text(words[2]), self.text(words[3]));
                let member = self.add(12, &[name, descriptor]);
                let tag = match kind {
                    "Field" => 9,
                    "Method" => 10,
                    "InterfaceMethod" => 11,
                    _ => panic!("no kind of constant {kind}"),
                };
                self.add(tag, &[class, member])
            }
        }
    }
}

#[derive(Default)]
struct Method {
    head: Vec<u16>,
    stack: u16,
    locals: u16,
    code: Vec<u8>,
    labels: HashMap<String, u16>,
    /// Where a label's distance from an instruction goes: offset, instruction, label.
    jumps: Vec<(usize, usize, String)>,
    handlers: Vec<[String; 3]>,
    caught: Vec<u16>,
}

impl Method {
    fn bytes(mut self, code_name: u16) -> Vec<u8> {
        for (at, from, label) in &self.jumps {
            let distance = self.labels[label] as i32 - *from as i32;
            self.code[*at..at + 2].copy_from_slice(&(distance as i16).to_be_bytes());
        }
        let mut body = [self.stack, self.locals, 0, self.code.len() as u16].map(u16::to_be_bytes).concat();
        body.extend(&self.code);
        body.extend((self.handlers.len() as u16).to_be_bytes());
        for (labels, caught) in self.handlers.iter().zip(&self.caught) {
            for label in labels {
                body.extend(self.labels[label].to_be_bytes());
            }
            body.extend(caught.to_be_bytes());
        }
        body.extend([0, 0]);
        let mut bytes: Vec<u8> = self.head.iter().flat_map(|part| part.to_be_bytes()).collect();
        if self.code.is_empty() {
            bytes.extend([0, 0]);
            return bytes;
        }
        bytes.extend([0, 1]);
        bytes.extend(code_name.to_be_bytes());
        bytes.extend((body.len() as u32).to_be_bytes());
        bytes.extend(body);
        bytes
    }
}

/// The class of a text, and what is expected of it.
pub fn assemble(name: &str, text: &str) -> (String, Vec<u8>) {
    let mut pool = Pool::default();
    let (mut expected, mut version, mut access, mut super_name) =
        (String::new(), 49u16, 33u16, "java/lang/Object");
    let (mut interfaces, mut fields, mut methods) = (Vec::new(), Vec::new(), Vec::<Method>::new());
    let mut bootstraps: Vec<Vec<String>> = Vec::new();
    let mut constants: HashMap<String, u16> = HashMap::new();
    let this = pool.class(name);
    for line in text.lines().map(|line| line.split('#').next().unwrap_or("").trim()) {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.first().is_some_and(|word| word.ends_with(':')) {
            let method = methods.last_mut().unwrap();
            method.labels.insert(words.remove(0).trim_end_matches(':').into(), method.code.len() as u16);
        }
        let number = |at: usize| words[at].parse::<u16>().unwrap();
        match words.first().copied() {
            None => {}
            Some("expect") => expected = words[1].into(),
            Some("version") => version = number(1),
            Some("access") => access = number(1),
            Some("super") => super_name = words[1],
            Some("bootstrap") => bootstraps.push(words[1..].iter().map(|word| (*word).into()).collect()),
            Some("interface") => interfaces.push(pool.class(words[1])),
            Some("const") => {
                let index = pool.constant(&words[2..], &constants);
                constants.insert(words[1].into(), index);
            }
            Some("field") => fields.push([number(1), pool.text(words[2]), pool.text(words[3]), 0]),
            Some("method") => methods.push(Method {
                head: vec![number(1), pool.text(words[2]), pool.text(words[3])],
                ..Method::default()
            }),
            Some("stack") => methods.last_mut().unwrap().stack = number(1),
            Some("locals") => methods.last_mut().unwrap().locals = number(1),
            Some("catch") => {
                let method = methods.last_mut().unwrap();
                method.handlers.push([words[1], words[2], words[3]].map(str::to_owned));
                method.caught.push(constants.get(words[4]).copied().unwrap_or(0));
            }
            Some("bytes") => {
                let bytes = words[1..].iter().map(|byte| u8::from_str_radix(byte, 16).unwrap());
                methods.last_mut().unwrap().code.extend(bytes);
            }
            Some(mnemonic) => instruction(methods.last_mut().unwrap(), mnemonic, &words[1..], &constants),
        }
    }
    let super_class = if super_name == "-" { 0 } else { pool.class(super_name) };
    let code_name = pool.text("Code");
    let mut tail = [access, this, super_class, interfaces.len() as u16].map(u16::to_be_bytes).concat();
    tail.extend(interfaces.iter().flat_map(|index| index.to_be_bytes()));
    tail.extend((fields.len() as u16).to_be_bytes());
    tail.extend(fields.iter().flatten().flat_map(|part| part.to_be_bytes()));
    tail.extend((methods.len() as u16).to_be_bytes());
    tail.extend(methods.into_iter().flat_map(|method| method.bytes(code_name)));
    if bootstraps.is_empty() {
        tail.extend([0, 0]);
    } else {
        let parts = bootstraps.iter().flat_map(|words| {
            let index = |word: &String| constants[word];
            [index(&words[0]), words.len() as u16 - 1].into_iter().chain(words[1..].iter().map(index))
        });
        let parts: Vec<u16> = [bootstraps.len() as u16].into_iter().chain(parts).collect();
        tail.extend([0, 1]);
        tail.extend(pool.text("BootstrapMethods").to_be_bytes());
        tail.extend((2 * parts.len() as u32).to_be_bytes());
        tail.extend(parts.iter().flat_map(|part| part.to_be_bytes()));
    }
    let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0];
    bytes.extend(version.to_be_bytes());
    bytes.extend((pool.count + 1).to_be_bytes());
    bytes.extend(pool.bytes);
    bytes.extend(tail);
    assert!(!expected.is_empty(), "{name}: no line says what is expected");
    (expected, bytes)
}

fn instruction(method: &mut Method, mnemonic: &str, operands: &[&str], constants: &HashMap<String, u16>) {
    let opcode =
        Opcode::ALL.iter().find(|o| o.mnemonic() == mnemonic).unwrap_or_else(|| panic!("no {mnemonic}"));
    let from = method.code.len();
    method.code.push(*opcode as u8);
    let value = |at: usize| {
        constants.get(operands[at]).map_or_else(|| operands[at].parse::<i32>().unwrap(), |c| *c as i32)
    };
    match opcode.operand_kind() {
        OperandKind::None => {}
        OperandKind::Branch => {
            method.jumps.push((from + 1, from, operands[0].into()));
            method.code.extend([0, 0]);
        }
        OperandKind::Byte | OperandKind::Local | OperandKind::ArrayType | OperandKind::ConstantByte => {
            method.code.push(value(0) as u8);
        }
        OperandKind::LocalIncrement => method.code.extend([value(0) as u8, value(1) as u8]),
        OperandKind::Short | OperandKind::Constant => method.code.extend((value(0) as u16).to_be_bytes()),
        OperandKind::InvokeInterface => {
            method.code.extend((value(0) as u16).to_be_bytes());
            method.code.extend([value(1) as u8, 0]);
        }
        OperandKind::InvokeDynamic => {
            method.code.extend((value(0) as u16).to_be_bytes());
            method.code.extend([0, 0]);
        }
        OperandKind::MultiArray => {
            method.code.extend((value(0) as u16).to_be_bytes());
            method.code.push(value(1) as u8);
        }
        kind => panic!("{mnemonic} with {kind:?}: write it as bytes"),
    }
}
