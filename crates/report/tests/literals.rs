//! The printed form of a value is that value after javac and the JVM have read it.

mod support;

use cupping_report::source::literals;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::process::Command;

const EACH: usize = 300;

/// An expression and the hexadecimal text that `print` must return for it.
type Check = (String, String);

fn floats(runner: &mut TestRunner) -> Vec<Check> {
    let special =
        [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45, -1e-45];
    let bits = special.into_iter().map(f32::to_bits).chain(sample(runner, any::<u32>()));
    bits.map(|bits| (literals::float(f32::from_bits(bits)), format!("{bits:x}"))).collect()
}

fn doubles(runner: &mut TestRunner) -> Vec<Check> {
    let special = [
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        2.2250738585072012e-308,
        2e-3,
    ];
    let decimal = sample(runner, -1e6..1e6f64).into_iter().map(f64::to_bits);
    let bits = special.into_iter().map(f64::to_bits).chain(sample(runner, any::<u64>())).chain(decimal);
    bits.map(|bits| (literals::double(f64::from_bits(bits)), format!("{bits:x}"))).collect()
}

fn strings(runner: &mut TestRunner) -> Vec<Check> {
    // Characters with a meaning for javac, next to each other; and arbitrary units.
    let risky = prop::collection::vec(
        prop::sample::select("\\\"'u0017\n\r\t\0é\u{2028}".encode_utf16().collect::<Vec<_>>()),
        0..12,
    );
    let any_units = prop::collection::vec(any::<u16>(), 0..20);
    let long = vec![vec![0xd800u16; 70_000], vec![0; 50_000]];
    // Places where a surrogate without its other half meets a backslash.
    let halves =
        prop::collection::vec(prop::sample::select(vec![0xdbb8u16, 0x5c, 0x48d9, 0x6e, 0x22, 0xdc00]), 1..8);
    let all = sample(runner, risky)
        .into_iter()
        .chain(sample(runner, any_units))
        .chain(sample(runner, halves))
        .chain(long);
    all.map(|units| (literals::string(&units), hex(&units))).collect()
}

fn chars() -> Vec<Check> {
    (0..0x180u16)
        .chain([0x2028, 0xd800, 0xdfff, 0xffff])
        .map(|unit| (literals::char(unit), format!("{unit:x}")))
        .collect()
}

fn integers(runner: &mut TestRunner) -> Vec<Check> {
    let ints = [i32::MIN, i32::MAX, -1].into_iter().chain(sample(runner, any::<i32>()));
    let longs = [i64::MIN, i64::MAX, -1].into_iter().chain(sample(runner, any::<i64>()));
    let small = (i8::MIN..=i8::MAX).map(|it| (literals::byte(it), format!("{:x}", i32::from(it))));
    let shorts = sample(runner, any::<i16>())
        .into_iter()
        .map(|it| (literals::short(it), format!("{:x}", i32::from(it))));
    ints.map(|it| (literals::int(it), format!("{it:x}")))
        .chain(longs.map(|it| (literals::long(it), format!("{it:x}"))))
        .chain(small)
        .chain(shorts)
        .collect()
}

#[test]
fn literals_come_back_with_the_same_bits() {
    let mut runner = TestRunner::default();
    let checks: Vec<Check> =
        [floats(&mut runner), doubles(&mut runner), strings(&mut runner), chars(), integers(&mut runner)]
            .concat();
    let printed = evaluate(&checks);
    assert_eq!(printed.len(), checks.len());
    for ((literal, expected), printed) in checks.iter().zip(printed) {
        assert!(*expected == printed, "{literal:.200} is {printed:.200}, not {expected:.200}");
    }
}

fn sample<S: Strategy>(runner: &mut TestRunner, strategy: S) -> Vec<S::Value> {
    (0..EACH).map(|_| strategy.new_tree(runner).unwrap().current()).collect()
}

fn hex(units: &[u16]) -> String {
    units.iter().map(|unit| format!("{unit:04x}")).collect()
}

/// The values of the expressions in Java, in one run for all.
fn evaluate(checks: &[Check]) -> Vec<String> {
    let mut source = String::from(PROLOGUE);
    for (at, chunk) in checks.chunks(100).enumerate() {
        source += &format!("  static void part{at}() {{\n");
        for (literal, _) in chunk {
            source += &format!("    print({literal});\n");
        }
        source += "  }\n";
    }
    source += "  public static void main(String[] args) {\n";
    for at in 0..checks.len().div_ceil(100) {
        source += &format!("    part{at}();\n");
    }
    source += "    System.out.print(OUT);\n  }\n}\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Literals.java");
    std::fs::write(&file, source).unwrap();
    support::compile(folder.path(), folder.path());
    let java = Command::new(support::jdk_home().join("bin/java"))
        .arg("-cp")
        .arg(folder.path())
        .arg("Literals")
        .output()
        .unwrap();
    assert!(java.status.success(), "{}", String::from_utf8_lossy(&java.stderr));
    String::from_utf8(java.stdout).unwrap().lines().map(str::to_string).collect()
}

const PROLOGUE: &str = r#"public class Literals {
  static final StringBuilder OUT = new StringBuilder();
  static void print(float value) { OUT.append(Integer.toHexString(Float.floatToRawIntBits(value))).append("\n"); }
  static void print(double value) { OUT.append(Long.toHexString(Double.doubleToRawLongBits(value))).append("\n"); }
  static void print(int value) { OUT.append(Integer.toHexString(value)).append("\n"); }
  static void print(long value) { OUT.append(Long.toHexString(value)).append("\n"); }
  static void print(char value) { OUT.append(Integer.toHexString(value)).append("\n"); }
  static void print(String value) {
    for (char unit : value.toCharArray()) { OUT.append(String.format("%04x", (int) unit)); }
    OUT.append("\n");
  }
"#;
