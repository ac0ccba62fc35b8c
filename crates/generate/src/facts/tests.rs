//! Which changes of a body each fact sees: a result that depends on a fact is not found again after those.

use super::FACTS;
use crate::testing::lab;
use cupping_classfile::reads::Read;
use std::collections::BTreeSet;

const BEFORE: &str = "
    class Samples {
        int weight, last;
        int[] all = new int[4];
        Object take(Object by, String name) {
            if (name == null) throw new IllegalStateException(\"unknown\");
            if (\"glass\".equals(name)) weight = weight + 5;
            if (by instanceof Number) last = all[2];
            return this.pack(3);
        }
        Object pack(int n) { return n > 2 ? new StringBuilder() : null; }
    }
";

const TAKE: &str = "take(Ljava/lang/Object;Ljava/lang/String;)Ljava/lang/Object;";

/// A change of `take`, and the facts that see it.
const CHANGES: [(&str, &str, &[&str]); 14] = [
    // The bodies differ, no analysis cares.
    ("weight + 5", "5 + weight", &[]),
    ("name == null", "name != null", &[]),
    ("weight + 5", "weight - 5", &[]),
    // A further access to what is accessed already.
    ("last = all[2];", "{ last = all[2]; weight += all[2]; }", &[]),
    ("return this.pack(3);", "Object it = this.pack(3); return it;", &[]),
    ("weight + 5", "weight + 6", &["vocabulary"]),
    ("\"glass\"", "\"paper\"", &["compared constants", "vocabulary"]),
    ("name == null", "name.isEmpty()", &["null test", "references"]),
    ("instanceof Number", "instanceof Long", &["casts"]),
    ("last = all[2]", "weight = all[2]", &["references"]),
    ("last = all[2]", "all[2] = last", &["references"]),
    ("return this.pack(3);", "return (String) this.pack(3);", &["casts"]),
    ("IllegalStateException", "IllegalArgumentException", &["creations", "references"]),
    ("this.pack(3)", "new Samples().pack(3)", &["creations", "references"]),
];

#[test]
fn facts_see_what_their_analyses_need() {
    let class = |at: usize| format!("Changed{at}");
    let mut source = BEFORE.to_owned();
    for (at, (from, to, _)) in CHANGES.iter().enumerate() {
        assert!(BEFORE.contains(from), "{from}");
        source += &BEFORE.replace(from, to).replace("Samples", &class(at));
    }
    let (_folder, machine) = lab(&source);
    // Named alike, so that only the bodies differ.
    let answer = |class: &str, fact: &str| {
        let mut bytes = Vec::new();
        let read = Read::Fact(fact.into(), class.into(), TAKE.into());
        machine.program().answer(&read, FACTS, &mut |part| bytes.extend_from_slice(part));
        String::from_utf8(bytes).unwrap().replace(class, "Samples")
    };
    for (at, (_, to, expected)) in CHANGES.iter().enumerate() {
        let names = FACTS.iter().map(|it| it.name);
        let seen: BTreeSet<&str> =
            names.filter(|name| answer("Samples", name) != answer(&class(at), name)).collect();
        assert_eq!(seen, expected.iter().copied().collect(), "{to}");
    }
}
