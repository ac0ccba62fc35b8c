//! The JSON of recorded specifications: how fields are written and read. [`docs/specification-file.md`] describes
//! it.
//!
//! The format is written out here, in `terms.rs`, in `values.rs` and in the file of each kind of formula, rather
//! than derived from types, so that types may change and recorded files stay readable. `serde_json` parses, as for
//! the reports.
//!
//! [`docs/specification-file.md`]: ../../../../docs/specification-file.md

mod terms;
mod values;

#[cfg(test)]
mod tests;

/// A value of JSON.
pub type Json = serde_json::Value;

/// What is written as JSON.
pub trait ToJson {
    /// The JSON.
    fn json(&self) -> Json;
}

impl ToJson for i64 {
    fn json(&self) -> Json {
        Json::from(*self)
    }
}

impl ToJson for usize {
    fn json(&self) -> Json {
        Json::from(*self)
    }
}

impl ToJson for bool {
    fn json(&self) -> Json {
        Json::from(*self)
    }
}

impl ToJson for str {
    fn json(&self) -> Json {
        Json::from(self)
    }
}

impl ToJson for String {
    fn json(&self) -> Json {
        Json::from(self.as_str())
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn json(&self) -> Json {
        Json::Array(self.iter().map(ToJson::json).collect())
    }
}

impl<T: ToJson> ToJson for Box<T> {
    fn json(&self) -> Json {
        (**self).json()
    }
}

/// An object of these fields.
pub fn object<'n>(fields: impl IntoIterator<Item = (&'n str, Json)>) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// An object that is being read, and its path in the file.
#[derive(Debug)]
pub struct Fields<'a> {
    fields: &'a serde_json::Map<String, Json>,
    path: String,
}

impl<'a> Fields<'a> {
    /// The fields of an object.
    ///
    /// # Errors
    /// The JSON is not a recorded specification.
    pub fn of(json: &'a Json, path: &str) -> Result<Fields<'a>, String> {
        let fields = json.as_object().ok_or_else(|| format!("{path}: an object is expected"))?;
        Ok(Fields { fields, path: path.to_owned() })
    }

    /// Whether there is a field of this name.
    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// The path of a field.
    pub fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The error for a field with a wrong value.
    pub fn wrong(&self, name: &str, expected: &str) -> String {
        format!("{}: {expected} is expected", self.path(name))
    }

    /// A field.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn get(&self, name: &str) -> Result<&'a Json, String> {
        self.fields.get(name).ok_or_else(|| format!("{} is missing", self.path(name)))
    }

    /// A whole number.
    ///
    /// # Errors
    /// Another value, or none.
    pub fn integer(&self, name: &str) -> Result<i64, String> {
        self.get(name)?.as_i64().ok_or_else(|| self.wrong(name, "a whole number"))
    }

    /// A count.
    ///
    /// # Errors
    /// Another value, or none.
    pub fn count(&self, name: &str) -> Result<usize, String> {
        let count = usize::try_from(self.integer(name)?);
        count.map_err(|_| self.wrong(name, "a non-negative number"))
    }

    /// A truth value.
    ///
    /// # Errors
    /// Another value, or none.
    pub fn truth(&self, name: &str) -> Result<bool, String> {
        self.get(name)?.as_bool().ok_or_else(|| self.wrong(name, "true or false"))
    }

    /// A string.
    ///
    /// # Errors
    /// Another value, or none.
    pub fn text(&self, name: &str) -> Result<&'a str, String> {
        self.get(name)?.as_str().ok_or_else(|| self.wrong(name, "a string"))
    }

    /// An array, read element by element.
    ///
    /// # Errors
    ///
    /// The field is missing or not an array, or the error of an element.
    pub fn list<T>(
        &self,
        name: &str,
        read: impl Fn(&'a Json, &str) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let array = self.get(name)?.as_array().ok_or_else(|| self.wrong(name, "an array"))?;
        let path = self.path(name);
        array.iter().enumerate().map(|(at, it)| read(it, &format!("{path}[{at}]"))).collect()
    }
}
