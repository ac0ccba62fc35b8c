//! Whether `assert` statements are enabled: deduction assumes the setting of the machine that runs the sequences.

use cupping_classfile::interpreter::FieldAccess;
use cupping_machine::Machine;

/// The field in which compilers store whether the assertions of a class are disabled.
const FIELD: &str = "$assertionsDisabled";

/// The value of a field that says whether assertions are disabled; `None` for any other field. Such a field is
/// synthetic, unlike one that a programmer declares.
pub(crate) fn disabled(machine: &mut Machine, field: &FieldAccess<'_>) -> Option<bool> {
    if field.name != FIELD {
        return None;
    }
    let class = machine.load(field.class).ok()?;
    let (declaring, index) = machine.find_field(class, field.name, field.descriptor)?;
    let declaring = machine.class(declaring);
    let found = declaring.fields.get(index)?;
    let is_made = found.access.is_synthetic() && found.is_static();
    is_made.then(|| declaring.from_jdk || !machine.world_options().assertions)
}
