//! Which operators are used: by name, by PIT's name, or by group.

use crate::operators::{ALL, Operator, Replacement};

/// A choice of operators, and of changes among those of an operator.
#[derive(Clone, Debug)]
pub struct Selection {
    /// For each operator, all its changes or those that PIT has under these names.
    chosen: Vec<(usize, OperatorChoice)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum OperatorChoice {
    All,
    Named(Vec<&'static str>),
}

/// A name that stands for several operators.
struct Group {
    name: &'static str,
    pit: &'static [&'static str],
}

/// PIT's groups, and the endings of names that PIT enumerates.
const GROUPS: &[Group] = &[
    Group { name: "PIT_DEFAULTS", pit: DEFAULTS },
    Group { name: "RETURNS", pit: RETURNS },
    Group { name: "REMOVE_CONDITIONALS", pit: REMOVE_CONDITIONALS },
];

/// The group of operators that are used by default.
const BY_DEFAULT: &str = "DEFAULTS";
/// The group of all operators.
const EVERY: &str = "ALL";

const DEFAULTS: &[&str] = &[
    "INVERT_NEGS",
    "MATH",
    "VOID_METHOD_CALLS",
    "NEGATE_CONDITIONALS",
    "CONDITIONALS_BOUNDARY",
    "INCREMENTS",
    "TRUE_RETURNS",
    "FALSE_RETURNS",
    "PRIMITIVE_RETURNS",
    "EMPTY_RETURNS",
    "NULL_RETURNS",
];
const RETURNS: &[&str] =
    &["TRUE_RETURNS", "FALSE_RETURNS", "PRIMITIVE_RETURNS", "EMPTY_RETURNS", "NULL_RETURNS"];
const REMOVE_CONDITIONALS: &[&str] = &[
    "REMOVE_CONDITIONALS_EQUAL_IF",
    "REMOVE_CONDITIONALS_EQUAL_ELSE",
    "REMOVE_CONDITIONALS_ORDER_IF",
    "REMOVE_CONDITIONALS_ORDER_ELSE",
];

impl Default for Selection {
    fn default() -> Selection {
        Selection::of(|operator| operator.is_default)
    }
}

impl Selection {
    fn of(is_chosen: impl Fn(&Operator) -> bool) -> Selection {
        let chosen = ALL.iter().enumerate().filter(|(_, operator)| is_chosen(operator));
        Selection { chosen: chosen.map(|(at, _)| (at, OperatorChoice::All)).collect() }
    }

    /// The operators of a list: names as in reports, with spaces or hyphens, PIT's names, and groups. Case does not
    /// matter.
    ///
    /// # Errors
    ///
    /// An unknown name, with the known ones.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Selection, String> {
        let mut selection = Selection { chosen: Vec::new() };
        for name in names {
            selection.add(name.trim())?;
        }
        selection.chosen.sort_by_key(|(at, _)| *at);
        Ok(selection)
    }

    /// The names that [`Selection::parse`] knows: groups, operators, PIT's names.
    pub fn names() -> Vec<String> {
        let groups = [BY_DEFAULT, EVERY].into_iter().chain(GROUPS.iter().map(|it| it.name)).map(String::from);
        let own = ALL.iter().map(|operator| operator.name.replace(' ', "-"));
        let pit = ALL.iter().flat_map(|operator| operator.pit).map(|name| (*name).to_owned());
        groups.chain(own).chain(pit).collect()
    }

    fn add(&mut self, name: &str) -> Result<(), String> {
        let upper = name.to_uppercase().replace(['-', ' '], "_");
        if upper == BY_DEFAULT || upper == EVERY {
            let group = Selection::of(|operator| upper == EVERY || operator.is_default);
            group.chosen.into_iter().for_each(|(at, chosen)| self.choose(at, chosen));
            return Ok(());
        }
        let own = |operator: &Operator| operator.name.to_uppercase().replace(['-', ' '], "_") == upper;
        if let Some(at) = ALL.iter().position(own) {
            self.choose(at, OperatorChoice::All);
            return Ok(());
        }
        let group = GROUPS.iter().find(|group| group.name == upper);
        let wanted = |pit: &&str| group.map_or(**pit == upper, |group| group.pit.contains(pit));
        let mut is_known = false;
        for (at, operator) in ALL.iter().enumerate() {
            let named: Vec<&'static str> = operator.pit.iter().copied().filter(|pit| wanted(pit)).collect();
            if !named.is_empty() {
                is_known = true;
                self.choose(at, OperatorChoice::Named(named));
            }
        }
        match is_known {
            true => Ok(()),
            false => Err(format!("no mutation operator '{name}'; there are {}", Self::names().join(", "))),
        }
    }

    fn choose(&mut self, operator: usize, chosen: OperatorChoice) {
        match (self.chosen.iter_mut().find(|(at, _)| *at == operator), chosen) {
            (None, chosen) => self.chosen.push((operator, chosen)),
            (Some((_, OperatorChoice::All)), _) => {}
            (Some((_, before)), OperatorChoice::All) => *before = OperatorChoice::All,
            (Some((_, OperatorChoice::Named(before))), OperatorChoice::Named(names)) => before.extend(names),
        }
    }

    /// The operators with at least one selected change, in the order of reports.
    pub fn operators(&self) -> impl Iterator<Item = &'static Operator> {
        self.chosen.iter().filter_map(|(at, _)| ALL.get(*at))
    }

    /// Whether this change by an operator is chosen.
    pub fn contains(&self, operator: &Operator, replacement: &Replacement) -> bool {
        let is_it = |at: usize| ALL.get(at).is_some_and(|it| it.name == operator.name);
        self.chosen.iter().find(|(at, _)| is_it(*at)).is_some_and(|(_, chosen)| match chosen {
            OperatorChoice::All => true,
            OperatorChoice::Named(names) => replacement.pit.is_some_and(|pit| names.contains(&pit)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Vec<&'static str> {
        Selection::parse(names.iter().copied()).unwrap().operators().map(|it| it.name).collect()
    }

    #[test]
    fn operators_are_chosen_by_any_of_their_names() {
        assert_eq!(chosen(&["changed-bound", "MATH"]), ["changed bound", "arithmetic"]);
        assert_eq!(chosen(&["removed call"]), chosen(&["void_method_calls"]));
        assert_eq!(chosen(&["REMOVE_CONDITIONALS"]), ["removed condition"]);
        assert_eq!(chosen(&["all"]).len(), ALL.len());
        assert!(chosen(&["defaults"]).len() < ALL.len());
        assert!(Selection::parse(["MATHS"]).unwrap_err().contains("MATHS"));
    }

    #[test]
    fn every_name_is_known() {
        Selection::names().iter().for_each(|name| drop(chosen(&[name.as_str()])));
    }

    #[test]
    fn a_name_of_pit_chooses_its_changes_only() {
        let selection = Selection::parse(["MATH"]).unwrap();
        let arithmetic = selection.operators().next().unwrap();
        let change = |pit| Replacement { pit, ..Replacement::bytes(Vec::new(), "") };
        assert!(selection.contains(arithmetic, &change(Some("MATH"))));
        assert!(!selection.contains(arithmetic, &change(Some("INCREMENTS"))));
    }
}
