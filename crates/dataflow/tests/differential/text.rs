//! Java text in both versions of a class.

/// An expression or statement in both versions.
#[derive(Clone)]
pub struct Text {
    pub plain: String,
    pub watched: String,
}

impl Text {
    pub fn same(text: impl Into<String>) -> Text {
        let plain = text.into();
        Text { watched: plain.clone(), plain }
    }

    /// Puts texts into the places `{}` of a form.
    pub fn form(form: &str, parts: &[&Text]) -> Text {
        let fill = |of: fn(&Text) -> &String| {
            let mut pieces = form.split("{}");
            let mut out = pieces.next().unwrap_or_default().to_owned();
            for (piece, part) in pieces.zip(parts) {
                out += of(part);
                out += piece;
            }
            out
        };
        Text { plain: fill(|t| &t.plain), watched: fill(|t| &t.watched) }
    }
}
