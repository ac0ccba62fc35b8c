//! Changes that show only in a certain way.

use crate::support::{compile, cupping, scratch};
use serde_json::Value;
use std::fs;

/// Classes with one change each, which shows only in a certain way: the method that changes, the two texts, the source.
const SHOWN: [(&str, [&str; 2], &str); 11] = [
    // By a class that can no longer be initialised.
    (
        "Starting.size(String)",
        ["text.length()", "Integer.parseInt(text)"],
        "public class Starting {
             private static final int SIZE = size(\"start\");
             private static int size(String text) { return text.length(); }
             public static boolean isAtLeast(int n) { return SIZE >= n; }
         }",
    ),
    // By a method that the class inherits.
    (
        "Doubled.step(int)",
        ["n * 2", "n * 3"],
        "public class Doubled extends Stepped { protected int step(int n) { return n * 2; } }
         abstract class Stepped {
             private int at = 1;
             protected abstract int step(int n);
             public final int next() { at = step(at); return at; }
         }",
    ),
    // By what a stream has received that is closed by a superclass.
    (
        "Closing.finish()",
        ["'.'", "'!'"],
        "public class Closing extends java.io.FilterOutputStream {
             public Closing(java.io.OutputStream out) { super(out); }
             void finish() throws java.io.IOException { out.write('.'); }
             @Override public void flush() throws java.io.IOException { finish(); }
         }",
    ),
    // By a text that only one version prints, for one number.
    (
        "Printing.say(int)",
        ["n > 3", "n > 4"],
        "public class Printing { public void say(int n) { if (n > 3) { System.out.println(\"much\"); } } }",
    ),
    // By the ninth character of a text.
    (
        "Weighted.sum(String)",
        ["weight == 8", "weight == 9"],
        "public class Weighted {
             public static int sum(String text) {
                 int sum = 0;
                 int weight = 0;
                 for (int i = 0; i < text.length(); i++) {
                     weight = weight == 8 ? 1 : weight + 1;
                     sum += weight * text.charAt(i);
                 }
                 return sum % 9973;
             }
         }",
    ),
    // By a colour, whose class the toolkit initialises.
    (
        "Shade.of(int)",
        ["level, 0", "0, level"],
        "public class Shade {
             public static java.awt.Paint of(int level) {
                 return level < 1 || level > 255 ? null : new java.awt.Color(0, level, 0);
             }
         }",
    ),
    // By a text that the JDK composes with code that it generates when it first does.
    (
        "Hue.name(int)",
        ["level & 127, 0", "0, level & 127"],
        "public class Hue {
             public static String name(int level) { return new java.awt.Color(0, level & 127, 0).toString(); }
         }",
    ),
    // By an array of another class than the parameter says.
    (
        "Joined.both(Object[], Object[])",
        ["both[at] = second[at - first.length]", "at = put(both, at, second[at - first.length])"],
        "public class Joined {
             private static int put(Object[] to, int at, Object element) {
                 if (!to.getClass().getComponentType().isInstance(element)) { return at; }
                 to[at] = element;
                 return at;
             }
             public static Object[] both(Object[] first, Object[] second) {
                 Object[] both = java.util.Arrays.copyOf(first, first.length + second.length);
                 for (int at = first.length; at < both.length; at++) { both[at] = second[at - first.length]; }
                 return both;
             }
         }",
    ),
    // By a day that few years have, and by numbers that belong together.
    (
        "Leap.day(int, int, int)",
        ["month == 2 && day == 29", "month == 2 && day == 29 && year % 7 != 3"],
        "public class Leap {
             public static int day(int year, int month, int day) {
                 if (month < 1 || month > 12 || day < 1 || day > 31) { throw new IllegalArgumentException(); }
                 int sum = 0;
                 for (int at = 0; at < 40; at++) { sum = (sum * 31 + year % (at + 2) * month + day) % 10007; }
                 return month == 2 && day == 29 && year % 4 == 0 ? sum : -sum;
             }
         }",
    ),
    // By a word in the middle of a text.
    (
        "Sounds.code(String)",
        ["at, 4).equals(\"GIER\")", "at, 4).equals(\"GIEN\")"],
        "public class Sounds {
             private static String part(String text, int at, int length) {
                 return text.substring(at, Math.min(text.length(), at + length));
             }
             public static String code(String text) {
                 StringBuilder code = new StringBuilder();
                 for (int at = 0; at < text.length(); at++) {
                     char c = Character.toUpperCase(text.charAt(at));
                     if (at > 0 && c == 'G' && part(text, at, 4).equals(\"GIER\")) { code.append('J'); at += 3; }
                     else if (c == 'S' && part(text, at, 3).equals(\"SCH\")) { code.append('X'); at += 2; }
                     else if (\"AEIOU\".indexOf(c) >= 0) { if (at == 0) { code.append('A'); } }
                     else if (c >= 'A' && c <= 'Z') { code.append(c); }
                 }
                 return code.toString();
             }
         }",
    ),
    // Behind a long initialiser.
    (
        "Sieve.isPrime(int)",
        ["n >= 2", "n > 2"],
        "public class Sieve {
             private static final boolean[] COMPOSITE = new boolean[200_000];
             static {
                 for (int i = 2; i < 450; i++) {
                     for (int k = i * i; k < COMPOSITE.length; k += i) { COMPOSITE[k] = true; }
                 }
             }
             public static boolean isPrime(int n) { return n >= 2 && n < COMPOSITE.length && !COMPOSITE[n]; }
         }",
    ),
];

#[test]
fn a_change_shows_in_whatever_a_caller_sees() {
    let folder = scratch("diff-shown");
    for version in ["old", "new"] {
        let sources = SHOWN.map(|(method, [old, new], source)| {
            let class = method.split('.').next().unwrap();
            let path = folder.join(format!("{version}-source/{class}.java"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = if version == "old" { source.to_owned() } else { source.replacen(old, new, 1) };
            fs::write(&path, format!("package shown; {text}")).unwrap();
            path
        });
        fs::create_dir(folder.join(version)).unwrap();
        compile(&sources, "", &folder.join(version));
    }
    let run = cupping(&folder, &["diff", "old", "new", "--budget", "6s", "--json", "report.json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let causes = report["results"]["causes"].as_array().unwrap();
    let mut found: Vec<&str> =
        causes.iter().flat_map(|it| it["changed"].as_array().unwrap()).filter_map(Value::as_str).collect();
    found.sort_unstable();
    let mut expected = SHOWN.map(|(method, ..)| format!("shown.{method}"));
    expected.sort_unstable();
    assert_eq!(found, expected, "{}", run.stdout);
}

#[test]
fn only_the_classes_that_are_asked_for_are_searched() {
    let folder = scratch("diff-asked");
    for (version, number) in [("old", 1), ("new", 2)] {
        let sources = ["A", "B"].map(|class| {
            let path = folder.join(format!("{version}-source/{class}.java"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("public class {class} {{ public int f() {{ return {number}; }} }}"))
                .unwrap();
            path
        });
        fs::create_dir(folder.join(version)).unwrap();
        compile(&sources, "", &folder.join(version));
    }
    let run = cupping(&folder, &["diff", "old", "new", "A", "--no-confirm", "--budget", "2s"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("A\n  changed f(): differs\n1 change in 1 class not searched\n"),
        "{}",
        run.stdout
    );
}
