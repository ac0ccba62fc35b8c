//! `java.util.prefs`: preferences are files of the program's file system; no other process locks them.

use super::support::ZERO;
use super::{Native, row};
use crate::classes::{ClassId, Kind};
use crate::state::Value;

const FILES: &str = "java/util/prefs/FileSystemPreferences";

pub(super) const NATIVES: &[Native] = &[
    row(FILES, "chmod", "(Ljava/lang/String;I)I", ZERO),
    row(FILES, "unlockFile0", "(I)I", ZERO),
    row(FILES, "lockFile0", "(Ljava/lang/String;IZ)[I", |m, _| {
        let class: ClassId = m.load("[I")?;
        let answer = m.new_array(class, 2)?;
        // A descriptor, and no error.
        m.set_element_value(answer, 0, Kind::Int, Value::int(1));
        super::support::reference(answer)
    }),
];
