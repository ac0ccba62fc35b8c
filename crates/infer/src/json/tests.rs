//! Values and terms as JSON, and errors with their paths.

use super::*;
use crate::term::Term;
use crate::testing::{numbers, sequences};
use crate::value::Value;
use proptest::prelude::*;

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Absent),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<u16>().prop_map(Value::Char),
        any::<f64>().prop_map(Value::Float),
        Just(Value::Float(f64::NAN)),
        any::<String>().prop_map(Value::Text),
        Just(Value::Enum("p/Color".into(), "RED".into())),
        any::<u32>().prop_map(Value::Object),
    ];
    leaf.prop_recursive(2, 6, 3, |part| proptest::collection::vec(part, 0..3).prop_map(Value::Seq))
}

/// Formats the JSON as in a file and parses it again.
fn through_text(json: Json) -> Json {
    serde_json::from_str(&object([("it", json)]).to_string()).expect("JSON")
}

proptest! {
    #[test]
    fn values_are_read_as_they_were_written(value in values()) {
        let json = through_text(value.json());
        let read = Fields::of(&json, "").and_then(|it| it.value("it")).expect("a value");
        // Compare as text: NaN does not equal itself.
        prop_assert_eq!(format!("{read:?}"), format!("{value:?}"));
    }

    #[test]
    fn terms_are_read_as_they_were_written(term in prop_oneof![numbers().boxed(), sequences()]) {
        let json = through_text(term.json());
        prop_assert_eq!(Fields::of(&json, "").and_then(|it| it.term("it")), Ok(term));
    }
}

#[test]
fn the_other_terms_are_read_too() {
    for term in
        [Term::This, Term::Constant(Value::Null), Term::Observer(Box::new(Term::This), "size()".into())]
    {
        let json = through_text(term.json());
        assert_eq!(Fields::of(&json, "").and_then(|it| it.term("it")), Ok(term));
    }
}

#[test]
fn errors_name_the_path() {
    let json: Json =
        serde_json::from_str(r#"{"it": {"old": {"field": "x", "of": "that"}}, "n": -1}"#).expect("JSON");
    let fields = Fields::of(&json, "").expect("an object");
    assert_eq!(fields.term("it"), Err("it.old.of: 'that' is neither 'this' nor 'result'".into()));
    assert_eq!(fields.term("other"), Err("other is missing".into()));
    assert_eq!(fields.count("n"), Err("n: a non-negative number is expected".into()));
    assert_eq!(fields.truth("n"), Err("n: true or false is expected".into()));
}
