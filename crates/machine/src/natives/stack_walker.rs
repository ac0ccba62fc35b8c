//! `java.lang.StackWalker`: the frames of the running thread, delivered in batches.
//!
//! Java's part keeps a buffer of frames and requests the next batch by an *anchor*. Here that is the number of
//! frames below which the walk continues, shifted so that it is never 0.

use super::support::{ONE, int};
use super::{Args, Native, NativeOutcome, VOID, row};
use crate::classes::{ClassId, MethodId};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::run::exceptions::TraceRow;
use crate::state::{Purpose, Value};

const FACTORY: &str = "java/lang/StackStreamFactory";
const WALKER: &str = "java/lang/StackStreamFactory$AbstractStackWalker";

/// Modes of `StackStreamFactory`.
const GET_CALLER_CLASS: i64 = 0x04;
const SHOW_HIDDEN_FRAMES: i64 = 0x20;
/// Flags of `MemberName` for methods and constructors.
const IS_METHOD: u32 = 0x0001_0000;
const IS_CONSTRUCTOR: u32 = 0x0002_0000;

pub(super) const NATIVES: &[Native] = &[
    row(FACTORY, "checkStackWalkModes", "()Z", ONE),
    row(WALKER, "callStackWalk", "(JIII[Ljava/lang/Object;)Ljava/lang/Object;", |m, a| {
        begin(
            m,
            a,
            Request { mode: a.long(m, 1), batch: a.int(m, 4), start: a.int(m, 5), frames: a.reference(m, 6) },
        )
    }),
    row(
        WALKER,
        "callStackWalk",
        "(IILjdk/internal/vm/ContinuationScope;Ljdk/internal/vm/Continuation;II[Ljava/lang/Object;)Ljava/lang/Object;",
        |m, a| {
            let mode = a.int(m, 1).into();
            begin(m, a, Request { mode, batch: a.int(m, 5), start: a.int(m, 6), frames: a.reference(m, 7) })
        },
    ),
    row(WALKER, "fetchStackFrames", "(JJII[Ljava/lang/Object;)I", |m, a| {
        let request =
            Request { mode: a.long(m, 1), batch: a.int(m, 5), start: a.int(m, 6), frames: a.reference(m, 7) };
        // The index after the last frame; since JDK 21 the number of frames.
        int(fetch(m, a, a.long(m, 3), request)?)
    }),
    row(WALKER, "fetchStackFrames", "(IJIII[Ljava/lang/Object;)I", |m, a| {
        let mode = a.int(m, 1).into();
        let request = Request { mode, batch: a.int(m, 5), start: a.int(m, 6), frames: a.reference(m, 7) };
        let start = request.start;
        int(fetch(m, a, a.long(m, 2), request)? - start)
    }),
    row("java/lang/StackTraceElement", "initStackTraceElement", "*", init_element),
];

/// A request by Java: at most `batch` frames, into `frames` from `start` on.
struct Request {
    mode: i64,
    batch: i32,
    start: i32,
    frames: Addr,
}

fn begin(m: &mut Machine, args: &Args, request: Request) -> Step<NativeOutcome> {
    let this = args.reference(m, 0);
    let mut below = m.registers.frames.len();
    // The walker's own frames come first.
    let walker = m.load(WALKER)?;
    let factory = m.load("java/lang/StackWalker")?;
    while below > 0 {
        let class = m.registers.frames[below - 1].code.class;
        if class != factory && class != walker && m.class(class).super_class != Some(walker) {
            break;
        }
        below -= 1;
    }
    let (end, below) = fill(m, below, &request)?;
    if end == request.start {
        return Err(Trap::Raise("java/lang/InternalError", Some("stack walk: decode failed".into())));
    }
    let method = m.jdk_method(WALKER, "doStackWalk", "(JIIII)Ljava/lang/Object;")?;
    let arguments = vec![
        Value::reference(this),
        Value::long(anchor(below)),
        Value::int(0),
        // Since JDK 21 the number of frames; before that a value that nobody reads.
        Value::int(end - request.start),
        Value::int(request.start),
        Value::int(end),
    ];
    Ok(NativeOutcome::Call(method, arguments))
}

fn fetch(m: &mut Machine, args: &Args, from: i64, request: Request) -> Step<i32> {
    let (end, below) = fill(m, (from >> 1) as usize, &request)?;
    m.set_named(args.reference(m, 0), "anchor", anchor(below) as u64);
    Ok(end)
}

