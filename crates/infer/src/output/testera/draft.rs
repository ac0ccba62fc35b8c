//! A specification of a method for `exhaust`, in parts.

/// A line of a section.
#[derive(Clone, Debug)]
pub struct Line {
    /// In the notation.
    pub written: String,
    /// In the notation of the text output.
    pub words: String,
}

/// A specification of a method, in parts.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Lines before the sections, without the scope.
    pub header: Vec<String>,
    /// The number of objects of each class, and the least and the largest integer of inputs.
    pub scope: (usize, i64, i64),
    /// Invariants of the class.
    pub invariants: Vec<Line>,
    /// Preconditions.
    pub pre: Vec<Line>,
    /// Postconditions.
    pub post: Vec<Line>,
    /// Clauses that become comments, each with the reason.
    pub left_out: Vec<(String, String)>,
}

/// How far integers of outcomes may lie outside of those of inputs.
const MARGIN: i64 = 2;
impl Draft {
    /// Shrinks the scope; returns whether that was possible.
    pub fn shrinks(&mut self) -> bool {
        let (objects, least, most) = &mut self.scope;
        match () {
            () if *most > 1 => *most -= 1,
            () if *least < 0 => *least += 1,
            () if *objects > 1 => *objects -= 1,
            () => return false,
        }
        true
    }

    /// The text for people and `exhaust`, under the name of the method.
    pub fn text(&self, name: &str, notes: &[String]) -> String {
        let mut out = format!("// Likely specification of {}\n", name);
        for note in notes {
            out += &format!("// {note}\n");
        }
        out += &self.code();
        for (words, why) in &self.left_out {
            out += &format!("// left out, because {why}: {words}\n");
        }
        out
    }

    /// The text for `exhaust`, with a line for each formula.
    pub fn code(&self) -> String {
        let mut out = self.header.join("\n");
        let (objects, least, most) = self.scope;
        out += &format!("\nscope {objects} but {}..{} int\n", least - MARGIN, most + MARGIN);
        for (title, lines) in [("invariant", &self.invariants), ("pre", &self.pre), ("post", &self.post)] {
            if lines.is_empty() {
                continue;
            }
            out += &format!("\n{title} {{\n");
            for line in lines {
                if line.words != line.written && !line.words.is_empty() {
                    out += &format!("  // {}\n", line.words);
                }
                out += &format!("  {}\n", line.written);
            }
            out += "}\n";
        }
        out
    }
}
