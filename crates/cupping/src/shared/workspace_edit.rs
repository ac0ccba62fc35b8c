//! An edit for editors: a `WorkspaceEdit` of the Language Server Protocol (3.17) that creates files.

use serde::Serialize;
use std::path::{Path, PathBuf};

/// Makes files with their texts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceEdit {
    document_changes: Vec<DocumentChange>,
}

/// A file is made, then its text is put into it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum DocumentChange {
    Create {
        kind: &'static str,
        uri: String,
    },
    #[serde(rename_all = "camelCase")]
    Edit {
        text_document: Document,
        edits: Vec<TextEdit>,
    },
}

#[derive(Debug, Serialize)]
struct Document {
    uri: String,
    /// Editors take none for what is not open.
    version: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TextEdit {
    range: Range,
    new_text: String,
}

#[derive(Debug, Default, Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Debug, Default, Serialize)]
struct Position {
    line: u32,
    character: u32,
}

impl WorkspaceEdit {
    /// The edit that makes these files.
    pub fn creating(files: &[(PathBuf, String)]) -> WorkspaceEdit {
        let changes = files.iter().flat_map(|(path, text)| {
            let uri = uri(path);
            let edit = TextEdit { range: Range::default(), new_text: text.clone() };
            let text_document = Document { uri: uri.clone(), version: None };
            [
                DocumentChange::Create { kind: "create", uri },
                DocumentChange::Edit { text_document, edits: vec![edit] },
            ]
        });
        WorkspaceEdit { document_changes: changes.collect() }
    }
}

/// `file:///home/a%20b/T.java`.
fn uri(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let text = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let encoded =
        text.bytes().map(|it| if plain(it) { char::from(it).to_string() } else { format!("%{it:02X}") });
    format!("file://{}", encoded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_and_filled() {
        let edit = WorkspaceEdit::creating(&[(PathBuf::from("/a b/ü.java"), "x\n".into())]);
        let json = serde_json::to_value(&edit).unwrap();
        let uri = "file:///a%20b/%C3%BC.java";
        let zero = serde_json::json!({ "line": 0, "character": 0 });
        let expected = serde_json::json!({ "documentChanges": [
            { "kind": "create", "uri": uri },
            { "textDocument": { "uri": uri, "version": null },
              "edits": [{ "range": { "start": zero, "end": zero }, "newText": "x\n" }] },
        ] });
        assert_eq!(json, expected);
    }
}
