//! Sockets: calls of `sun.nio.ch` on the network in memory.
//!
//! A call that would have to wait returns `IOStatus.UNAVAILABLE`; its caller then polls, which stops the
//! thread.

use super::support::{NOTHING, ONE, VOID_RESULT, int, long, reference};
use super::system_calls::number_of;
use super::{Args, Native, NativeOutcome, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{bytes, io_vector, java_net, unsafe_memory};
use crate::threads::StopReason;
use crate::world::{Endpoint, NetworkRefusal, ReceiveResult};
use cupping_case::Effect;

const NET: &str = "sun/nio/ch/Net";
const DISPATCHER: &str = "sun/nio/ch/SocketDispatcher";
/// `IOStatus.EOF` and `IOStatus.UNAVAILABLE`.
const END: i32 = -1;
const UNAVAILABLE: i32 = -2;
/// `Net.POLLIN`.
const READING: i32 = 1;
/// `SO_LINGER`, `SO_SNDBUF` and `SO_RCVBUF` of Linux, at the level `SOL_SOCKET`.
const LINGER: (i32, i32) = (1, 13);
const BUFFERS: [(i32, i32); 2] = [(1, 7), (1, 8)];
const BUFFER_BYTES: i32 = 65_536;

pub(super) const NATIVES: &[Native] = &[
    row(NET, "socket0", "(ZZZZ)I", |m, a| {
        m.note(Effect::Socket("opened".into()));
        if a.int(m, 1) == 0 {
            // Datagrams go nowhere.
            return int(java_net::SOCKET);
        }
        int(m.registers.cold.network.open())
    }),
    row(NET, "getIntOption0", "(Ljava/io/FileDescriptor;ZII)I", |m, a| {
        int(match (a.int(m, 2), a.int(m, 3)) {
            LINGER => -1,
            option if BUFFERS.contains(&option) => BUFFER_BYTES,
            _ => 0,
        })
    }),
    row(NET, "setIntOption0", "(Ljava/io/FileDescriptor;ZIIIZ)V", NOTHING),
    row(NET, "bind0", "(Ljava/io/FileDescriptor;ZZLjava/net/InetAddress;I)V", |m, a| {
        let (descriptor, address, port) = (number_of(m, a.reference(m, 0)), a.reference(m, 3), a.int(m, 4));
        m.note(Effect::Socket(format!("bound to {}:{port}", java_net::address_text(m, address)).into()));
        let wanted = Endpoint { address: java_net::address_bits(m, address), port: port as u16 };
        m.registers.cold.network.bind(descriptor, wanted).map_err(raised)?;
        VOID_RESULT
    }),
    row(NET, "listen", "(Ljava/io/FileDescriptor;I)V", |m, a| {
        let (descriptor, most) = (number_of(m, a.reference(m, 0)), a.int(m, 1).max(0) as usize);
        m.registers.cold.network.listen(descriptor, most).map_err(raised)?;
        VOID_RESULT
    }),
    row(NET, "connect0", "(ZLjava/io/FileDescriptor;Ljava/net/InetAddress;I)I", |m, a| {
        let (descriptor, address, port) = (number_of(m, a.reference(m, 1)), a.non_null(m, 2)?, a.int(m, 3));
        m.note(Effect::Socket(format!("connected to {}:{port}", java_net::address_text(m, address)).into()));
        let remote = Endpoint { address: java_net::address_bits(m, address), port: port as u16 };
        m.registers.cold.network.connect(descriptor, remote).map_err(raised)?;
        int(1)
    }),
    row(
        NET,
        "accept",
        "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;[Ljava/net/InetSocketAddress;)I",
        accept,
    ),
    row(NET, "shutdown", "(Ljava/io/FileDescriptor;I)V", |m, a| {
        let (descriptor, how) = (number_of(m, a.reference(m, 0)), a.int(m, 1));
        // 0 for reading, 1 for writing, 2 for both. An unconnected socket has nothing to shut down.
        let _ = m.registers.cold.network.shut_down(descriptor, how != 1, how != 0);
        VOID_RESULT
    }),
    row(NET, "poll", "(Ljava/io/FileDescriptor;IJ)I", poll),
    row(NET, "pollConnect", "(Ljava/io/FileDescriptor;J)Z", ONE),
    row(NET, "available", "(Ljava/io/FileDescriptor;)I", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        int(m.registers.cold.network.available(descriptor).unwrap_or(0) as i32)
    }),
    row(NET, "localPort", "(Ljava/io/FileDescriptor;)I", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        int(m.registers.cold.network.local(descriptor).unwrap_or_default().port.into())
    }),
    row(NET, "localInetAddress", "(Ljava/io/FileDescriptor;)Ljava/net/InetAddress;", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        let local = m.registers.cold.network.local(descriptor).unwrap_or_default();
        java_net::address(m, 0, local.address.to_be_bytes()).and_then(reference)
    }),
    row(NET, "remotePort", "(Ljava/io/FileDescriptor;)I", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        int(m.registers.cold.network.remote(descriptor).map_err(raised)?.port.into())
    }),
    row(NET, "remoteInetAddress", "(Ljava/io/FileDescriptor;)Ljava/net/InetAddress;", |m, a| {
        let descriptor = number_of(m, a.reference(m, 0));
        let remote = m.registers.cold.network.remote(descriptor).map_err(raised)?;
        java_net::address(m, 0, remote.address.to_be_bytes()).and_then(reference)
    }),
    row(DISPATCHER, "read0", "(Ljava/io/FileDescriptor;JI)I", |m, a| {
        let (descriptor, to, most) =
            (number_of(m, a.reference(m, 0)), a.long(m, 1) as u64, a.int(m, 3).max(0));
        unsafe_memory::check_outside(m, to, most as u64)?;
        receive(m, descriptor, to, most as usize).and_then(int)
    }),
    row(DISPATCHER, "readv0", "(Ljava/io/FileDescriptor;JI)J", |m, a| {
        // One piece is enough: a read may always return less than requested.
        let descriptor = number_of(m, a.reference(m, 0));
        let pieces = io_vector::pieces(m, a)?;
        let Some((to, most)) = pieces.into_iter().find(|(_, length)| *length > 0) else { return long(0) };
        unsafe_memory::check_outside(m, to, most)?;
        receive(m, descriptor, to, most as usize).and_then(|read| long(read.into()))
    }),
    row(DISPATCHER, "write0", "(Ljava/io/FileDescriptor;JI)I", write),
    row(DISPATCHER, "writev0", "(Ljava/io/FileDescriptor;JI)J", write_vector),
];

