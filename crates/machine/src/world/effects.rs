//! What a run did to the world outside the heap: what the sandbox recorded when it happened, and what is another in the
//! JVM's globals than when the machine had booted.
//!
//! Globals are compared rather than watched: so it does not matter by which way they were changed, in which static
//! initialiser or before which snapshot, and what a program put back itself is no effect.

use crate::classes::{ClassId, MethodId};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::threads::{Stopped, Why};
use crate::world::globals::{Globals, LOCALES};
use cupping_case::{Effect, Effects, Stream};
use std::rc::Rc;

const SYSTEM: &str = "java/lang/System";
/// The JDK's HTTP client: it fails here before it comes to a socket.
const HTTP_CLIENT: &str = "jdk/internal/net/http/HttpClientImpl";
const LOCALE: &str = "java/util/Locale";
const STREAMS: [Stream; 3] = [Stream::In, Stream::Out, Stream::Err];
/// The property that the JDK sets itself when it first asks for the time zone.
const ZONE_PROPERTY: &str = "user.timezone";
/// Entries of a table that are looked at: a program could tie a list of the JDK's to a ring.
const MOST: usize = 100_000;
/// What [`Machine`] says is the zone of the host.
const HOST_ZONE: &str = "UTC";
/// Classes, by the beginnings of their names, that read the clock or ask for a seed to make random numbers.
const RANDOM: [&str; 6] = [
    "java/util/Random",
    "java/util/SplittableRandom",
    "java/util/concurrent/ThreadLocalRandom",
    "jdk/internal/util/random/",
    "java/security/SecureRandom",
    "sun/security/provider/NativePRNG",
];
/// Classes that read the clock on their own account: for the age of what they keep.
const OWN_CLOCKS: [&str; 3] =
    ["java/net/InetAddress", "java/util/ResourceBundle", "sun/util/calendar/ZoneInfoFile"];

impl Machine {
    /// Takes the present state for the one in which every program finds the world.
    pub(crate) fn begin_effects(&mut self) {
        self.forget_recorded();
        self.environment.globals = self.present_globals();
        // Their addresses stay theirs: that all are the same tells that nothing has changed.
        let kept: Vec<Addr> =
            self.environment.globals.entries.iter().flat_map(|(key, value)| [*key, *value]).collect();
        kept.into_iter().filter(|it| *it != 0).for_each(|object| self.pin(object));
    }

    /// What the run that led to the present state did to the world outside the heap, or learned of it, static
    /// initialisers included.
    pub fn effects(&self) -> Effects {
        let mut effects: Effects = self.recorded().iter().cloned().collect();
        self.changed_globals(&mut effects);
        effects.extend(self.threads_left());
        effects.extend(self.shutdown_hooks());
        effects.extend(self.deleted_on_exit());
        effects
    }

    /// Records that the clock was read, or a seed, if the code of the JDK that asked makes random numbers.
    pub(crate) fn note_entropy(&mut self) {
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
        if let Some(effect) = effect {
            self.note(effect);
        }
    }

    /// Whether the present native is called, perhaps through some others, by this method of the JDK.
    pub(crate) fn is_within(&self, class: &str, method: &str) -> bool {
        const DEPTH: usize = 6;
        self.registers.frames.iter().rev().take(DEPTH).any(|frame| {
            let caller = self.method(frame.code.method);
            &*caller.name == method && &*self.class(caller.class).name == class
        })
    }

    /// Records that a class is initialised that is there for an effect which the machine does not get to.
    pub(crate) fn note_initialization(&mut self, class: ClassId) {
        if &*self.class(class).name == HTTP_CLIENT {
            self.note(Effect::Socket("HTTP client made".into()));
        }
    }

    /// Records that a native method was called of which the machine knows nothing: the JVM may know it.
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

    fn present_globals(&self) -> Globals {
        let properties_object = self.static_of(SYSTEM, "props");
        let entries = self.entries(properties_object);
        let is_known = !entries.is_empty() && entries == self.environment.globals.entries;
        let text = |(key, value): &(Addr, Addr)| (self.text_of(*key), self.text_of(*value));
        Globals {
            properties: match is_known {
                true => self.environment.globals.properties.clone(),
                false => Rc::new(entries.iter().map(text).collect()),
            },
            entries,
            properties_object,
            streams: STREAMS.map(|stream| self.static_of(SYSTEM, stream.field())),
            locales: LOCALES.map(|(field, _)| self.locale_text(self.static_of(LOCALE, field))),
            zone: match self.static_of("java/util/TimeZone", "defaultTimeZone") {
                0 => String::new(),
                zone => format!("{} {}", self.class_name_of(zone), self.text_of_field(zone, "ID")),
            },
        }
    }

