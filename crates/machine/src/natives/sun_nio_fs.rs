//! `sun.nio.fs`: what is at a path. Only the files that are [`given`] are there, to be read.

use super::support::{NOTHING, ZERO, int, reference};
use super::{Args, Native, Outcome, VOID, row};
use crate::exit::{Step, Trap};
use crate::given::{Given, absolute};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;

const DISPATCHER: &str = "sun/nio/fs/UnixNativeDispatcher";
const STAT: &str = "(Lsun/nio/fs/UnixPath;Lsun/nio/fs/UnixFileAttributes;)V";
/// `ENOENT`.
const NO_SUCH_FILE: i32 = 2;

pub(super) const NATIVES: &[Native] = &[
    row(DISPATCHER, "init", "()I", ZERO),
    row(DISPATCHER, "getcwd", "()[B", |m, _| reference(m.new_byte_array(b"/cupping-dir")?)),
    row(DISPATCHER, "stat", STAT, stat),
    row(DISPATCHER, "lstat", STAT, stat),
    row(DISPATCHER, "stat", "(Lsun/nio/fs/UnixPath;)I", |m, a| match found(m, a) {
        Some(given) => int(mode(&given)),
        None => int(0),
    }),
    row(DISPATCHER, "exists", "(Lsun/nio/fs/UnixPath;)Z", |m, a| {
        super::support::boolean(found(m, a).is_some())
    }),
    row(DISPATCHER, "access", "(Lsun/nio/fs/UnixPath;I)V", |m, a| match found(m, a) {
        Some(_) => Ok(VOID),
        None => Err(absent(m)?),
    }),
    row(DISPATCHER, "open", "*", |m, _| Err(absent(m)?)),
    row(DISPATCHER, "realpath", "*", realpath),
    row(DISPATCHER, "close", "*", NOTHING),
];

fn found(m: &mut Machine, args: &Args) -> Option<Given> {
    let bytes = m.named(args.reference(m, 0), "path") as Addr;
    let path = String::from_utf8_lossy(&m.byte_array(bytes)).into_owned();
    m.given_file(&absolute(&path))
}

fn mode(given: &Given) -> i32 {
    match given {
        Given::File(_) => 0o100_444,
        Given::Folder => 0o040_555,
    }
}

fn stat(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let Some(given) = found(m, args) else { return Err(absent(m)?) };
    let attributes = args.non_null(m, 1)?;
    let bytes = m.named(args.reference(m, 0), "path") as Addr;
    // `ZipFile` takes files of one number for one file.
    let number = m
        .byte_array(bytes)
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ *byte as u64).wrapping_mul(0x100_0000_01b3));
    m.set_named(attributes, "st_ino", number);
    m.set_named(attributes, "st_mode", mode(&given) as u64);
    if let Given::File(content) = given {
        m.set_named(attributes, "st_size", content.len() as u64);
    }
    Ok(VOID)
}

fn realpath(m: &mut Machine, args: &Args) -> Step<Outcome> {
    if found(m, args).is_none() {
        return Err(absent(m)?);
    }
    let bytes = m.named(args.reference(m, 0), "path") as Addr;
    let path = absolute(&String::from_utf8_lossy(&m.byte_array(bytes)));
    reference(m.new_byte_array(path.as_bytes())?)
}

fn absent(m: &mut Machine) -> Step<Trap> {
    let class = m.load("sun/nio/fs/UnixException")?;
    m.ensure_initialized(class)?;
    let exception = m.new_object(class)?;
    let constructor = m.jdk_method("sun/nio/fs/UnixException", "<init>", "(I)V")?;
    m.call(constructor, &[Value::reference(exception), Value::int(NO_SUCH_FILE)])?;
    Ok(Trap::Throw(exception))
}
