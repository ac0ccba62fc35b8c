//! A dependence is complete: anything outside of it can be changed, and the call still does the same.

use super::capture::NO_CONTENT;
use super::{
    CaptureSource, NativeReads, Reads, StaticNames, UnchangedMemory, WHOLE, capture, reached, reads_of_native,
};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::memory::Version;
use cupping_machine::{
    Addr, CallEnd, ClassKind, ELEMENT, FieldKeys, Kind, Machine, MethodId, Observer, RunLimits, Value,
    WatchScope, WatchedCall, element_byte,
};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

/// Creates objects and calls them in a dozen ways. Boxes are outside of the JDK's cache, whose objects all code
/// shares.
const SOURCE: &str = "
import java.math.*; import java.time.*; import java.util.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*;
public class Scene {
    static class Link { Link next; int weight; int idle; Link(Link next, int weight) { this.next = next; this.weight = weight; } }
    static int shared = 4, unused = 5;
    int[] numbers = {3, 1, 4, 1, 5, 9, 2, 6}; int count = 5; long spare = 7; Link chain; boolean flag;
    StringBuilder text = new StringBuilder(\"abc\");
    ArrayList<Integer> list = new ArrayList<>(List.of(1000, 2000, 3000));
    HashMap<String, Integer> map = new HashMap<>(Map.of(\"a\", 1000, \"b\", 2000));
    ConcurrentHashMap<String, Integer> shares = new ConcurrentHashMap<>(Map.of(\"a\", 1000, \"b\", 2000));
    ArrayDeque<String> queue = new ArrayDeque<>(List.of(\"x\", \"y\", \"z\"));
    TreeMap<Integer, String> tree = new TreeMap<>(Map.of(1001, \"p\", 1002, \"q\", 1003, \"r\"));
    AtomicInteger ticks = new AtomicInteger(3); LocalDate day = LocalDate.of(2024, 2, 29); BigDecimal price = new BigDecimal(\"12.50\");
    double[] reals = {1.5, 2.5}; char[] letters = {'u', 'v', 'w'}; byte[] bytes = {1, 2, 3, 4};
    static Object make() { Scene it = new Scene(); for (int i = 0; i < 9; i++) it.chain = new Link(it.chain, i); return it; }
    static int ask(Object object, int how) {
        Scene it = (Scene) object;
        switch (how) {
            case 0: return it.numbers[it.count];
            case 1: { Link at = it.chain; while (at.next != null) at = at.next; return at.weight; }
            case 2: return it.text.toString().hashCode();
            case 3: return it.list.get(1) + it.list.size();
            case 4: return it.map.getOrDefault(\"b\", -1);
            case 5: return it.shares.getOrDefault(\"a\", -1);
            case 6: return it.queue.peekLast().length() + it.queue.size();
            case 7: return it.tree.firstKey();
            case 8: return it.ticks.get() + shared;
            case 9: return it.day.getDayOfYear();
            case 10: return it.day.getMonthValue();
            case 11: return Arrays.hashCode(Arrays.copyOfRange(it.numbers, 2, 4));
            case 12: return (int) it.reals.clone()[1];
            case 13: return new String(it.letters, 1, 2).hashCode();
            case 14: return Arrays.equals(it.bytes, new byte[] {1, 2, 3, 4}) ? 1 : 2;
            case 15: { Iterator<Integer> all = it.list.iterator(); int sum = 0; while (all.hasNext()) sum += all.next(); return sum; }
            case 16: return it.flag ? it.count : shared;
            default: return Objects.hash(it.count, it.map.size());
        }
    }
}";
/// Number of ways to ask.
const WAYS: i32 = 18;

/// Notes all reads.
#[derive(Clone, Default)]
struct ReadLog(Rc<RefCell<Vec<(Addr, u32)>>>);

impl Observer for ReadLog {
    fn entered(&mut self, _: &mut Machine, _: WatchedCall) -> bool {
        false
    }

    fn left(&mut self, _: &mut Machine, _: WatchedCall, _: CallEnd) {}

    fn read(&mut self, _: u32, object: Addr, key: u32) {
        self.0.borrow_mut().push((object, key));
    }

    fn called_native(&mut self, machine: &Machine, method: MethodId, arguments: &[Value]) {
        match reads_of_native(machine, method, arguments) {
            NativeReads::Nothing | NativeReads::Unsure(_) => {}
            NativeReads::Locations(all) => self.0.borrow_mut().extend(all),
            NativeReads::Arguments => {
                let objects = machine.objects_among(&arguments.iter().map(|it| it.bits).collect::<Vec<_>>());
                let objects = arguments.iter().zip(objects).filter(|(_, is_object)| *is_object);
                self.0.borrow_mut().extend(objects.map(|(it, _)| (it.as_ref(), WHOLE)));
            }
        }
    }
}

fn machine() -> Machine {
    let jdk = Jdk::locate(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Scene.java");
    std::fs::write(&source, SOURCE).unwrap();
    let said = Command::new(jdk.javac_binary())
        .args(["-g", "--release", "17", "-d"])
        .arg(folder.path())
        .arg(&source)
        .output()
        .unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let class_path = ClassPath::open(folder.path().to_str().unwrap(), jdk.feature_version()).unwrap();
    let program = Arc::new(Program::new(jdk, class_path));
    let limits = RunLimits {
        record_flows: true,
        record_library_flows: true,
        collect: cupping_machine::CollectionPolicy::Never,
        ..RunLimits::default()
    };
    let machine = Machine::boot(program, limits).unwrap();
    // The class path is read lazily.
    std::mem::forget(folder);
    machine
}

/// The numbers in objects reachable from this one: their words, and the keys of their reads.
fn numbers(machine: &Machine, root: Addr) -> Vec<(Addr, u32, u64, u32)> {
    let reached = reached(machine, std::iter::once(root)).unwrap();
    let mut found = Vec::new();
    for object in reached {
        let id = machine.class_of(object);
        // Strings never change, and cached values follow from the rest.
        if matches!(machine.class_name_of(object), "java/lang/Class" | "java/lang/String") {
            continue;
        }
        let is_kept = |name: &str| machine.class(id).from_jdk && NO_CONTENT.contains(&name);
        if let ClassKind::Array { kind, .. } = machine.class(id).kind {
            if kind != Kind::Reference {
                let bytes = kind.array_bytes();
                let at = |index| element_byte(object, index, bytes);
                found.extend(
                    (0..machine.array_length(object)).map(|it| (object, it | ELEMENT, at(it), bytes)),
                );
            }
            continue;
        }
        let mut at = Some(id);
        while let Some(class) = at.map(|it| machine.class(it)) {
            for field in class
                .fields
                .iter()
                .filter(|it| !it.is_static() && it.kind != Kind::Reference && !is_kept(&it.name))
            {
                let key = FieldKeys::new(&class.name, &field.name).of_object;
                found.push((object, key, u64::from(object + u32::from(field.offset)) * 8, 8));
            }
            at = class.super_class;
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn state_outside_a_dependence_does_not_matter() {
    let mut machine = machine();
    let class = machine.initialize_now("Scene").unwrap();
    let method = |machine: &Machine, name: &str, descriptor: &str| {
        machine.find_method(class, name, descriptor).unwrap()
    };
    let (make, ask) =
        (method(&machine, "make", "()Ljava/lang/Object;"), method(&machine, "ask", "(Ljava/lang/Object;I)I"));
    let scene = machine.call(make, &[]).unwrap();
    machine.pin(scene.as_ref());
    let (before, top): (Version, Addr) = (machine.memory_version(), machine.memory().used());
    let (mut changed, mut matters) = (0, 0);
    for way in 0..WAYS {
        let arguments = [scene, Value::int(way)];
        let noted = ReadLog::default();
        let scope = WatchScope { natives: true, ..WatchScope::default() };
        machine.watch(scope, Some(Box::new(noted.clone())));
        machine.set_fuel(1_000_000);
        let expected = machine.call(ask, &arguments).unwrap();
        machine.watch(WatchScope::default(), None);
        machine.restore_memory(&before);
        let reads: Reads = noted.0.borrow().iter().copied().collect();
        let given = CaptureSource {
            arguments: &[(0, Kind::Reference, scene), (1, Kind::Int, arguments[1])],
            has_receiver: false,
            reads: &reads,
            overwritten: &FxHashSet::default(),
            initial: &UnchangedMemory::since(&machine, &before, top),
            has_state: &|_| true,
        };
        let captured = capture(&machine, &mut StaticNames::default(), &given);
        assert_eq!(captured.dependence.limit, None, "way {way}");
        assert!(captured.dependence.fit(&machine, &arguments).is_some(), "way {way}: it fits itself");
        for (object, key, byte, _) in numbers(&machine, scene.as_ref()) {
            let (word, shift) = ((byte / 8) as Addr, byte % 8 * 8);
            let old = machine.memory().read(word);
            machine.write_word(word, old ^ 1 << shift);
            // Strings and values count as a whole; unread parts of other objects must not matter.
            let fits = captured.dependence.fit(&machine, &arguments).is_some();
            let same = machine.aside(1_000_000, |machine| {
                matches!(machine.ask(ask, &arguments), Ok(CallEnd::Returned(it)) if it.bits as u32 == expected.bits as u32)
            });
            machine.write_word(word, old);
            changed += usize::from(fits);
            matters += usize::from(!same);
            let name = machine.class_name_of(object);
            assert!(same || !fits, "way {way}: {name} {key:#x} matters, but is not in the dependence");
        }
    }
    assert!(changed > 1_000 && matters > 30, "{changed} locations that are free, {matters} that matter");
}
