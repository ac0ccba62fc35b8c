//! The constants that a body compares with.

use cupping_classfile::facts::BodyFact;
use cupping_classfile::{Action, ArrayElement, ClassFile, Code, Constant, Literal, Method, instructions};

/// Limit on each size.
const MAX_SIZE: i32 = 16;
/// Limit on the length of a text.
const MAX_LENGTH: usize = 24;
/// Maximal distance in instructions between a constant and the call that compares it.
const NEAR: usize = 4;
/// Names of the methods that compare a text with another.
const COMPARISONS: [&str; 16] = [
    "equals",
    "equalsIgnoreCase",
    "compareTo",
    "compareToIgnoreCase",
    "contentEquals",
    "startsWith",
    "endsWith",
    "contains",
    "indexOf",
    "lastIndexOf",
    "regionMatches",
    "get",
    "getOrDefault",
    "containsKey",
    "put",
    "add",
];

/// Names of the methods that return the element at an index.
const PLACES: [&str; 4] = ["get", "elementAt", "set", "remove"];
/// Names of the methods that return a number of elements.
const COUNTS: [&str; 2] = ["size", "length"];

/// Whether methods of this name compare a text with another, or look one up.
pub fn compares_texts(name: &str) -> bool {
    COMPARISONS.contains(&name)
}

/// The constants that a body compares with.
#[derive(Debug, Default)]
pub struct ComparedConstants {
    /// Texts, in code order.
    pub texts: Vec<Vec<u16>>,
    /// Classes whose objects it names, by internal name.
    pub classes: Vec<String>,
    /// The numbers of elements that it distinguishes, beyond those that are always tried.
    pub sizes: Vec<u32>,
}

impl BodyFact for ComparedConstants {
    const NAME: &'static str = "compared constants";

    fn of(file: &ClassFile, method: &Method, code: &Code) -> ComparedConstants {
        let fills_tables = &*method.name == "<clinit>";
        let mut found = ComparedConstants { sizes: sizes(&code.bytecode, file), ..Default::default() };
        let mut open: Vec<(usize, Vec<u16>)> = Vec::new();
        for (at, instruction) in instructions(&code.bytecode).map_while(Result::ok).enumerate() {
            match (instruction.action(), instruction.constant(file)) {
                (Action::LoadConstant, Some(Constant::String(text)))
                    if (1..=MAX_LENGTH).contains(&text.len()) =>
                {
                    open.push((at, text));
                }
                (Action::LoadConstant, Some(Constant::Class(name))) => {
                    found.classes.push(name.into_owned());
                }
                (Action::Invoke(_), Some(Constant::Method { name, .. })) => {
                    let compares = fills_tables || compares_texts(&name);
                    let near = open.drain(..).filter(|(since, _)| compares && at - since <= NEAR);
                    for (_, text) in near {
                        if !found.texts.contains(&text) {
                            found.texts.push(text);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// The numbers of elements that a method's code distinguishes: those at which a comparison with a constant
/// changes its result, and those that an access at a constant index needs. Sizes up to two are always tried.
fn sizes(bytecode: &[u8], file: &ClassFile) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut counts = false;
    // The constant that was pushed last, and how many instructions ago.
    let mut literal: Option<(i32, usize)> = None;
    for instruction in instructions(bytecode).map_while(Result::ok) {
        let name = match instruction.constant(file) {
            Some(Constant::Method { name, .. }) => Some(name),
            _ => None,
        };
        let is_named = |names: &[&str]| name.as_deref().is_some_and(|it| names.contains(&it));
        let near = literal.filter(|(_, since)| *since < 2).map(|(number, _)| number);
        let told: Vec<i32> = match (instruction.action(), near) {
            (Action::ArrayLength, _) => {
                counts = true;
                Vec::new()
            }
            (Action::Invoke(_), _) if is_named(&COUNTS) => {
                counts = true;
                Vec::new()
            }
            (Action::Branch(_), Some(number)) => vec![number, number + 1],
            (Action::ArrayLoad(ArrayElement::Reference), Some(number)) => vec![number + 1],
            (Action::Invoke(_), Some(number)) if is_named(&PLACES) => vec![number + 1],
            _ => Vec::new(),
        };
        // A comparison only distinguishes sizes if the code queries a size.
        let told = told.into_iter().filter(|it| (3..=MAX_SIZE).contains(it));
        for size in told.filter(|_| counts || !matches!(instruction.action(), Action::Branch(_))) {
            if !found.contains(&(size as u32)) {
                found.push(size as u32);
            }
        }
        literal = match instruction.literal() {
            Some(Literal::Int(number)) => Some((number, 0)),
            _ => literal.map(|(number, since)| (number, since + 1)),
        };
    }
    found
}
