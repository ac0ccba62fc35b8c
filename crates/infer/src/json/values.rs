//! Values as JSON: `null`, truth values, whole numbers, strings and arrays as they are; others as objects with one
//! field.

use super::{Fields, Json, ToJson, object};
use crate::value::Value;

impl ToJson for Value {
    fn json(&self) -> Json {
        match self {
            Value::Absent => object([("absent", Json::from(true))]),
            Value::Null => Json::Null,
            Value::Bool(truth) => truth.json(),
            Value::Int(number) => number.json(),
            Value::Char(unit) => object([("char", Json::from(*unit))]),
            // Text, as JSON has no infinities and no NaN. It is exact: `{:?}` writes as many digits as are needed.
            Value::Float(real) => object([("float", format!("{real:?}").json())]),
            Value::Text(text) => text.json(),
            Value::Enum(class, name) => object([("enum", class.json()), ("name", name.json())]),
            Value::Object(address) => object([("object", Json::from(*address))]),
            Value::Seq(elements) => elements.json(),
        }
    }
}

impl Fields<'_> {
    /// A list of values.
    ///
    /// # Errors
    /// A value that is not one, with its path.
    pub fn values(&self, name: &str) -> Result<Vec<Value>, String> {
        self.list(name, value)
    }

    /// A value.
    ///
    /// # Errors
    /// Another thing, or none.
    pub fn value(&self, name: &str) -> Result<Value, String> {
        value(self.get(name)?, &self.path(name))
    }
}

fn value(json: &Json, path: &str) -> Result<Value, String> {
    let number = |it: &serde_json::Number| {
        it.as_i64().map(Value::Int).ok_or_else(|| format!("{path}: a 64-bit integer is expected"))
    };
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(truth) => Ok(Value::Bool(*truth)),
        Json::Number(it) => number(it),
        Json::String(text) => Ok(Value::Text(text.clone())),
        Json::Array(elements) => {
            let elements = elements.iter().enumerate().map(|(at, it)| value(it, &format!("{path}[{at}]")));
            elements.collect::<Result<_, _>>().map(Value::Seq)
        }
        Json::Object(_) => tagged(&Fields::of(json, path)?),
    }
}

fn tagged(fields: &Fields<'_>) -> Result<Value, String> {
    if fields.has("absent") {
        return Ok(Value::Absent);
    }
    if fields.has("char") {
        let unit = u16::try_from(fields.integer("char")?);
        return unit.map(Value::Char).map_err(|_| fields.wrong("char", "a number of 16 bits"));
    }
    if fields.has("float") {
        let real = fields.text("float")?.parse();
        return real.map(Value::Float).map_err(|_| fields.wrong("float", "a number as text"));
    }
    if fields.has("object") {
        let address = u32::try_from(fields.integer("object")?);
        return address.map(Value::Object).map_err(|_| fields.wrong("object", "a number of 32 bits"));
    }
    Ok(Value::Enum(fields.text("enum")?.to_owned(), fields.text("name")?.to_owned()))
}
