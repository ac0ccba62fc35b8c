//! Mutants of class files, by a seed: random bytes, and targeted places.

/// A small generator (xorshift64*): the same seed gives the same mutants everywhere.
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Random {
        Random((seed ^ 0x9E37_79B9_7F4A_7C15).max(1))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// A number below `end`, 0 for 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }
}

/// Positions of things in a class file.
#[derive(Default)]
struct Places {
    /// Offsets of the tags of constants; 0 for none.
    constants: Vec<usize>,
    /// Offsets of the flags of class, fields and methods.
    flags: Vec<usize>,
    /// `max_stack` of each body.
    limits: Vec<usize>,
    /// Instructions of each body.
    code: Vec<std::ops::Range<usize>>,
    /// Exception tables and `StackMapTable`s.
    tables: Vec<std::ops::Range<usize>>,
}

fn u16_at(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 2).map_or(0, |b| (b[0] as usize) << 8 | b[1] as usize)
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u16_at(bytes, at) << 16 | u16_at(bytes, at + 2)
}

/// Finds the places of a well-formed class.
fn places(bytes: &[u8]) -> Places {
    let mut places = Places::default();
    let count = u16_at(bytes, 8);
    places.constants.push(0);
    let mut at = 10;
    while places.constants.len() < count {
        places.constants.push(at);
        at += match bytes[at] {
            1 => 3 + u16_at(bytes, at + 1),
            5 | 6 => {
                places.constants.push(0);
                9
            }
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            _ => 5,
        };
    }
    places.flags.push(at);
    at += 8 + u16_at(bytes, at + 6) * 2;
    for _ in 0..2 {
        let members = u16_at(bytes, at);
        at += 2;
        for _ in 0..members {
            places.flags.push(at);
            at = attributes(bytes, at + 6, &mut places);
        }
    }
    places
}

/// Walks attributes; the offset behind them.
fn attributes(bytes: &[u8], at: usize, places: &mut Places) -> usize {
    let mut next = at + 2;
    for _ in 0..u16_at(bytes, at) {
        let name = places.constants[u16_at(bytes, next)];
        let name = &bytes[name + 3..name + 3 + u16_at(bytes, name + 1)];
        let content = next + 6;
        let end = content + u32_at(bytes, next + 2);
        if name == b"Code" {
            let code = content + 8..content + 8 + u32_at(bytes, content + 4);
            let table_end = code.end + 2 + u16_at(bytes, code.end) * 8;
            places.limits.push(content);
            places.code.push(code.clone());
            places.tables.push(code.end + 2..table_end);
            attributes(bytes, table_end, places);
        } else if name == b"StackMapTable" {
            places.tables.push(content + 2..end);
        }
        next = end;
    }
    next
}

/// Replaces a class's name by another of the same length, wherever it stands.
pub fn rename(bytes: &mut [u8], from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    for at in 0..bytes.len().saturating_sub(from.len()) {
        if &bytes[at..at + from.len()] == from.as_bytes() {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
    }
}

/// Makes one to three changes to a well-formed class. The header stays, except for the version.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let places = places(bytes);
    for _ in 0..1 + random.below(10) / 8 + random.below(10) / 8 {
        change(bytes, &places, random);
    }
}

fn change(bytes: &mut Vec<u8>, places: &Places, random: &mut Random) {
    let set16 = |bytes: &mut Vec<u8>, at: usize, value: usize| {
        if at + 2 <= bytes.len() {
            bytes[at..at + 2].copy_from_slice(&(value as u16).to_be_bytes());
        }
    };
    let body = random.below(places.code.len());
    let code = places.code.get(body).cloned().unwrap_or(0..0);
    let in_code = code.start + random.below(code.len());
    let constant = places.constants[random.below(places.constants.len())];
    match random.below(20) {
        0 => {
            let at = 10 + random.below(bytes.len() - 10);
            bytes[at] = random.next() as u8;
        }
        1..=5 => bytes[in_code] = random.below(202) as u8,
        6 => bytes[in_code] = bytes[in_code].wrapping_add(random.below(5) as u8).wrapping_sub(2),
        7 | 8 => {
            let value = random.below(places.constants.len());
            set16(bytes, in_code, value);
        }
        // The operand of an instruction that has a constant.
        9 | 10 => {
            let start = code.start + random.below(code.len());
            if let Some(at) = (start..code.end).find(|at| (178..=193).contains(&bytes[*at])) {
                let value = random.below(places.constants.len());
                set16(bytes, at + 1, value);
            }
        }
        11 | 12 if constant != 0 && bytes[constant] != 1 => {
            let value = random.below(places.constants.len());
            let at =
                constant + 1 + if matches!(bytes[constant], 7 | 8 | 16) { 0 } else { random.below(2) * 2 };
            set16(bytes, at, value);
        }
        13 if constant != 0 => bytes[constant] = random.below(21) as u8,
        14 | 15 if constant != 0 && bytes[constant] == 1 => {
            let length = u16_at(bytes, constant + 1);
            let at = constant + 3 + random.below(length);
            bytes[at] = b"IJFDZBCSV[L;()<>/.$x"[random.below(20)];
        }
        16 => {
            let at = places.limits[body] + random.below(2) * 2;
            let value = random.below(6);
            set16(bytes, at, value);
        }
        17 => {
            let table = &places.tables[random.below(places.tables.len())];
            if !table.is_empty() {
                let at = table.start + random.below(table.len());
                bytes[at] = random.below(24) as u8;
            }
        }
        18 => {
            let at = places.flags[random.below(places.flags.len())];
            let value = u16_at(bytes, at) ^ 1 << random.below(16);
            set16(bytes, at, value);
        }
        19 => set16(bytes, 6, 44 + random.below(27)),
        _ => bytes[in_code] = random.next() as u8,
    }
}
