use super::*;
use crate::testing::machine;

const SOURCE: &str = "
    class Samples {
        int count;
        static int[] table = new int[4];
        static int branches(String text, int a, double d, char[] units, Integer box, Object o) {
            if (text.isEmpty()) return 1;
            if (text.charAt(a - 1) == 'q') return 2;
            int number = Integer.parseInt(text);
            if (number > 12) return 3;
            if (d * 2 <= 2.5) return 4;
            if (units[a] == '\\'') return 5;
            if (box == 17) return 6;
            if (o == null) return 7;
            a = a + 1;
            if (a < number) return 8;
            for (int i = 0; i < a; i++) if (table[i] != 0) return 9;
            int old = table.length;
            boolean isDigit = Character.isDigit(text.charAt(0));
            if (isDigit && old == 3) return 10;
            long rest = 7L % (number - 3L);
            if (rest > 10 / a) return 11;
            return 0;
        }
        int fields(int by) {
            int before = count;
            count = by;
            if (before > by) return 1;
            if (count == 7) return 2;
            return table[by];
        }
    }";

/// The conditions of a method's branches when they fall through, and of its array accesses when they fail, in
/// code order.
fn conditions(machine: &mut Machine, name: &str) -> Vec<String> {
    let class = machine.load("Samples").unwrap();
    let file = machine.class(class).file.clone().unwrap();
    let method = file.methods.iter().find(|it| &*it.name == name).unwrap();
    let code = file.code(method).unwrap().unwrap();
    let (graph, before) = operands(&file, code, name == "branches").unwrap();
    let method = SourceMethod { graph, before, offsets: Vec::new() };
    (0..method.graph.instructions.len()).filter_map(|at| method.condition(at, false)).collect()
}

/// javac jumps if a condition does not hold, so the fall-through side has the condition of the source.
#[test]
fn conditions_are_those_of_the_source() {
    let mut machine = machine(SOURCE);
    let found = conditions(&mut machine, "branches");
    let expected = [
        "text.isEmpty()",
        "text.charAt(a - 1) == 'q'",
        "Integer.parseInt(text) > 12",
        "d * 2.0 <= 2.5",
        "a < 0 || a >= units.length",
        "units[a] == '\\''",
        "box == 17",
        "o == null",
        "a < Integer.parseInt(text)",
        "i < a",
        "i < 0 || i >= Samples.table.length",
        "Samples.table[i] != 0",
        "Character.isDigit(text.charAt(0))",
        // The field may have another array by now.
        "old == 3",
        "Integer.parseInt(text) - 3L == 0",
        "a == 0",
        "7L % (Integer.parseInt(text) - 3L) > 10 / a",
    ];
    for text in expected {
        assert!(found.iter().any(|it| it == text), "{text} is not among {found:#?}");
    }
}

#[test]
fn a_field_that_was_read_before_is_the_variable_that_holds_it() {
    let mut machine = machine(SOURCE);
    let found = conditions(&mut machine, "fields");
    assert_eq!(found, ["before > by", "count == 7", "by < 0 || by >= Samples.table.length"]);
}
