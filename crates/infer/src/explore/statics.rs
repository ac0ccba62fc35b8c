//! Static fields that calls change: what a call does then depends on all earlier calls, not on its object alone.

use cupping_explore::Path;
use cupping_generate::canonical;
use cupping_machine::{ClassId, Kind, Machine, Value as Slot};

/// The static fields of some classes, with what they are known to be before any call.
#[derive(Debug, Default)]
pub(super) struct Statics {
    fields: Vec<(ClassId, Box<str>, Kind)>,
    before: Vec<Option<u64>>,
}

impl Statics {
    /// The fields that calls can change: those that are not final, and those that refer to objects that are no values.
    pub(super) fn new<'n>(machine: &mut Machine, classes: impl Iterator<Item = &'n Box<str>>) -> Statics {
        let mut statics = Statics::default();
        for name in classes {
            let Ok(class) = machine.load(name) else { continue };
            for field in machine.class(class).fields.iter().filter(|it| it.is_static()) {
                let is_value =
                    !field.descriptor.starts_with('L') || field.descriptor.starts_with("Ljava/lang/");
                let is_synthetic = field.name.contains('$');
                let is_fixed = field.access.is_final() && is_value;
                if !is_synthetic && !is_fixed {
                    statics.fields.push((class, Box::from(&*field.name), field.kind));
                }
            }
        }
        statics.before = statics.values(machine);
        statics
    }

    /// The fields' present values; those of objects are told apart by what they refer to.
    fn values(&self, machine: &Machine) -> Vec<Option<u64>> {
        let value = |(class, name, kind): &(ClassId, Box<str>, Kind)| {
            let bits = machine.static_field(*class, name)?;
            if *kind != Kind::Reference || bits == 0 {
                return Some(bits);
            }
            canonical(machine, &[Slot::concrete(bits)], &Path::default()).map(|it| it.key)
        };
        self.fields.iter().map(value).collect()
    }

    /// Whether the fields have changed; their initialisation is no change.
    pub(super) fn have_changed(&mut self, machine: &Machine) -> bool {
        let now = self.values(machine);
        let mut have_changed = false;
        for (before, now) in self.before.iter_mut().zip(now) {
            let Some(now) = now else { continue };
            have_changed |= *before.get_or_insert(now) != now;
        }
        have_changed
    }
}