fn anchor(below: usize) -> i64 {
    (below as i64) << 1 | 1
}

/// Writes the frames below a position; returns the index after the last one, and the position of the next
/// batch.
fn fill(m: &mut Machine, below: usize, request: &Request) -> Step<(i32, usize)> {
    let mut at = below.min(m.registers.frames.len());
    let mut index = request.start;
    let room = m.array_length(request.frames) as i32;
    let hide = request.mode & SHOW_HIDDEN_FRAMES == 0 || request.mode & GET_CALLER_CLASS != 0;
    while at > 0 && index - request.start < request.batch && index < room {
        let frame = &m.registers.frames[at - 1];
        if matches!(frame.purpose, Purpose::Entry | Purpose::Thread) && frame.code.max_locals == 0 {
            return Ok((index, 0));
        }
        let (method, class) = (frame.code.method, frame.code.class);
        let last = frame.purpose == Purpose::Thread;
        let offset = frame.code.offsets.get(frame.pc as usize).copied().unwrap_or(0);
        at -= 1;
        if !(hide && m.is_hidden(class)) {
            describe(m, request.frames, index as u32, method, offset)?;
            index += 1;
        }
        if last {
            return Ok((index, 0));
        }
    }
    Ok((index, at))
}

/// Puts a frame into the buffer: its class, or the method as described by the object there.
fn describe(m: &mut Machine, frames: Addr, index: u32, method: MethodId, offset: u32) -> Step<()> {
    let (class, name) = (m.method(method).class, m.method(method).name.clone());
    let mirror = m.mirror(class)?;
    let info = m.element_ref(frames, index);
    if info == 0 || m.class_name_of(info) == "java/lang/Class" {
        m.set_element_ref(frames, index, mirror);
        return Ok(());
    }
    let kind = if &*name == "<init>" { IS_CONSTRUCTOR } else { IS_METHOD };
    let flags = (u32::from(m.method(method).access.0) | kind) as u64;
    let descriptor = m.method(method).descriptor.clone();
    let (name, descriptor) = (m.intern_text(&name)?, m.intern_text(&descriptor)?);
    m.set_named(info, "bci", offset as u64);
    let member = m.named(info, "memberName") as Addr;
    if member != 0 {
        // Until JDK 21.
        for (field, value) in
            [("clazz", mirror as u64), ("name", name as u64), ("type", descriptor as u64), ("flags", flags)]
        {
            m.set_named(member, field, value);
        }
        return Ok(());
    }
    let holder = if m.class_name_of(info) == "java/lang/StackFrameInfo" {
        let resolved = m.load("java/lang/invoke/ResolvedMethodName")?;
        let resolved = m.new_object(resolved)?;
        m.set_named(resolved, "vmholder", mirror as u64);
        resolved
    } else {
        mirror
    };
    m.set_named(info, "classOrMemberName", holder as u64);
    m.set_named(info, "name", name as u64);
    m.set_named(info, "type", descriptor as u64);
    // The upper bits are Java's own.
    let own = m.named(info, "flags") & 0xFF00_0000;
    m.set_named(info, "flags", own | flags);
    Ok(())
}

/// The method that a frame object tells of.
fn method_of(m: &mut Machine, info: Addr) -> Option<MethodId> {
    let member = m.named(info, "memberName") as Addr;
    let (holder, class) = if member != 0 {
        (member, m.named(member, "clazz") as Addr)
    } else {
        (info, m.named(m.named(info, "classOrMemberName") as Addr, "vmholder") as Addr)
    };
    let (name, of_type) = (m.named(holder, "name") as Addr, m.named(holder, "type") as Addr);
    if class == 0 || name == 0 || of_type == 0 {
        return None;
    }
    let class: ClassId = m.class_of_mirror(class);
    let name = m.text(name);
    let descriptor = if m.class_name_of(of_type) == "java/lang/String" {
        m.text(of_type)
    } else {
        m.signature_of(of_type).ok()?.to_string()
    };
    m.declared_method(class, &name, &descriptor)
}

fn init_element(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (element, info) = (args.non_null(m, 0)?, args.non_null(m, 1)?);
    if let Some(method) = method_of(m, info) {
        let offset = m.named(info, "bci") as u32;
        m.fill_stack_trace_element(element, &TraceRow { method, offset })?;
    }
    Ok(VOID)
}
