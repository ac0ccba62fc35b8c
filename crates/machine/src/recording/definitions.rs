//! Records definitions and uses as they are executed.

use super::data_flow::{ContentsAccess, DefUse, Definition, ELEMENT, RecordedAccess, SOME_ELEMENT};
use crate::code::Site;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::recording::probes;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The invocation of a definition by an initialiser of a class.
const NO_INVOCATION: u32 = u32::MAX;

impl Machine {
    /// The class that declares a field that code names by this class or by a subclass. Nothing is loaded for it: marks
    /// must not change what the run does.
    pub(crate) fn declaring_class(&self, class: &str, name: &str, descriptor: &str) -> Option<Arc<str>> {
        let mut at: Arc<str> = class.into();
        loop {
            if let Some(loaded) = self.loaded(&at) {
                let (declaring, _) = self.find_field(loaded, name, descriptor)?;
                return Some(self.class(declaring).name.clone());
            }
            let file = self.program().find(&at).ok()??;
            if file.fields.iter().any(|it| &*it.name == name && &*it.descriptor == descriptor) {
                return Some(at);
            }
            at = file.super_name.clone()?;
        }
    }

    /// Whether the running code is called by an initialiser of a class, or is one.
    pub(crate) fn is_initializing(&self) -> bool {
        self.registers.frames.last().is_some_and(|it| it.is_initializing)
    }

    /// Takes note of a store to a field.
    pub(crate) fn note_definition(&mut self, access: RecordedAccess) {
        self.accesses += 1;
        if self.limits.record_library_flows {
            return;
        }
        let RecordedAccess { object, key, is_tracked, site } = access;
        // Whoever uses a class first initialises it: what its initialiser defines flows from no invocation.
        let is_initializing = !is_tracked && self.is_initializing();
        if is_initializing && object != 0 {
            return;
        }
        let invocation = if is_initializing { NO_INVOCATION } else { self.registers.invocation };
        self.registers.definitions.insert((object, key), Definition { site, invocation, is_tracked });
    }

    /// Takes note of a load of a field.
    pub(crate) fn note_use(&mut self, access: RecordedAccess) {
        self.accesses += 1;
        let RecordedAccess { object, key, is_tracked, site } = access;
        if self.listener.is_on() {
            self.report_read(object, key);
        }
        let Some(definition) = self.registers.definitions.get(&(object, key)).copied() else { return };
        note_flow(self, definition.invocation);
        if is_tracked && definition.is_tracked {
            let pair = DefUse { field: key, definition: definition.site, usage: site };
            if !self.registers.pairs.contains(&pair) {
                Rc::make_mut(&mut self.registers.pairs).insert(pair);
            }
        }
    }

    /// From the next call on, these instructions of a method of tracked code, by offset, count as accesses to fields.
    pub fn watch_contents(
        &mut self,
        class: &Arc<str>,
        method: usize,
        accesses: BTreeMap<u32, ContentsAccess>,
    ) {
        self.plans.set_contents(class, method, accesses);
        probes::decode_again(self, class);
    }

    /// Forgets all that [`Machine::watch_contents`] was told, for another class under test.
    pub fn forget_contents(&mut self) {
        for class in self.plans.clear_contents() {
            probes::decode_again(self, &class);
        }
    }

    /// Records a store to or a load of an array element; without an index if that depends on inputs.
    pub(crate) fn note_element(&mut self, array: Addr, index: Option<u32>, is_write: bool, site: Site) {
        self.accesses += 1;
        let invocation = self.registers.invocation;
        if is_write {
            // Tables may have a million elements. What is defined before all invocations flows from none of them, nor
            // does what an initialiser defines.
            if self.limits.record_library_flows || self.is_preparing || self.is_initializing() {
                return;
            }
            let key = index.map_or(SOME_ELEMENT | invocation, |index| index | ELEMENT);
            let definition = Definition { site, invocation, is_tracked: false };
            self.registers.definitions.insert((array, key), definition);
            return;
        }
        if self.listener.is_on()
            && let Some(index) = index
        {
            self.report_read(array, index | ELEMENT);
        }
        let definitions = &self.registers.definitions;
        let may_use = |by: &u32| {
            definitions.may_define_all(array, *by) || index.is_none() && definitions.has_element(array, *by)
        };
        let mut found: Vec<u32> = (0..invocation).filter(may_use).collect();
        found.extend(index.and_then(|it| definitions.get(&(array, it | ELEMENT))).map(|it| it.invocation));
        found.into_iter().for_each(|by| note_flow(self, by));
    }
}

fn note_flow(machine: &mut Machine, from: u32) {
    let to = machine.registers.invocation;
    if from != to && from != NO_INVOCATION && !machine.registers.flows.contains(&(from, to)) {
        Rc::make_mut(&mut machine.registers.flows).insert((from, to));
    }
}
