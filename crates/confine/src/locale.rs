//! The locale of a tool: the user's, with names of files in UTF-8.
//!
//! A JVM derives the encoding of file names from the locale. In containers and on servers it is often unset, which
//! means ASCII, and the files of classes such as `Prüfer` could be neither written nor found.

use std::ffi::OsString;

/// Environment variables of the locale and the time zone that are passed on.
const HANDED_ON: [&str; 7] = ["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ"];

/// The variables of a tool's environment, given those of the user's.
pub(crate) fn variables(of_user: impl Fn(&str) -> Option<OsString>) -> Vec<(&'static str, OsString)> {
    let set = |name: &&'static str| Some((*name, of_user(name).filter(|value| !value.is_empty())?));
    let mut variables: Vec<(&str, OsString)> = HANDED_ON.iter().filter_map(set).collect();
    let value = |name: &str| variables.iter().find(|(it, _)| *it == name).map(|(_, value)| value.clone());
    // The first of these decides.
    let encoding = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value);
    if encoding.is_some_and(|it| is_utf8(&it.to_string_lossy())) {
        return variables;
    }
    // `LC_ALL` would override the encoding; as `LANG` it still says the language.
    let all = value("LC_ALL");
    variables.retain(|(name, _)| !matches!(*name, "LC_ALL" | "LC_CTYPE") && (all.is_none() || *name == "TZ"));
    variables.extend(all.map(|all| ("LANG", all)));
    variables.push(("LC_CTYPE", "C.UTF-8".into()));
    variables
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_in_utf_8_whatever_the_language() {
        for (of_user, expected) in [
            ("", "LC_CTYPE=C.UTF-8"),
            ("LANG=de_DE.UTF-8 TZ=UTC", "LANG=de_DE.UTF-8 TZ=UTC"),
            ("LANG=C LC_TIME=fr_FR", "LANG=C LC_TIME=fr_FR LC_CTYPE=C.UTF-8"),
            ("LANG=C.UTF-8 LC_ALL=POSIX LC_TIME=fr_FR TZ=UTC", "TZ=UTC LANG=POSIX LC_CTYPE=C.UTF-8"),
            ("LC_CTYPE=en_US.utf8 LANG=C", "LANG=C LC_CTYPE=en_US.utf8"),
        ] {
            let of = |name: &str| -> Option<OsString> {
                let mut set = of_user.split_whitespace().filter_map(|it| it.split_once('='));
                set.find(|(it, _)| *it == name).map(|(_, value)| value.into())
            };
            let shown: Vec<String> = variables(of)
                .iter()
                .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
                .collect();
            assert_eq!(shown.join(" "), expected, "{of_user}");
        }
    }
}