/// The exception for a refusal.
fn raised(refusal: NetworkRefusal) -> Trap {
    let (class, message) = match refusal {
        NetworkRefusal::AddressInUse => ("java/net/BindException", "Address already in use"),
        NetworkRefusal::AddressNotAvailable => ("java/net/BindException", "Cannot assign requested address"),
        NetworkRefusal::PermissionDenied => ("java/net/BindException", "Permission denied"),
        NetworkRefusal::ConnectionRefused => ("java/net/ConnectException", "Connection refused"),
        NetworkRefusal::Unreachable => ("java/net/SocketException", "Network is unreachable"),
        NetworkRefusal::NotConnected => ("java/net/SocketException", "Transport endpoint is not connected"),
        NetworkRefusal::BrokenPipe => ("java/net/SocketException", "Broken pipe"),
        NetworkRefusal::BadDescriptor => ("java/net/SocketException", "Bad file descriptor"),
    };
    Trap::Raise(class, Some(message.into()))
}

fn accept(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (listener, accepted, addresses) =
        (number_of(m, args.reference(m, 0)), args.non_null(m, 1)?, args.non_null(m, 2)?);
    // Created first: an instruction that needs class initialisation runs again.
    let (class, holders) = (
        m.load("java/net/InetSocketAddress")?,
        m.load("java/net/InetSocketAddress$InetSocketAddressHolder")?,
    );
    m.ensure_initialized(class)?;
    m.ensure_initialized(holders)?;
    let inet = java_net::address(m, 0, [0; 4])?;
    let Some((descriptor, from)) = m.registers.cold.network.accept(listener).map_err(raised)? else {
        return int(UNAVAILABLE);
    };
    java_net::set_address(m, inet, from.address);
    let (address, holder) = (m.new_object(class)?, m.new_object(holders)?);
    m.set_named(holder, "addr", inet as u64);
    m.set_named(holder, "port", from.port.into());
    m.set_named(address, "holder", holder as u64);
    m.set_element_ref(addresses, 0, address);
    m.set_named(accepted, "fd", descriptor as u32 as u64);
    int(1)
}

/// Waits until something can be read, or for this many milliseconds; writing never has to wait.
fn poll(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (descriptor, events, millis) = (number_of(m, args.reference(m, 0)), args.int(m, 1), args.long(m, 2));
    if events & READING == 0 || m.registers.cold.network.is_readable(descriptor) {
        return int(events);
    }
    if millis == 0 {
        return int(0);
    }
    let deadline = (millis > 0).then(|| m.now().saturating_add((millis as u64).saturating_mul(1_000_000)));
    // The result, when the thread goes on.
    m.stack.set(args.base, events as u64);
    Ok(NativeOutcome::Block(StopReason::Receiving { descriptor, deadline }))
}

fn receive(m: &mut Machine, descriptor: i32, to: u64, most: usize) -> Step<i32> {
    Ok(match m.registers.cold.network.receive(descriptor, most).map_err(raised)? {
        ReceiveResult::Bytes(received) => {
            bytes::put_bytes(m, to, &received);
            received.plain.len() as i32
        }
        ReceiveResult::Nothing => UNAVAILABLE,
        ReceiveResult::End => END,
    })
}

/// Writes to a socket.
pub(super) fn write(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = number_of(m, args.reference(m, 0));
    let (from, length) = (args.long(m, 1) as u64, args.int(m, 3).max(0));
    unsafe_memory::check_outside(m, from, length as u64)?;
    let sent = bytes::bytes_at(m, from, length as u64);
    m.registers.cold.network.send(descriptor, sent).map_err(raised)?;
    int(length)
}

/// Writes several pieces to a socket.
pub(super) fn write_vector(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = number_of(m, args.reference(m, 0));
    let mut written = 0;
    for (from, length) in io_vector::pieces(m, args)? {
        unsafe_memory::check_outside(m, from, length)?;
        let sent = bytes::bytes_at(m, from, length);
        m.registers.cold.network.send(descriptor, sent).map_err(raised)?;
        written += length as i64;
    }
    long(written)
}

/// Whether the descriptor that a call names is a socket's.
pub(super) fn is_socket(m: &Machine, descriptor: Addr) -> bool {
    m.registers.cold.network.has_had(number_of(m, descriptor))
}
