//! The mutants of classes, and the instructions that they change.

use crate::shared::changed_lines::ChangedLines;
use cupping_classfile::{ClassFile, Code};
use cupping_coverage::CoverageMap;
use cupping_machine::{Machine, MethodId};
use cupping_mutate::operators::Change;
use cupping_mutate::{Mutant, Selection as OperatorSelection};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The mutants of classes.
pub struct Faults {
    /// The classes.
    pub files: Vec<Arc<ClassFile>>,
    /// The mutants, each with the index of its class.
    pub mutants: Vec<(usize, Mutant)>,
    /// The changed instructions, in the order of the mutants.
    pub places: Vec<MutatedInstruction>,
}

/// An instruction that mutants change.
pub struct MutatedInstruction {
    /// Its class, by its place in [`Faults::files`].
    pub class: usize,
    /// Its method, by its place in the class file.
    pub method: usize,
    /// Its offset.
    pub pc: u32,
    /// The mutants, as indices into [`Faults::mutants`].
    pub mutants: Vec<usize>,
}

impl Faults {
    /// The mutants of these classes by the operators of each, in code that counts for coverage.
    ///
    /// # Errors
    ///
    /// A class is damaged.
    pub fn of<'s>(
        classes: impl IntoIterator<Item = (Arc<ClassFile>, &'s OperatorSelection)>,
    ) -> Result<Faults, String> {
        let mut faults = Faults { files: Vec::new(), mutants: Vec::new(), places: Vec::new() };
        for (file, operators) in classes {
            faults.add(operators, file)?;
        }
        faults.find_places();
        Ok(faults)
    }

    /// Drops the mutants outside of changed lines.
    pub fn retain(&mut self, changed: &ChangedLines) {
        let Faults { files, mutants, .. } = self;
        mutants.retain(|(class, mutant)| changed.has(&files[*class], mutant.line));
        self.find_places();
    }

    /// Drops all but this many mutants, spread evenly over all.
    pub fn sample(&mut self, wanted: usize) {
        let all = self.mutants.len();
        if all <= wanted {
            return;
        }
        let mut spread = (0..wanted).map(|at| at * all / wanted).peekable();
        let mut at = 0;
        self.mutants.retain(|_| {
            let is_chosen = spread.next_if_eq(&at).is_some();
            at += 1;
            is_chosen
        });
        self.find_places();
    }

    fn add(&mut self, operators: &OperatorSelection, file: Arc<ClassFile>) -> Result<(), String> {
        let mut map = CoverageMap::new();
        if map.track(&file).is_err() {
            return Ok(());
        }
        let counted: BTreeSet<(usize, u32)> = map.classes()[0]
            .methods
            .iter()
            .flat_map(|method| method.instructions().map(move |it| (method.index, it.offset)))
            .collect();
        let all = cupping_mutate::mutants_of(&file, operators).map_err(|error| error.to_string())?;
        let at = self.files.len();
        let counted = all.into_iter().filter(|it| counted.contains(&(it.method, it.pc)));
        self.mutants.extend(counted.map(|mutant| (at, mutant)));
        self.files.push(file);
        Ok(())
    }

    /// The mutants of a class, with their places.
    pub fn mutants_of(&self, class: usize) -> impl Iterator<Item = (usize, &Mutant)> {
        let all = self.mutants.iter().enumerate();
        all.filter(move |(_, (of, _))| *of == class).map(|(at, (_, mutant))| (at, mutant))
    }

    /// The place of a mutant.
    pub fn place_of(&self, mutant: usize) -> usize {
        self.places.partition_point(|place| place.mutants.last().is_some_and(|last| *last < mutant))
    }

    /// Whether a mutant makes a difference even before its instruction begins.
    pub fn is_whole(&self, mutant: usize) -> bool {
        matches!(self.mutants[mutant].1.replacement.change, Change::Handlers(_))
    }

    /// The method of a mutant on a machine, and its new body.
    pub fn body(&self, machine: &mut Machine, mutant: usize) -> Option<(MethodId, Code)> {
        let (class, mutant) = &self.mutants[mutant];
        let file = &self.files[*class];
        let code = mutant.code(file).ok().flatten()?;
        let class = machine.load(&file.name).ok()?;
        let methods = &machine.class(class).methods;
        let method = *methods.iter().find(|it| machine.method(**it).index == mutant.method)?;
        Some((method, code))
    }

    /// The message about a mutant on which the machine panicked.
    pub fn describe(&self, mutant: usize, panic: &str) -> String {
        let (class, mutant) = &self.mutants[mutant];
        let line = mutant.line.map_or(String::new(), |line| format!(" in line {line}"));
        let class = self.files[*class].name.replace('/', ".");
        format!("{class}{line}, {}: internal error: panic: {panic}", mutant.description())
    }

    fn find_places(&mut self) {
        self.places.clear();
        for (at, (class, mutant)) in self.mutants.iter().enumerate() {
            let (class, method, pc) = (*class, mutant.method, mutant.pc);
            match self.places.last_mut() {
                Some(place) if (place.class, place.method, place.pc) == (class, method, pc) => {
                    place.mutants.push(at);
                }
                _ => self.places.push(MutatedInstruction { class, method, pc, mutants: vec![at] }),
            }
        }
    }
}
