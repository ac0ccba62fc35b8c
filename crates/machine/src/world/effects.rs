//! The effects of a run outside of the heap: those that the sandbox recorded when they happened, and the
//! changes of the JVM's globals since the machine booted.
//!
//! Globals are compared rather than watched. So it does not matter how they were changed, in which static
//! initialiser or before which snapshot, and a change that a program itself reverted is not an effect.

use crate::classes::{ClassId, MethodId};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::world::globals::{Globals, LOCALES};
use crate::world::jdk_statics::static_of;
use crate::world::{notes, shutdown_hooks, threads_left};
use cupping_case::{Effect, Effects, JVM_DEFAULTS, Stream};
use std::rc::Rc;

const SYSTEM: &str = "java/lang/System";
/// The JDK's HTTP client: it fails here before it reaches a socket.
const HTTP_CLIENT: &str = "jdk/internal/net/http/HttpClientImpl";
const LOCALE: &str = "java/util/Locale";
const STREAMS: [Stream; 3] = [Stream::In, Stream::Out, Stream::Err];
/// The property that the JDK sets itself when it first asks for the time zone.
const ZONE_PROPERTY: &str = "user.timezone";
/// Limit on the entries of a table that are visited: a program could turn a list of the JDK into a ring.
const MOST: usize = 100_000;
/// The zone that [`Machine`] reports as that of the host.
const HOST_ZONE: &str = "UTC";
/// Classes, by prefixes of their names, that read the clock or request a seed to generate random numbers.
const RANDOM: [&str; 6] = [
    "java/util/Random",
    "java/util/SplittableRandom",
    "java/util/concurrent/ThreadLocalRandom",
    "jdk/internal/util/random/",
    "java/security/SecureRandom",
    "sun/security/provider/NativePRNG",
];
/// Classes that read the clock for their own purposes, such as the age of cache entries.
const OWN_CLOCKS: [&str; 3] =
    ["java/net/InetAddress", "java/util/ResourceBundle", "sun/util/calendar/ZoneInfoFile"];

impl Machine {
    /// Takes the present state as the one in which every program starts.
    pub(crate) fn begin_effects(&mut self) {
        notes::forget_recorded(self);
        self.environment.globals = present_globals(self);
        // Addresses are not reused, so equal addresses mean that nothing has changed.
        let globals = &self.environment.globals;
        let entries = globals.entries.iter().flat_map(|(key, value)| [*key, *value]);
        let kept: Vec<Addr> = entries.chain(globals.locale_objects).chain(globals.defaults).collect();
        kept.into_iter().filter(|it| *it != 0).for_each(|object| self.pin(object));
    }

    /// What the run that led to the present state did to the world outside of the heap, or learned about it,
    /// including static initialisers.
    pub fn effects(&self) -> Effects {
        let mut effects: Effects = notes::recorded(self).iter().cloned().collect();
        changed_globals(self, &mut effects);
        effects.extend(threads_left::threads_left(self));
        effects.extend(shutdown_hooks::registered(self));
        effects.extend(deleted_on_exit(self));
        effects
    }

    /// Records that the clock was read, or a seed if the calling JDK code generates random numbers. Returns whether the
    /// program can learn from it: the JDK also reads the clock for its own purposes.
    pub(crate) fn note_entropy(&mut self) -> bool {
        let classes =
            self.registers.frames.iter().rev().map(|it| self.class(self.method(it.code.method).class));
        let of_jdk = classes.take_while(|class| class.from_jdk).map(|class| &*class.name);
        let is_one = |class: &str, prefixes: &[&str]| prefixes.iter().any(|prefix| class.starts_with(prefix));
        let mut effect = Some(Effect::ClockRead);
        for class in of_jdk {
            if is_one(class, &RANDOM) {
                effect = Some(Effect::RandomnessRead);
                break;
            }
            if is_one(class, &OWN_CLOCKS) {
                effect = None;
            }
        }
        let is_noted = effect.is_some();
        if let Some(effect) = effect {
            self.note(effect);
        }
        is_noted
    }

    /// Whether the current native is called, directly or indirectly, by this JDK method.
    pub(crate) fn is_within(&self, class: &str, method: &str) -> bool {
        const DEPTH: usize = 6;
        self.registers.frames.iter().rev().take(DEPTH).any(|frame| {
            let caller = self.method(frame.code.method);
            &*caller.name == method && &*self.class(caller.class).name == class
        })
    }

    /// Records the initialisation of a class that exists for an effect which the machine does not reach.
    pub(crate) fn note_initialization(&mut self, class: ClassId) {
        if &*self.class(class).name == HTTP_CLIENT {
            self.note(Effect::Socket("HTTP client made".into()));
        }
    }

    /// Records the call of a native method that the machine does not know: the JVM may know it.
    pub(crate) fn note_unknown_native(&mut self, method: MethodId) {
        let method = self.method(method);
        let name = format!("{}.{}", self.class(method.class).name.replace('/', "."), method.name);
        self.note(Effect::UnknownNative(name.into()));
    }

    /// Whether the method that called the present native is one of the class path.
    pub(crate) fn is_called_by_program(&self) -> bool {
        let caller = self.registers.frames.last().map(|frame| frame.code.method);
        caller.is_some_and(|method| !self.class(self.method(method).class).from_jdk)
    }

