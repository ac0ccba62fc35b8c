//! Arrays, collections and maps with more elements than the default ones.

use super::Provision;
use super::library::invokable;
use crate::input::Input;
use cupping_machine::{Kind, Machine};

/// Number of elements that stay symbolic; the others are fixed and distinct.
const FREE: usize = 2;
/// Entries that `Map.of` takes.
const MAX_ENTRIES: u32 = 10;

/// Provisions with these numbers of elements, otherwise like the first array or collection.
pub(super) fn larger(machine: &mut Machine, provisions: &[Provision], sizes: &[u32]) -> Vec<Provision> {
    let model = provisions.iter().find(|it| grown(machine, it, 3).is_some()).cloned();
    let of = |(model, size): (&Provision, &u32)| grown(machine, model, *size);
    model.iter().flat_map(|model| sizes.iter().map(move |size| (model, size))).filter_map(of).collect()
}

/// A provision with this number of elements, if it is a non-empty array, collection or map.
fn grown(machine: &mut Machine, provision: &Provision, size: u32) -> Option<Provision> {
    match provision {
        Provision::Elements(class, elements) => {
            let first = elements.first()?;
            let more = (elements.len()..size as usize).map(|at| nth(first, at));
            Some(Provision::Elements(*class, elements.iter().cloned().chain(more).collect()))
        }
        Provision::MakeOf(maker, parts) => {
            let parts = match parts.as_slice() {
                [only] => vec![grown(machine, only, size)?],
                [key, value] if &*maker.reference.name == "singletonMap" => {
                    return entries(machine, key, value, size);
                }
                _ => return None,
            };
            Some(Provision::MakeOf(maker.clone(), parts))
        }
        _ => None,
    }
}

/// A map with this many entries, if distinct keys are possible.
fn entries(machine: &mut Machine, key: &Provision, value: &Provision, size: u32) -> Option<Provision> {
    let has_order = matches!(key, Provision::Input(Input::String { .. } | Input::Boxed(_)));
    if !has_order || size > MAX_ENTRIES {
        return None;
    }
    let class = machine.load("java/util/Map").ok()?;
    let descriptor = format!("({})Ljava/util/Map;", "Ljava/lang/Object;".repeat(2 * size as usize));
    let maker = invokable(machine, class, "of", &descriptor)?;
    let of = |at: usize| match at {
        // Duplicate keys are rejected, so only one key is symbolic.
        0 => [key.clone(), value.clone()],
        _ => [nth(key, FREE + at), nth(value, at)],
    };
    Some(Provision::MakeOf(maker, (0..size as usize).flat_map(of).collect()))
}

/// An element with a fixed value that differs from index to index if the type allows it.
fn nth(element: &Provision, at: usize) -> Provision {
    let Provision::Input(input) = element else { return element.clone() };
    let number = at as u64 + 1;
    match input {
        _ if at < FREE => element.clone(),
        Input::String { .. } => {
            let letter = b'a' + (at % 26) as u8;
            Provision::Input(Input::Text(vec![u16::from(letter)]))
        }
        Input::Boxed(kind) => {
            let bits = match kind {
                Kind::Float => u64::from((number as f32).to_bits()),
                Kind::Double => (number as f64).to_bits(),
                Kind::Boolean => number % 2,
                Kind::Char => u64::from(b'a') + number,
                _ => number,
            };
            Provision::Input(Input::FixedBox(*kind, bits))
        }
        _ => element.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_behind_the_free_ones_differ() {
        let text = Provision::Input(Input::string(3));
        let of = |element: &Provision, at| format!("{:?}", nth(element, at));
        assert_eq!(of(&text, 1), format!("{text:?}"));
        assert_ne!(of(&text, 2), of(&text, 3));
        let number = Provision::Input(Input::Boxed(Kind::Int));
        assert_eq!(of(&number, 2), format!("{:?}", Provision::Input(Input::FixedBox(Kind::Int, 3))));
    }
}
