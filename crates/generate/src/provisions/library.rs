//! JDK collections and maps: implementations of its interfaces, and non-empty instances.

use super::{MAX_DEPTH, Provider, Provision};
use crate::invokable::Invokable;
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, Machine};
use std::rc::Rc;

/// Abstract JDK types with implementing classes.
pub(super) const IMPLEMENTERS: &[(&str, &str)] = &[
    ("java/util/Collection", "java/util/ArrayList"),
    ("java/lang/Iterable", "java/util/ArrayList"),
    ("java/util/List", "java/util/ArrayList java/util/LinkedList"),
    ("java/util/Set", "java/util/HashSet"),
    ("java/util/SortedSet", "java/util/TreeSet"),
    ("java/util/NavigableSet", "java/util/TreeSet"),
    ("java/util/Map", "java/util/HashMap"),
    ("java/util/Map$Entry", "java/util/AbstractMap$SimpleEntry"),
    ("java/util/concurrent/ConcurrentMap", "java/util/concurrent/ConcurrentHashMap"),
    ("java/util/concurrent/BlockingQueue", "java/util/concurrent/LinkedBlockingQueue"),
    ("java/util/SortedMap", "java/util/TreeMap"),
    ("java/util/NavigableMap", "java/util/TreeMap"),
    ("java/util/Queue", "java/util/LinkedList"),
    ("java/util/Deque", "java/util/ArrayDeque"),
    ("java/lang/Appendable", "java/lang/StringBuilder"),
    ("java/io/Writer", "java/io/StringWriter"),
    ("java/io/Reader", "java/io/StringReader"),
    ("java/lang/Readable", "java/io/StringReader"),
    ("java/io/OutputStream", "java/io/ByteArrayOutputStream"),
    ("java/io/InputStream", "java/io/ByteArrayInputStream"),
    ("java/lang/Throwable", "java/lang/RuntimeException"),
    ("java/util/Calendar", "java/util/GregorianCalendar"),
    ("java/text/Format", "java/text/DecimalFormat"),
    ("java/text/NumberFormat", "java/text/DecimalFormat"),
    ("java/text/DateFormat", "java/text/SimpleDateFormat"),
    ("java/time/temporal/Temporal", "java/time/LocalDateTime java/time/LocalDate"),
    ("java/time/temporal/TemporalAccessor", "java/time/LocalDateTime java/time/LocalDate"),
    ("java/time/temporal/TemporalAdjuster", "java/time/LocalDate java/time/LocalTime"),
    ("java/time/temporal/TemporalAmount", "java/time/Duration java/time/Period"),
    ("java/time/temporal/TemporalUnit", "java/time/temporal/ChronoUnit"),
    ("java/time/temporal/TemporalField", "java/time/temporal/ChronoField"),
    ("java/time/chrono/ChronoLocalDate", "java/time/LocalDate"),
    ("java/time/chrono/ChronoLocalDateTime", "java/time/LocalDateTime"),
    ("java/time/chrono/ChronoZonedDateTime", "java/time/ZonedDateTime"),
    ("java/time/chrono/Chronology", "java/time/chrono/IsoChronology"),
    ("java/awt/Paint", "java/awt/Color"),
    ("java/awt/Stroke", "java/awt/BasicStroke"),
    ("java/awt/Shape", "java/awt/geom/Rectangle2D$Double"),
    ("java/awt/geom/Rectangle2D", "java/awt/geom/Rectangle2D$Double"),
    ("java/awt/geom/Point2D", "java/awt/geom/Point2D$Double"),
    ("java/nio/file/OpenOption", "java/nio/file/StandardOpenOption"),
    ("java/nio/file/CopyOption", "java/nio/file/StandardCopyOption"),
];