    /// The entries of a `Properties`.
    fn entries(&self, object: Addr) -> Vec<(Addr, Addr)> {
        let (mut entries, mut left) = (Vec::new(), MOST);
        let map = if object == 0 { 0 } else { self.named(object, "map") as Addr };
        let table = if map == 0 { 0 } else { self.named(map, "table") as Addr };
        let bins = if table == 0 { 0 } else { self.array_length(table) };
        for bin in 0..bins {
            let mut node = self.element_ref(table, bin);
            if node != 0 && self.class_name_of(node) == "java/util/concurrent/ConcurrentHashMap$TreeBin" {
                node = self.named(node, "first") as Addr;
            }
            while node != 0 && left > 0 {
                left -= 1;
                let key = self.named(node, "key") as Addr;
                if key != 0 {
                    entries.push((key, self.named(node, "val") as Addr));
                }
                node = self.named(node, "next") as Addr;
            }
        }
        entries
    }
}

fn present_globals(machine: &Machine) -> Globals {
    let properties_object = static_of(machine, SYSTEM, "props");
    let entries = machine.entries(properties_object);
    let is_known = !entries.is_empty() && entries == machine.environment.globals.entries;
    let known = &machine.environment.globals;
    let locale_objects = LOCALES.map(|(field, _)| static_of(machine, LOCALE, field));
    let text = |(key, value): &(Addr, Addr)| (text_of(machine, *key), text_of(machine, *value));
    Globals {
        properties: match is_known {
            true => machine.environment.globals.properties.clone(),
            false => Rc::new(entries.iter().map(text).collect()),
        },
        entries,
        properties_object,
        streams: STREAMS.map(|stream| static_of(machine, SYSTEM, stream.field())),
        // Locales are immutable.
        locales: [0, 1, 2].map(|at| match locale_objects[at] {
            known_object if known_object == known.locale_objects[at] => known.locales[at].clone(),
            new => locale_text(machine, new),
        }),
        locale_objects,
        zone: match static_of(machine, "java/util/TimeZone", "defaultTimeZone") {
            0 => String::new(),
            zone => format!("{} {}", machine.class_name_of(zone), text_of_field(machine, zone, "ID")),
        },
        defaults: JVM_DEFAULTS.each_ref().map(|row| match static_of(machine, row.holder, row.field) {
            provided if provided != 0 && machine.class_name_of(provided) == row.provided => 0,
            replaced => replaced,
        }),
    }
}

fn changed_globals(machine: &Machine, effects: &mut Effects) {
    let (before, now) = (&machine.environment.globals, present_globals(machine));
    let is_same = Rc::ptr_eq(&before.properties, &now.properties);
    let zone = match before.properties.get(ZONE_PROPERTY).filter(|zone| !zone.is_empty()) {
        Some(zone) => zone,
        None => HOST_ZONE,
    };
    for (name, value) in now.properties.iter().filter(|_| !is_same) {
        let by_jdk = name == ZONE_PROPERTY && value == zone;
        if !by_jdk && before.properties.get(name) != Some(value) {
            effects.insert(Effect::PropertySet(name.as_str().into()));
        }
    }
    for name in before.properties.keys().filter(|name| !is_same && !now.properties.contains_key(*name)) {
        effects.insert(Effect::PropertyCleared(name.as_str().into()));
    }
    if before.properties_object != now.properties_object {
        effects.insert(Effect::PropertiesReplaced);
    }
    for (at, stream) in STREAMS.into_iter().enumerate() {
        if before.streams[at] != now.streams[at] {
            effects.insert(Effect::StreamReplaced(stream));
        }
    }
    let is_new = |at: usize| !now.locales[at].is_empty() && now.locales[at] != before.locales[at];
    if (0..LOCALES.len()).any(|at| is_new(at) && before.locale(at) != now.locales[at]) {
        effects.insert(Effect::DefaultLocale);
    }
    let lazily = format!("sun/util/calendar/ZoneInfo {zone}");
    let known = |text: &str| if text.is_empty() { lazily.clone() } else { text.to_owned() };
    if known(&before.zone) != known(&now.zone) {
        effects.insert(Effect::DefaultTimeZone);
    }
    for (at, row) in JVM_DEFAULTS.iter().enumerate() {
        if before.defaults[at] != now.defaults[at] {
            effects.insert(Effect::DefaultReplaced(row.default));
        }
    }
}

/// The text in a field that holds a `String`.
fn text_of_field(machine: &Machine, object: Addr, field: &str) -> String {
    text_of(machine, machine.named(object, field) as Addr)
}

/// The text of a `String`; for any other object, a text that identifies it.
fn text_of(machine: &Machine, object: Addr) -> String {
    match object {
        0 => String::new(),
        string if machine.class_name_of(string) == "java/lang/String" => machine.text(string),
        other => format!("{}@{other}", machine.class_name_of(other)),
    }
}

fn locale_text(machine: &Machine, locale: Addr) -> String {
    if locale == 0 {
        return String::new();
    }
    let base = machine.named(locale, "baseLocale") as Addr;
    let parts = ["language", "script", "region", "variant"];
    let parts = parts.map(|part| if base == 0 { String::new() } else { text_of_field(machine, base, part) });
    let extensions = machine.named(locale, "localeExtensions") as Addr;
    let extensions = if extensions == 0 { String::new() } else { text_of_field(machine, extensions, "id") };
    format!("{}_{extensions}", parts.join("_"))
}

/// The paths given to `File.deleteOnExit`.
fn deleted_on_exit(machine: &Machine) -> Vec<Effect> {
    let set = static_of(machine, "java/io/DeleteOnExitHook", "files");
    let map = if set == 0 { 0 } else { machine.named(set, "map") as Addr };
    let mut node = if map == 0 { 0 } else { machine.named(map, "head") as Addr };
    let mut paths = Vec::new();
    while node != 0 && paths.len() < MOST {
        let path = text_of_field(machine, node, "key");
        paths.push(Effect::DeleteOnExit(notes::resolved_path(machine, &path).into()));
        node = machine.named(node, "after") as Addr;
    }
    paths
}
