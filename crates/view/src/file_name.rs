//! Names of files that hold pages.

/// Limit on the bytes of a file name: file systems allow 255.
const LONGEST: usize = 180;

/// The file of a class's page: the class's name with dots, in which the characters that no file system and no
/// address treats specially are unchanged. Different classes have different files.
pub fn page_file(class: &str) -> String {
    let mut name = String::new();
    for c in class.chars() {
        match c {
            '/' => name.push('.'),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' => name.push(c),
            _ => name.push_str(&format!("-{:x}-", u32::from(c))),
        }
    }
    // `index.html` is another page, and long names end in a distinguishing number.
    if name.len() > LONGEST || name == "index" {
        name.truncate(LONGEST);
        name.push_str(&format!("-{:016x}", fnv(class)));
    }
    name + ".html"
}

/// The FNV-1a hash, which is the same everywhere.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_tame_and_distinct_names() {
        assert_eq!(page_file("org/example/Map$Entry"), "org.example.Map$Entry.html");
        assert_eq!(page_file("a/B<C>"), "a.B-3c-C-3e-.html");
        assert_ne!(page_file("index"), "index.html");
        let long = "x".repeat(400);
        assert!(page_file(&long).len() < 255);
        assert_ne!(page_file(&long), page_file(&format!("{long}y")));
    }
}
