//! `java.net`: there is no network but the names of this host. What would connect is refused, what would resolve a
//! name finds none.

use super::support::{NOTHING, ONE, ZERO, int, reference};
use super::{Args, Native, Outcome, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::sandbox::Errno;

const ADDRESS: &str = "java/net/InetAddress";
const FOUR: &str = "java/net/Inet4AddressImpl";
const SIX: &str = "java/net/Inet6AddressImpl";
const INTERFACE: &str = "java/net/NetworkInterface";
const NET: &str = "sun/nio/ch/Net";
const LINUX_OPTIONS: &str = "jdk/net/LinuxSocketOptions";
const LOOKUP: &str = "(Ljava/lang/String;)[Ljava/net/InetAddress;";
/// The name of this host.
const HOST: &str = "localhost";
/// The descriptor that every socket gets: nothing is behind it.
const SOCKET: i32 = i32::MAX;

pub(super) const NATIVES: &[Native] = &[
    row(ADDRESS, "init", "()V", NOTHING),
    row(ADDRESS, "isIPv4Available", "()Z", ONE),
    row(ADDRESS, "isIPv6Supported", "()Z", ZERO),
    row("java/net/InetAddressImplFactory", "isIPv6Supported", "()Z", ZERO),
    row("java/net/Inet4Address", "init", "()V", NOTHING),
    row("java/net/Inet6Address", "init", "()V", NOTHING),
    row("java/net/DatagramPacket", "init", "()V", NOTHING),
    row(FOUR, "getLocalHostName", "()Ljava/lang/String;", |m, _| reference(m.new_text(HOST)?)),
    row(SIX, "getLocalHostName", "()Ljava/lang/String;", |m, _| reference(m.new_text(HOST)?)),
    row(FOUR, "lookupAllHostAddr", LOOKUP, look_up),
    row(SIX, "lookupAllHostAddr", "*", look_up),
    row(FOUR, "getHostByAddr", "([B)Ljava/lang/String;", name_of_address),
    row(SIX, "getHostByAddr", "([B)Ljava/lang/String;", name_of_address),
    row(FOUR, "isReachable0", "([BI[BI)Z", ZERO),
    row(SIX, "isReachable0", "([BII[BII)Z", ZERO),
    row(INTERFACE, "init", "()V", NOTHING),
    row(INTERFACE, "getAll", "()[Ljava/net/NetworkInterface;", ZERO),
    row(INTERFACE, "getByName0", "(Ljava/lang/String;)Ljava/net/NetworkInterface;", ZERO),
    row(INTERFACE, "getByIndex0", "(I)Ljava/net/NetworkInterface;", ZERO),
    row(INTERFACE, "getByInetAddress0", "(Ljava/net/InetAddress;)Ljava/net/NetworkInterface;", ZERO),
    row(INTERFACE, "boundInetAddress0", "(Ljava/net/InetAddress;)Z", ZERO),
    row("sun/net/spi/DefaultProxySelector", "init", "()Z", ZERO),
    row(LINUX_OPTIONS, "keepAliveOptionsSupported0", "()Z", ZERO),
    row(LINUX_OPTIONS, "quickAckSupported0", "()Z", ZERO),
    row(LINUX_OPTIONS, "incomingNapiIdSupported0", "()Z", ZERO),
    row(NET, "initIDs", "()V", NOTHING),
    row(NET, "isIPv6Available0", "()Z", ZERO),
    row(NET, "isReusePortAvailable0", "()Z", ZERO),
    row(NET, "shouldSetBothIPv4AndIPv6Options0", "()Z", ZERO),
    row(NET, "shouldShutdownWriteBeforeClose0", "()Z", ZERO),
    row(NET, "canIPv6SocketJoinIPv4Group0", "()Z", ZERO),
    row(NET, "canJoin6WithIPv4Group0", "()Z", ZERO),
    row(NET, "canUseIPv6OptionsWithIPv4LocalAddress0", "()Z", ZERO),
    row(NET, "socket0", "(ZZZZ)I", |_, _| int(SOCKET)),
    row(NET, "getIntOption0", "(Ljava/io/FileDescriptor;ZII)I", ZERO),
    row(NET, "setIntOption0", "(Ljava/io/FileDescriptor;ZIIIZ)V", NOTHING),
    row(NET, "connect0", "(ZLjava/io/FileDescriptor;Ljava/net/InetAddress;I)I", connect),
    row(NET, "bind0", "(Ljava/io/FileDescriptor;ZZLjava/net/InetAddress;I)V", |_, _| {
        Err(Trap::Raise("java/net/BindException", Some(Errno::AccessDenied.message().into())))
    }),
    row(NET, "listen", "(Ljava/io/FileDescriptor;I)V", |_, _| {
        Err(Trap::Raise("java/net/SocketException", Some(Errno::NotSupported.message().into())))
    }),
    row(NET, "shutdown", "(Ljava/io/FileDescriptor;I)V", NOTHING),
    row(NET, "poll", "(Ljava/io/FileDescriptor;IJ)I", ZERO),
    row(NET, "pollConnect", "(Ljava/io/FileDescriptor;J)Z", ZERO),
    row(NET, "available", "(Ljava/io/FileDescriptor;)I", ZERO),
    row(NET, "localPort", "(Ljava/io/FileDescriptor;)I", ZERO),
    row(NET, "localInetAddress", "(Ljava/io/FileDescriptor;)Ljava/net/InetAddress;", |m, _| {
        let host = m.new_text("0.0.0.0")?;
        address(m, host, [0; 4]).and_then(reference)
    }),
    row("sun/nio/ch/SocketDispatcher", "read0", "(Ljava/io/FileDescriptor;JI)I", not_connected),
    row("sun/nio/ch/SocketDispatcher", "write0", "(Ljava/io/FileDescriptor;JI)I", not_connected),
];

/// An `Inet4Address`, made without its constructor: its class is initialised already where one is asked for.
fn address(m: &mut Machine, host: Addr, bytes: [u8; 4]) -> Step<Addr> {
    let class = m.load("java/net/Inet4Address")?;
    m.ensure_initialized(class)?;
    let holders = m.load("java/net/InetAddress$InetAddressHolder")?;
    m.ensure_initialized(holders)?;
    let (address, holder) = (m.new_object(class)?, m.new_object(holders)?);
    m.set_named(holder, "hostName", host as u64);
    m.set_named(holder, "originalHostName", host as u64);
    m.set_named(holder, "address", u32::from_be_bytes(bytes).into());
    // `InetAddress.IPv4`.
    m.set_named(holder, "family", 1);
    m.set_named(address, "holder", holder as u64);
    Ok(address)
}

fn look_up(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let host = args.non_null(m, 1)?;
    let name = m.text(host);
    if name == HOST {
        let found = address(m, host, [127, 0, 0, 1])?;
        return reference(m.reference_array("java/net/InetAddress", &[found])?);
    }
    let message = format!("{name}: Name or service not known");
    Err(Trap::Raise("java/net/UnknownHostException", Some(message)))
}

fn name_of_address(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let bytes = args.non_null(m, 1)?;
    match m.byte_array(bytes).first() {
        Some(127) => reference(m.new_text(HOST)?),
        _ => Err(Trap::Raise("java/net/UnknownHostException", None)),
    }
}

/// This host listens nowhere; all others are out of reach.
fn connect(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let remote = args.non_null(m, 2)?;
    let holder = m.named(remote, "holder") as Addr;
    let address = if holder == 0 { 0 } else { m.named(holder, "address") as u32 };
    let (class, message) = match address.to_be_bytes() {
        [127 | 0, ..] => ("java/net/ConnectException", "Connection refused"),
        _ => ("java/net/SocketException", Errno::NetworkUnreachable.message()),
    };
    Err(Trap::Raise(class, Some(message.into())))
}

fn not_connected(_: &mut Machine, _: &Args) -> Step<Outcome> {
    Err(Trap::Raise("java/net/SocketException", Some("Transport endpoint is not connected".into())))
}
