//! Writes mutants as class files: `write_mutants CLASS-PATH MUTANTS.JSON SUITE SAMPLE OUT`. Of the mutants that the
//! report of `cupping mutants` has, those are written that the suite of this number (from 0) kills, SAMPLE of them,
//! evenly distributed: each into a folder `OUT/NUMBER`, as a version of the program. Prints a line for each: number,
//! class, method, line, operator and change, separated by tabs. The files have no stack maps, so they get the version
//! of Java 5, whose verifier does without.

use cupping_classfile::{ClassFile, ClassPath, Code, Jdk, Program};
use cupping_mutate::{Mutant, mutants};
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// The major version of class files of Java 5.
const JAVA_5: u8 = 49;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [class_path, report, suite, sample, out] = args.as_slice() else {
        return Err("write_mutants CLASS-PATH MUTANTS.JSON SUITE SAMPLE OUT".into());
    };
    let (suite, sample): (usize, usize) = (suite.parse()?, sample.parse()?);
    let jdk = Jdk::locate(None)?;
    let opened = ClassPath::open(class_path, jdk.feature_version())?;
    let program = Program::new(jdk, opened);
    let report: Value = serde_json::from_str(&fs::read_to_string(report)?)?;
    let rows = report["results"]["mutants"].as_array().ok_or("the report has no mutants")?;
    // Each row with its class and mutant. A row that describes several mutants is left out.
    let mut found = Vec::new();
    for row in rows.iter().filter(|row| row["ends"][suite] == "killed") {
        let name = row["class"].as_str().unwrap_or_default().replace('.', "/");
        let file = program.require(&name)?;
        let mut fitting = mutants(&file)?.into_iter().filter(|it| is_described(&file, it, row));
        if let (Some(mutant), None) = (fitting.next(), fitting.next()) {
            found.push((file.clone(), mutant, row));
        }
    }
    let count = sample.min(found.len());
    let chosen = (0..count).map(|at| &found[at * found.len() / count]);
    for (number, (file, mutant, row)) in chosen.enumerate() {
        let Some(code) = mutant.code(file)? else { continue };
        let bytes = program.resource(&format!("{}.class", file.name))?.ok_or("the class has no file")?;
        let with = with_body(&bytes, mutant.method, &code).ok_or("the class file cannot be rewritten")?;
        let target = Path::new(out).join(number.to_string()).join(format!("{}.class", file.name));
        fs::create_dir_all(target.parent().ok_or("a class without a folder")?)?;
        fs::write(target, with)?;
        let line = mutant.line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        let method = row["method"].as_str().unwrap_or_default();
        let (class, operator, what) = (&file.name, mutant.operator, mutant.description());
        println!("{number}\t{class}\t{method}\t{line}\t{operator}\t{what}");
    }
    Ok(())
}

fn is_described(file: &ClassFile, mutant: &Mutant, row: &Value) -> bool {
    let method = &file.methods[mutant.method];
    row["method"] == format!("{}{}", method.name, method.descriptor)
        && row["line"].as_u64() == mutant.line.map(u64::from)
        && row["operator"] == mutant.operator
        && row["what"] == mutant.description()
}

