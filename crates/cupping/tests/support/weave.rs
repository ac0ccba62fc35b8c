//! Inserts the assertions written by `cupping infer --notation assertions` into a class.

/// A part of what was written, for one method.
struct Section<'t> {
    signature: &'t str,
    entry: Vec<&'t str>,
    exit: Vec<&'t str>,
}

/// The source of a class with the assertions in it. Calls within calls of the class are not checked: objects are
/// then in intermediate states.
pub fn weave(source: &str, assertions: &str) -> String {
    // The first says who wrote the file.
    let (_, assertions) = assertions.split_once('\n').unwrap_or_default();
    let (text, helpers) = assertions.split_once("\n// what the assertions use\n").unwrap_or((assertions, ""));
    let mut invariant = String::new();
    let mut sections: Vec<Section<'_>> = Vec::new();
    let (mut in_invariant, mut after) = (false, false);
    for line in text.lines().skip(1) {
        let comment = line.strip_prefix("// ");
        if line.starts_with("private boolean likelyInvariant") {
            in_invariant = true;
        }
        if in_invariant {
            invariant += &format!("{line}\n");
            in_invariant = line != "}";
        } else if let Some(comment) = comment {
            match comment {
                "at its beginning" => after = false,
                "before it returns" => after = true,
                signature => {
                    after = false;
                    sections.push(Section { signature, entry: Vec::new(), exit: Vec::new() });
                }
            }
        } else if let Some(section) = sections.last_mut().filter(|_| !line.is_empty()) {
            if after { &mut section.exit } else { &mut section.entry }.push(line);
        }
    }
    let has_invariant = !invariant.is_empty();
    let mut out = source.to_owned();
    for section in &sections {
        out = method(&out, section, has_invariant);
    }
    let end = out.rfind('}').expect("a class ends");
    out.insert_str(end, &format!("private static boolean likelyBusy;\n{invariant}{helpers}"));
    out
}

fn method(source: &str, section: &Section<'_>, has_invariant: bool) -> String {
    let head = source
        .lines()
        .find(|it| it.trim_start().starts_with("public ") && it.contains(&format!(" {}", section.signature)))
        .unwrap_or_else(|| panic!("there is no {}", section.signature));
    let (name, parameters) = section.signature.split_once('(').expect("there are parameters");
    let arguments: Vec<&str> =
        parameters.trim_end_matches(')').split(", ").filter_map(|it| it.split(' ').nth(1)).collect();
    let declared =
        head.trim().trim_start_matches("public ").split(section.signature).next().unwrap_or_default();
    let (entry, exit) = (section.entry.join("\n"), section.exit.join("\n"));
    let is_static = declared.contains("static ");
    let check = if has_invariant && !is_static { "assert likelyInvariant();" } else { "" };
    if declared.trim().is_empty() {
        // A constructor: before its end, and after a call of another one.
        let at = source.find(head).expect("it is there") + head.len();
        let body = &source[at..];
        let mut depth = 1;
        let end = body.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        let (inner, rest) = body.split_at(end.expect("it ends"));
        let looked = format!(
            "if (!likelyBusy) {{ likelyBusy = true; try {{\n{exit}\n{check}\n}} finally {{ likelyBusy = false; }} }}\n"
        );
        // A call of another constructor comes first.
        let is_other = ["this(", "super("].iter().any(|it| inner.trim_start().starts_with(it));
        let first = if is_other { inner.find(';').expect("a call ends") + 1 } else { 0 };
        let (first, inner) = inner.split_at(first);
        return format!("{}{first}\n{entry}\n{inner}{looked}{rest}", &source[..at]);
    }
    let (body, call) = (format!("likely_{name}"), arguments.join(", "));
    let result = declared.replace("static ", "").trim().to_owned();
    let is_void = result == "void";
    let (keep, give) =
        if is_void { (String::new(), "return;") } else { (format!("{result} result = "), "return result;") };
    let plain = if is_void { format!("{body}({call}); return;") } else { format!("return {body}({call});") };
    let wrapped = format!(
        "{head}\nif (likelyBusy) {{ {plain} }}\nlikelyBusy = true;\ntry {{\n{entry}\n{keep}{body}({call});\n{exit}\n{check}\n{give}\n}} \
         finally {{ likelyBusy = false; }}\n}}\n{}",
        head.replace(&format!(" {}", section.signature), &format!(" {body}({parameters}"))
    );
    source.replacen(head, &wrapped, 1)
}
