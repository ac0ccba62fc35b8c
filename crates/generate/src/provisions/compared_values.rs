//! Provisions with the values that code compares its inputs with.

use super::comparisons::ComparedValues;
use super::sizes::larger;
use super::{Provider, Provision};
use crate::input::Input;
use crate::invokable::Parameter;
use cupping_case::JavaType;
use cupping_machine::Machine;

impl Provider {
    /// A text with room to change and to go on.
    fn near(&self, text: &[u16]) -> Provision {
        Provision::Input(Input::near(text, self.max_elements))
    }

    /// An arbitrary text, and the texts that the class under test contains.
    pub(super) fn strings(&self, depth: u32) -> Vec<Provision> {
        let mut found = vec![Provision::Input(Input::string(self.max_elements))];
        if depth == 0 {
            found.extend(self.literals.iter().map(|units| self.near(units)));
        }
        found
    }

    /// Adds the contents of an earlier argument to the choices for a text: `get(map, key)` gets a key of the
    /// map.
    pub(super) fn add_shared(parameters: &[Parameter], choices: &mut [Vec<Provision>]) {
        let mut is_held = false;
        for (parameter, provisions) in parameters.iter().zip(choices) {
            if parameter.ty.is_string() {
                if is_held {
                    provisions.insert(provisions.len().min(1), Provision::Known);
                }
            } else {
                is_held |= provisions.iter().any(holds_text);
            }
        }
    }

    /// Adds the texts and classes that an invocation compares its inputs with, after the first provision, and
    /// arrays and collections of the sizes that it distinguishes, before `null`.
    pub(super) fn add_compared(
        &self,
        machine: &mut Machine,
        parameter: &Parameter,
        compared: &ComparedValues,
        provisions: &mut Vec<Provision>,
    ) {
        let class = |name: &str| parameter.ty == JavaType::class(name);
        let mut more: Vec<Provision> = Vec::new();
        if parameter.ty.is_string() || class("java/lang/CharSequence") {
            // The solver finds any string that is short enough, but not through a hash code.
            let is_long = |text: &&Vec<u16>| text.len() > self.max_elements as usize;
            let (long, short): (Vec<_>, Vec<_>) = compared.texts.iter().partition(is_long);
            more.extend(long.into_iter().chain(short).map(|text| self.near(text)));
        } else if class("java/lang/Class") {
            more.extend(compared.classes.iter().map(|it| Provision::Input(Input::ClassLiteral(*it))));
        }
        let at = provisions.len().saturating_sub(1);
        provisions.splice(at..at, larger(machine, provisions, &compared.sizes));
        more.retain(|it| !provisions.iter().any(|known| is_same_input(known, it)));
        let at = provisions.len().min(1);
        provisions.splice(at..at, more);
    }
}

/// Whether the elements or entries of a provision are texts.
fn holds_text(provision: &Provision) -> bool {
    let is_text = |it: &Provision| matches!(it, Provision::Input(Input::String { .. }));
    match provision {
        Provision::Elements(_, parts) | Provision::MakeOf(_, parts) => {
            parts.iter().any(|it| is_text(it) || holds_text(it))
        }
        _ => false,
    }
}

fn is_same_input(a: &Provision, b: &Provision) -> bool {
    matches!((a, b), (Provision::Input(a), Provision::Input(b)) if a == b)
}
