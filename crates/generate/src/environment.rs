//! Texts that depend on the computer or the JVM. No test asserts them.

use cupping_machine::TEST_FOLDER;

/// Whether a text contains the machine's user, home or other folders, whose names share a prefix, or the test's
/// folder.
pub fn speaks_of_environment(units: &[u16]) -> bool {
    let has = |text: &str| {
        let text: Vec<u16> = text.encode_utf16().collect();
        units.windows(text.len()).any(|window| window == text)
    };
    let folder = TEST_FOLDER.rsplit('/').next().unwrap_or_default();
    // The JVM names class loaders in messages about casts.
    has("cupping-") || has(" of loader ") || folder.encode_utf16().eq(units.iter().copied())
}