    fn changed_globals(&self, effects: &mut Effects) {
        let (before, now) = (&self.environment.globals, self.present_globals());
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
        for name in before.properties.keys().filter(|name| !now.properties.contains_key(*name)) {
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
    }

    /// The reference in a static field of a class of the JDK; 0 if it has not been prepared.
    fn static_of(&self, class: &str, field: &str) -> Addr {
        let class = self.classes.names.get(class);
        class.and_then(|class| self.static_field(class, field)).unwrap_or(0) as Addr
    }

    /// The text in a field that holds a `String`.
    fn text_of_field(&self, object: Addr, field: &str) -> String {
        self.text_of(self.named(object, field) as Addr)
    }

    /// The text of a `String`; of any other object, what tells it from others.
    fn text_of(&self, object: Addr) -> String {
        match object {
            0 => String::new(),
            string if self.class_name_of(string) == "java/lang/String" => self.text(string),
            other => format!("{}@{other}", self.class_name_of(other)),
        }
    }

    fn locale_text(&self, locale: Addr) -> String {
        if locale == 0 {
            return String::new();
        }
        let base = self.named(locale, "baseLocale") as Addr;
        let parts = ["language", "script", "region", "variant"];
        let parts = parts.map(|part| if base == 0 { String::new() } else { self.text_of_field(base, part) });
        let extensions = self.named(locale, "localeExtensions") as Addr;
        let extensions = if extensions == 0 { String::new() } else { self.text_of_field(extensions, "id") };
        format!("{}_{extensions}", parts.join("_"))
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

    /// The threads of the program that have not ended.
    fn threads_left(&self) -> Vec<Effect> {
        let stopped = self.registers.cold.stopped.iter();
        let left =
            stopped.filter(|it| !it.system && it.thread != self.registers.thread && it.why != Why::Idle);
        let of = |it: &Stopped| Effect::Thread {
            name: self.text_of_field(it.thread, "name").into(),
            waits: self.waits_for_others(it),
        };
        left.map(of).collect()
    }

    /// Whether a thread does nothing more unless somebody else acts.
    fn waits_for_others(&self, stopped: &Stopped) -> bool {
        match stopped.why {
            Why::Entering(_) | Why::References | Why::Idle | Why::Initializing(_) | Why::Parked(None) => true,
            Why::Waiting { deadline, notified, .. } => deadline.is_none() && !notified,
            Why::Parked(Some(_)) => self.is_idle_worker(stopped),
            Why::Ready => self.is_worker_without_work(stopped),
            Why::Sleeping(_) => false,
        }
    }

    /// Whether a thread is one of a `ForkJoinPool` that executes no task and finds none.
    fn is_worker_without_work(&self, stopped: &Stopped) -> bool {
        const TASK: &str = "java/util/concurrent/ForkJoinTask";
        if !self.class_name_of(stopped.thread).starts_with("java/util/concurrent/ForkJoinWorkerThread") {
            return false;
        }
        let mut classes = stopped.frames.iter().map(|it| self.class(self.method(it.code.method).class));
        let is_working = classes.any(|class| !class.from_jdk || &*class.name == TASK);
        let pool = self.named(stopped.thread, "pool") as Addr;
        let queues = if pool == 0 { 0 } else { self.named(pool, "queues") as Addr };
        let length = if queues == 0 { 0 } else { self.array_length(queues) };
        let mut queues = (0..length).map(|at| self.element_ref(queues, at)).filter(|queue| *queue != 0);
        !is_working && queues.all(|queue| self.named(queue, "base") == self.named(queue, "top"))
    }

    /// Whether a thread that is parked for a time is one of a pool, which ends if nobody gives it work until then.
    fn is_idle_worker(&self, stopped: &Stopped) -> bool {
        let mut is_worker = false;
        for frame in &stopped.frames {
            let method = self.method(frame.code.method);
            match (&*self.class(method.class).name, &*method.name) {
                ("java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue", _) => return false,
                ("java/util/concurrent/ThreadPoolExecutor", "getTask")
                | ("java/util/concurrent/ForkJoinPool", "awaitWork") => is_worker = true,
                _ => {}
            }
        }
        is_worker
    }

    /// The threads that are to run when the JVM ends, but for those of the JDK's own classes.
    fn shutdown_hooks(&self) -> Vec<Effect> {
        let hooks = self.static_of("java/lang/ApplicationShutdownHooks", "hooks");
        let table = if hooks == 0 { 0 } else { self.named(hooks, "table") as Addr };
        let length = if table == 0 { 0 } else { self.array_length(table) };
        // Keys and values in turn.
        let threads = (0..length).step_by(2).map(|at| self.element_ref(table, at)).filter(|it| *it != 0);
        let of = |thread| {
            let class = self.class(self.class_of(thread));
            let by_program = !class.from_jdk || &*class.name == "java/lang/Thread";
            by_program.then(|| Effect::ShutdownHook(class.name.replace('/', ".").into()))
        };
        threads.filter_map(of).collect()
    }

    /// The paths given to `File.deleteOnExit`.
    fn deleted_on_exit(&self) -> Vec<Effect> {
        let set = self.static_of("java/io/DeleteOnExitHook", "files");
        let map = if set == 0 { 0 } else { self.named(set, "map") as Addr };
        let mut node = if map == 0 { 0 } else { self.named(map, "head") as Addr };
        let mut paths = Vec::new();
        while node != 0 && paths.len() < MOST {
            let path = self.text_of_field(node, "key");
            paths.push(Effect::DeleteOnExit(self.resolved_path(&path).into()));
            node = self.named(node, "after") as Addr;
        }
        paths
    }
}