/// Views of collections by type: the class and the method that returns the view, which takes the collection.
const VIEWS: [(&str, &str, &str, &str); 4] = [
    ("java/util/Iterator", "java/util/ArrayList", "iterator", "()Ljava/util/Iterator;"),
    ("java/util/ListIterator", "java/util/ArrayList", "listIterator", "()Ljava/util/ListIterator;"),
    (
        "java/util/Enumeration",
        "java/util/Collections",
        "enumeration",
        "(Ljava/util/Collection;)Ljava/util/Enumeration;",
    ),
    ("java/util/stream/Stream", "java/util/Collection", "stream", "()Ljava/util/stream/Stream;"),
];

impl Provider {
    /// The provision of a type that is a view, such as an iterator: from a list of elements. A stub of it would
    /// never end, or never return an element.
    pub(super) fn views(
        &mut self,
        machine: &mut Machine,
        name: &str,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        let Some((_, class, method, descriptor)) = VIEWS.iter().find(|it| it.0 == name) else {
            return Vec::new();
        };
        let giver = machine.load(class).ok().and_then(|class| invokable(machine, class, method, descriptor));
        let Some(giver) = giver else { return Vec::new() };
        let lists = self.implementer(machine, "java/util/ArrayList", generic, depth);
        lists.into_iter().map(|list| Provision::MakeOf(giver.clone(), vec![list])).collect()
    }

    /// Collections and maps with two elements, then with one.
    pub(super) fn filled(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        if !machine.class(class).from_jdk {
            return Vec::new();
        }
        let arguments = match generic {
            Some(GenericType::Class { arguments, .. }) => arguments.clone(),
            _ => Vec::new(),
        };
        let object = || GenericType::Class { name: "java/lang/Object".to_owned(), arguments: Vec::new() };
        let all = |p: &mut Provider, machine: &mut Machine, at: usize| {
            let ty = arguments.get(at).cloned().unwrap_or_else(object);
            p.typed(machine, &ty, depth)
        };
        let value = |p: &mut Provider, machine: &mut Machine, at: usize| all(p, machine, at)[0].clone();
        let makers = [
            (
                "(Ljava/util/Collection;)V",
                "java/util/Arrays",
                "asList",
                "([Ljava/lang/Object;)Ljava/util/List;",
            ),
            (
                "(Ljava/util/Map;)V",
                "java/util/Collections",
                "singletonMap",
                "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;",
            ),
        ];
        for (constructor, library, factory, descriptor) in makers {
            let found = (
                invokable(machine, class, "<init>", constructor),
                machine.load(library).ok().and_then(|c| invokable(machine, c, factory, descriptor)),
            );
            let (Some(constructor), Some(factory)) = found else { continue };
            let contents = if factory.parameters.len() == 1 {
                let element = value(self, machine, 0);
                if depth >= MAX_DEPTH && element.is_null() {
                    continue;
                }
                let Ok(objects) = machine.load("java/lang/Object") else { continue };
                let both = vec![element.clone(), element.clone()];
                vec![
                    vec![Provision::Elements(objects, both)],
                    vec![Provision::Elements(objects, vec![element])],
                ]
            } else {
                let (key, values) = (value(self, machine, 0), all(self, machine, 1));
                if depth >= MAX_DEPTH && (key.is_null() || values[0].is_null()) {
                    continue;
                }
                // One of the collections in a map is empty.
                let is_empty = |it: &&Provision| match it {
                    Provision::Make(maker) | Provision::MakeOf(maker, _) => maker.parameters.is_empty(),
                    _ => false,
                };
                let values = values.iter().take(1).chain(values.iter().skip(1).find(is_empty));
                values.map(|value| vec![key.clone(), value.clone()]).collect()
            };
            let of = |content| {
                Provision::MakeOf(constructor.clone(), vec![Provision::MakeOf(factory.clone(), content)])
            };
            return contents.into_iter().map(of).collect();
        }
        Vec::new()
    }
}

/// The public constructor or static method with this name and descriptor.
pub(super) fn invokable(
    machine: &Machine,
    class: ClassId,
    name: &str,
    descriptor: &str,
) -> Option<Rc<Invokable>> {
    let method = machine.declared_method(class, name, descriptor)?;
    let is_public = machine.method(method).access.is_public();
    is_public.then(|| Invokable::new(machine, class, method)).flatten().map(Rc::new)
}
