//! `java.net`: the network consists of this host only; other names do not resolve.

use super::support::{NOTHING, ONE, ZERO, int, reference};
use super::{Args, Native, NativeOutcome, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use cupping_case::{Effect, OWN_NAME};

const ADDRESS: &str = "java/net/InetAddress";
const FOUR: &str = "java/net/Inet4AddressImpl";
const SIX: &str = "java/net/Inet6AddressImpl";
const INTERFACE: &str = "java/net/NetworkInterface";
const NET: &str = "sun/nio/ch/Net";
const LINUX_OPTIONS: &str = "jdk/net/LinuxSocketOptions";
const LOOKUP: &str = "(Ljava/lang/String;)[Ljava/net/InetAddress;";
/// The name of this host.
const HOST: &str = "localhost";
/// The descriptor of datagram sockets, which have no implementation.
pub(super) const SOCKET: i32 = i32::MAX;

pub(super) const NATIVES: &[Native] = &[
    row(ADDRESS, "init", "()V", NOTHING),
    row(ADDRESS, "isIPv4Available", "()Z", ONE),
    row(ADDRESS, "isIPv6Supported", "()Z", ZERO),
    row("java/net/InetAddressImplFactory", "isIPv6Supported", "()Z", ZERO),
    row("java/net/Inet4Address", "init", "()V", NOTHING),
    row("java/net/Inet6Address", "init", "()V", NOTHING),
    row("java/net/DatagramPacket", "init", "()V", NOTHING),
    row(FOUR, "getLocalHostName", "()Ljava/lang/String;", own_name),
    row(SIX, "getLocalHostName", "()Ljava/lang/String;", own_name),
    row(FOUR, "lookupAllHostAddr", LOOKUP, look_up),
    row(SIX, "lookupAllHostAddr", "*", look_up),
    row(FOUR, "getHostByAddr", "([B)Ljava/lang/String;", name_of_address),
    row(SIX, "getHostByAddr", "([B)Ljava/lang/String;", name_of_address),
    row(FOUR, "isReachable0", "([BI[BI)Z", is_reachable),
    row(SIX, "isReachable0", "([BII[BII)Z", is_reachable),
    row(INTERFACE, "init", "()V", NOTHING),
    row(INTERFACE, "getAll", "()[Ljava/net/NetworkInterface;", no_interface),
    row(INTERFACE, "getByName0", "(Ljava/lang/String;)Ljava/net/NetworkInterface;", no_interface),
    row(INTERFACE, "getByIndex0", "(I)Ljava/net/NetworkInterface;", no_interface),
    row(INTERFACE, "getByInetAddress0", "(Ljava/net/InetAddress;)Ljava/net/NetworkInterface;", no_interface),
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
];

/// There are no network interfaces. With `java` there are, and they differ from computer to computer.
fn no_interface(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    if !m.looks_for_entropy() {
        m.note(Effect::Socket("network interfaces listed".into()));
    }
    reference(0)
}

/// An `Inet4Address`, created without its constructor: its class is already initialised where one is requested.
pub(super) fn address(m: &mut Machine, host: Addr, bytes: [u8; 4]) -> Step<Addr> {
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

fn look_up(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let host = args.non_null(m, 1)?;
    let name = m.text(host);
    let looked_up = if is_own(&name) { HOST } else { &name };
    m.note(Effect::NameLookup(looked_up.into()));
    if is_own(&name) {
        let found = address(m, host, [127, 0, 0, 1])?;
        return reference(m.reference_array("java/net/InetAddress", &[found])?);
    }
    let message = format!("{name}: Name or service not known");
    Err(Trap::Raise("java/net/UnknownHostException", Some(message)))
}

fn name_of_address(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let bytes = args.non_null(m, 1)?;
    let address: Vec<String> = m.byte_array(bytes).iter().map(u8::to_string).collect();
    m.note(Effect::NameLookup(address.join(".").into()));
    match m.byte_array(bytes).first() {
        Some(127) => reference(m.new_text(HOST)?),
        _ => Err(Trap::Raise("java/net/UnknownHostException", None)),
    }
}

/// Lets an `Inet4Address` be another one.
pub(super) fn set_address(m: &mut Machine, address: Addr, bits: u32) {
    let holder = m.named(address, "holder") as Addr;
    m.set_named(holder, "address", bits.into());
}

/// The four bytes of an `InetAddress`.
pub(super) fn address_bits(m: &Machine, address: Addr) -> u32 {
    let holder = if address == 0 { 0 } else { m.named(address, "holder") as Addr };
    if holder == 0 { 0 } else { m.named(holder, "address") as u32 }
}

pub(super) fn address_text(m: &Machine, address: Addr) -> String {
    std::net::Ipv4Addr::from(address_bits(m, address)).to_string()
}

/// The name of the computer, which differs from computer to computer, and so from one varied run to the next.
fn own_name(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    m.note(Effect::NameLookup(OWN_NAME.into()));
    m.registers.volatile_reads += 1;
    m.registers.entropy_reads += 1;
    let name = match m.registers.variation {
        0 => HOST.to_owned(),
        variation => format!("{HOST}{variation}"),
    };
    reference(m.new_text(&name)?)
}

/// Whether a name leads to the computer itself.
fn is_own(name: &str) -> bool {
    name.strip_prefix(HOST).is_some_and(|rest| rest.bytes().all(|it| it.is_ascii_digit()))
}

fn is_reachable(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let bytes = args.non_null(m, 1)?;
    let address: Vec<String> = m.byte_array(bytes).iter().map(u8::to_string).collect();
    m.note(Effect::Socket(format!("asked whether {} is reachable", address.join(".")).into()));
    int(0)
}