/// A class file in which a method has another body; `None` if it is damaged or would be too large.
fn with_body(bytes: &[u8], method: usize, code: &Code) -> Option<Vec<u8>> {
    let mut file = Bytes { bytes, at: 8 };
    let names = file.pool()?;
    file.at += 6;
    file.at += 2 * usize::from(file.u16()?);
    for _ in 0..file.u16()? {
        file.member(|_, _| ())?;
    }
    let mut place = None;
    for index in 0..file.u16()? {
        file.member(|name, range| {
            if usize::from(index) == method && names.get(&name).is_some_and(|it| it == b"Code") {
                place = Some(range);
            }
        })?;
    }
    let (start, end) = place?;
    let old = &bytes[start..end];
    let length = usize::try_from(u32::from_be_bytes(old.get(4..8)?.try_into().ok()?)).ok()?;
    let rows = 8 + length;
    let count = usize::from(u16::from_be_bytes(old.get(rows..rows + 2)?.try_into().ok()?));
    let caught = |row: usize| old.get(rows + 2 + 8 * row + 6..rows + 2 + 8 * row + 8);
    let mut body = Vec::new();
    body.extend(code.max_stack.to_be_bytes());
    body.extend(code.max_locals.to_be_bytes());
    body.extend(u32::try_from(code.bytecode.len()).ok()?.to_be_bytes());
    body.extend(&code.bytecode[..]);
    body.extend(u16::try_from(code.exception_table.len()).ok()?.to_be_bytes());
    let is_whole = count == code.exception_table.len();
    for (row, handler) in code.exception_table.iter().enumerate() {
        for part in [handler.start, handler.end, handler.handler] {
            body.extend(part.to_be_bytes());
        }
        let catches = |at: &usize| {
            let index = caught(*at).map(|it| u16::from_be_bytes([it[0], it[1]]));
            let name = index.and_then(|it| names.get(&it));
            name.map(Vec::as_slice) == handler.catch_type.as_deref().map(str::as_bytes)
        };
        let at = if is_whole { row } else { (0..count).find(catches)? };
        body.extend(caught(at)?);
    }
    body.extend(1_u16.to_be_bytes());
    let lines = names.iter().find(|(_, text)| *text == b"LineNumberTable").map(|(index, _)| *index)?;
    body.extend(lines.to_be_bytes());
    body.extend(u32::try_from(2 + 4 * code.line_numbers.entries().len()).ok()?.to_be_bytes());
    body.extend(u16::try_from(code.line_numbers.entries().len()).ok()?.to_be_bytes());
    for entry in code.line_numbers.entries() {
        body.extend(entry.pc.to_be_bytes());
        body.extend(entry.line.to_be_bytes());
    }
    let mut written = bytes[..start - 4].to_vec();
    written[4..8].copy_from_slice(&[0, 0, 0, JAVA_5]);
    written.extend(u32::try_from(body.len()).ok()?.to_be_bytes());
    written.extend(body);
    written.extend(&bytes[end..]);
    Some(written)
}

/// A class file as it is read.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn u16(&mut self) -> Option<u16> {
        let part = self.bytes.get(self.at..self.at + 2)?;
        self.at += 2;
        Some(u16::from_be_bytes([part[0], part[1]]))
    }

    /// The texts of the constant pool by index; of classes, their names.
    fn pool(&mut self) -> Option<BTreeMap<u16, Vec<u8>>> {
        let count = self.u16()?;
        let (mut texts, mut classes) = (BTreeMap::new(), Vec::new());
        let mut index = 1;
        while index < count {
            let tag = *self.bytes.get(self.at)?;
            self.at += 1;
            match tag {
                1 => {
                    let length = usize::from(self.u16()?);
                    texts.insert(index, self.bytes.get(self.at..self.at + length)?.to_vec());
                    self.at += length;
                }
                7 => classes.push((index, self.u16()?)),
                8 | 16 | 19 | 20 => self.at += 2,
                15 => self.at += 3,
                5 | 6 => {
                    self.at += 8;
                    index += 1;
                }
                _ => self.at += 4,
            }
            index += 1;
        }
        for (index, name) in classes {
            let text = texts.get(&name)?.clone();
            texts.insert(index, text);
        }
        Some(texts)
    }

    /// Passes over a field or method; tells the name of each attribute and where its content is.
    fn member(&mut self, mut attribute: impl FnMut(u16, (usize, usize))) -> Option<()> {
        self.at += 6;
        for _ in 0..self.u16()? {
            let name = self.u16()?;
            let length = u32::from_be_bytes(self.bytes.get(self.at..self.at + 4)?.try_into().ok()?);
            let end = self.at + 4 + usize::try_from(length).ok()?;
            attribute(name, (self.at + 4, end));
            self.at = end;
        }
        Some(())
    }
}
