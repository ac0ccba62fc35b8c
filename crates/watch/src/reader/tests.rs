//! The reader computes what the machine computes, and leaves to it what writes, throws or takes long.

use super::ConditionReader;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{CallEnd, Kind, Machine, RunLimits, Value};
use std::process::Command;
use std::sync::Arc;

const SOURCE: &str = "
public class Readings {
    interface Shape { int area(); default int twice() { return 2 * area(); } }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    record Box(byte low, short high, long deep, double real, Object[] more) implements Shape {
        public int area() { return low * high; }
        private long all() { return low + high + deep + (long) real + more.length; }
    }
    static final Shape[] SHAPES = { new Square(3), new Box((byte) -2, (short) -300, 1L << 40, -2.5, new Object[4]), null };
    static final byte[] BYTES = { 1, -1, 127, -128 };
    static final char[] CHARS = { 'a', '\\uffff' };
    static final short[] SHORTS = { -1, 32767 };
    static final long[] LONGS = { Long.MIN_VALUE, -1, 1L << 33 };
    static final float[] FLOATS = { -0.0f, Float.NaN, 1e30f };
    static final double[] DOUBLES = { -0.0, Double.NaN, 1e300 };
    static final boolean[] BOOLEANS = { true, false };
    static int written;

    static int arithmetic(int a, int b) {
        int c = a + b * 31 - (a ^ b) + (a & 255 | b) + (a << b) + (a >> b) + (a >>> b) - -a + ~b;
        return c + (byte) a + (char) b + (short) (a + b) + a / (b | 1) + a % (b | 1);
    }
    static long longs(int a, int b) {
        long c = a * 0x100000001L, d = b * 77777777777L;
        return (c ^ d) + (c << b) + (c >> b) + (c >>> b) + c / (d | 1) + c % (d | 1) - -c + (c & d | 5) + (c < d ? 1 : 2);
    }
    static double reals(int a, int b) {
        float f = a / 3f, g = b * 1e9f;
        double d = a * 1e-3, e = b / 7.0;
        return f % (g == 0 ? 1 : g) + (double) (f - -g) * e - d / (e == 0 ? 1 : e) + (int) (d * 1e12) + (long) (g * 1e12f) + (int) g
            + (f < g ? 1 : 2) + (d >= e ? 4 : 8) + (float) d + (long) e + d % (e == 0 ? 1 : e) + (int) Double.NaN + (c(f) ? 1 : 0);
    }
    static boolean c(float f) { return f != f || f > 100; }
    static int loops(int a, int b) {
        int sum = 0;
        for (int at = 0; at < (a & 63); at++) {
            switch (at % 7) { case 0: case 1: sum += at; break; case 3: sum -= b; break; case 5: continue; default: sum ^= at; }
            switch (sum) { case -1000: return 1; case 4: sum++; break; case 1 << 20: sum = 0; }
        }
        return sum;
    }
    static int recursive(int a, int b) { return (a & 15) == 0 ? b : recursive((a & 15) - 1, b + a); }
    static int objects(int a, int b) {
        Shape shape = SHAPES[a & 1];
        if (shape instanceof Square) return shape.twice() + ((Square) shape).side;
        Box box = (Box) shape;
        return box.area() + box.twice() + (int) box.all() + (box.more[b & 3] == null ? 1 : 0) + (SHAPES[2] == shape ? 7 : 0);
    }
    static long arrays(int a, int b) {
        return BYTES[a & 3] + CHARS[b & 1] * 3 + SHORTS[a & 1] + LONGS[(a & 3) % 3] + BYTES.length + (BOOLEANS[b & 1] ? 5 : 6)
            + (long) FLOATS[(a & 7) % 3] + (long) DOUBLES[(b & 7) % 3];
    }
    static int writes(int a, int b) { written += a; return written; }
    static int makes(int a, int b) { return new int[] { a, b }.length; }
    static int divides(int a, int b) { return a / (b - b); }
    static int unbound(int a, int b) { return BYTES[4 + (a & 3)]; }
    static int nothing(int a, int b) { return SHAPES[2].area(); }
    static int casts(int a, int b) { return ((Box) SHAPES[0]).area(); }
    static int endless(int a, int b) { int at = 0; while (at < 100000) at++; return at; }
    static synchronized int locks(int a, int b) { return a; }
    static class Late { static final int[] VALUES = { 1 }; static int value() { return VALUES[0]; } }
    static int late(int a, int b) { return Late.value(); }
}
";

/// Methods that only read, then the others.
const READ: [&str; 8] =
    ["arithmetic", "longs", "reals", "loops", "recursive", "objects", "arrays", "recursive"];
const NOT_READ: [&str; 9] =
    ["writes", "makes", "divides", "unbound", "nothing", "casts", "endless", "locks", "late"];

#[test]
fn the_reader_agrees_with_the_machine() {
    let jdk = Jdk::locate(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Readings.java"), SOURCE).unwrap();
    let compiled = Command::new(jdk.javac_binary())
        .args(["--release", "17", "-d"])
        .arg(folder.path())
        .arg(folder.path().join("Readings.java"))
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let class_path = ClassPath::open(folder.path().to_str().unwrap(), jdk.feature_version()).unwrap();
    let program = Arc::new(Program::new(jdk, class_path));
    let mut machine = Machine::boot(program, RunLimits::default()).unwrap();
    let class = machine.initialize_now("Readings").unwrap();
    let mut reader = ConditionReader::default();
    let special = [0, 1, -1, 2, 3, 7, 31, 32, 33, 63, 64, 255, -128, 65535, i32::MAX, i32::MIN, 123_456_789];
    let mut compared = 0;
    for name in READ {
        let method =
            machine.class(class).methods.clone().into_iter().find(|it| *machine.method(*it).name == *name);
        let method = method.unwrap();
        let reading = reader.reading(&mut machine, method).unwrap();
        for a in special {
            for b in special {
                let arguments = [Value::int(a), Value::int(b)];
                let Ok(CallEnd::Returned(expected)) = machine.ask(method, &arguments) else {
                    panic!("{name}")
                };
                let found = reader.value(&mut machine, &reading, &arguments);
                let found = found.unwrap_or_else(|| panic!("{name}({a}, {b}) cannot be read"));
                let same = match machine.method(method).result {
                    // The NaN payload does not matter.
                    Kind::Double if f64::from_bits(expected.bits).is_nan() => {
                        f64::from_bits(found.bits).is_nan()
                    }
                    _ => found.bits == expected.bits,
                };
                assert!(same, "{name}({a}, {b}): {found:?} instead of {expected:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 2000);
    let before = machine.memory_version();
    for name in NOT_READ {
        let method =
            machine.class(class).methods.clone().into_iter().find(|it| *machine.method(*it).name == *name);
        let Some(reading) = reader.reading(&mut machine, method.unwrap()) else { continue };
        let found = reader.value(&mut machine, &reading, &[Value::int(1), Value::int(2)]);
        assert!(found.is_none(), "{name} is read: {found:?}");
    }
    assert!(!machine.has_written_since(&before));
}
