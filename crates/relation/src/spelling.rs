//! Corrections of misspelt names.

/// The known name most similar to an unknown one, if any is similar.
pub fn nearest<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    known.filter(|it| distance(it, name) <= 1 + name.len() / 4).min_by_key(|it| distance(it, name))
}

/// The edit distance of two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_differ_by_a_quarter_of_its_length_and_one() {
        let known = || ["next", "prev", "header"].into_iter();
        assert_eq!(nearest(known(), "nxt"), Some("next"));
        assert_eq!(nearest(known(), "haeder"), Some("header"));
        // Three letters may differ by one, four by two.
        assert_eq!(nearest(known(), "pew"), None);
        assert_eq!(nearest(known(), "prxx"), Some("prev"));
        assert_eq!(nearest(known(), "size"), None);
        // The nearest one, and the first of several.
        assert_eq!(nearest(["aab", "aaa", "aac"].into_iter(), "aa"), Some("aab"));
        assert_eq!(nearest(["aab", "aaa"].into_iter(), "aaa"), Some("aaa"));
        assert_eq!(nearest([].into_iter(), "a"), None);
    }

    #[test]
    fn the_distance_is_a_metric() {
        let mut words = vec![String::new()];
        for length in 0..3 {
            let longest: Vec<String> =
                words.iter().filter(|it| it.chars().count() == length).cloned().collect();
            words.extend(
                longest.iter().flat_map(|it| ["a", "b", "\u{e9}"].map(|letter| format!("{it}{letter}"))),
            );
        }
        assert_eq!(words.len(), 1 + 3 + 9 + 27);
        for a in &words {
            for b in &words {
                let between = distance(a, b);
                assert_eq!((between == 0, between), (a == b, distance(b, a)), "{a} {b}");
                let (x, y) = (a.chars().count(), b.chars().count());
                assert!((x.abs_diff(y)..=x.max(y)).contains(&between), "{a} {b}");
                let is_short = |c: &String| distance(a, c) <= between + distance(b, c);
                assert!(words.iter().all(is_short), "{a} {b}");
            }
        }
    }
}
