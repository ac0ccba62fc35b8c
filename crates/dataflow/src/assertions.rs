//! Whether `assert` statements are on: deduction takes them as the machine that runs the sequences does.

use cupping_classfile::interpreter::FieldAccess;
use cupping_machine::Machine;

/// The field in which compilers keep whether the assertions of a class are off.
const FIELD: &str = "$assertionsDisabled";

/// The value of a field that says whether assertions are off; `None` for any other field. A compiler makes it:
/// a field that a programmer declares is not synthetic.
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
