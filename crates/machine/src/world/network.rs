//! The network: sockets of the program on the loopback interface, in memory. No other host can be reached, and nobody
//! outside the program can reach it.

use super::content::Bytes;
use crate::state::PersistentMap;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The first descriptor of a socket, far above those of files.
const FIRST_DESCRIPTOR: i32 = 1 << 24;
/// The first port that is given out, as Linux does.
const FIRST_PORT: u16 = 32768;
/// The first port that an ordinary user may bind to.
const FIRST_UNPRIVILEGED: u16 = 1024;

/// `EPOLLIN` and `EPOLLOUT`.
const READABLE: u32 = 1;
const WRITABLE: u32 = 4;
/// `EPOLLONESHOT`: a reported event is not reported again.
const ONCE: u32 = 1 << 30;

/// An address of IPv4 and a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The address.
    pub address: u32,
    /// The port.
    pub port: u16,
}

/// Why a call on a socket fails, as Linux words it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkRefusal {
    AddressInUse,
    AddressNotAvailable,
    BadDescriptor,
    BrokenPipe,
    ConnectionRefused,
    NotConnected,
    PermissionDenied,
    Unreachable,
}

/// The fate of a read.
#[derive(Debug, PartialEq, Eq)]
pub enum ReceiveResult {
    /// Some bytes.
    Bytes(Bytes),
    /// Not connected yet.
    Nothing,
    /// Closed.
    End,
}

/// The purpose of a socket.
#[derive(Clone, Debug, Default)]
enum Role {
    #[default]
    Unconnected,
    /// Waits for connections; pending ones are listed by descriptor.
    Listener { waiting: VecDeque<i32>, most: usize },
    /// One end of a connection.
    Connection { peer: i32, remote: Endpoint },
    /// Reports which of these descriptors are ready for which of these events.
    Poller { watched: Rc<BTreeMap<i32, u32>> },
}

#[derive(Clone, Debug, Default)]
struct Socket {
    local: Endpoint,
    is_bound: bool,
    role: Role,
    received: Bytes,
    /// Whether nothing comes any more.
    is_ended: bool,
    /// Whether this side sends nothing any more.
    is_finished: bool,
}

/// The sockets of the program.
#[derive(Clone, Debug, Default)]
pub struct Network {
    sockets: PersistentMap<i32, Socket>,
    opened: i32,
    ports: u16,
}

/// Answers of calls.
pub type NetworkResult<T> = Result<T, NetworkRefusal>;

impl Network {
    /// A new socket: its descriptor.
    pub fn open(&mut self) -> i32 {
        let descriptor = FIRST_DESCRIPTOR + self.opened;
        self.opened += 1;
        self.sockets.insert(descriptor, Socket::default());
        descriptor
    }

    /// A new event: what is sent to it comes back.
    pub fn open_event(&mut self) -> i32 {
        let descriptor = self.open();
        let role = Role::Connection { peer: descriptor, remote: Endpoint::default() };
        self.sockets.insert(descriptor, Socket { role, ..Socket::default() });
        descriptor
    }

    /// A new poller, which watches nothing.
    pub fn open_poller(&mut self) -> i32 {
        let descriptor = self.open();
        let role = Role::Poller { watched: Rc::default() };
        self.sockets.insert(descriptor, Socket { role, ..Socket::default() });
        descriptor
    }

    /// Makes a poller watch a descriptor for these events, or stop watching it.
    pub fn watch(&mut self, poller: i32, descriptor: i32, events: Option<u32>) {
        let Some(Socket { role: Role::Poller { watched }, .. }) = self.sockets.get_mut(&poller) else {
            return;
        };
        let watched = Rc::make_mut(watched);
        match events {
            Some(events) => watched.insert(descriptor, events),
            None => watched.remove(&descriptor),
        };
    }

    /// At most this many of the ready descriptors that a poller watches, with their events.
    pub fn take_ready(&mut self, poller: i32, most: usize) -> Vec<(i32, u32)> {
        let Some(Socket { role: Role::Poller { watched }, .. }) = self.sockets.get(&poller) else {
            return Vec::new();
        };
        let watched = watched.clone();
        let ready =
            watched.iter().map(|(descriptor, events)| (*descriptor, events & self.events(*descriptor)));
        let ready: Vec<(i32, u32)> = ready.filter(|(_, events)| *events != 0).take(most).collect();
        for (descriptor, _) in ready.iter().filter(|(descriptor, _)| watched[descriptor] & ONCE != 0) {
            self.watch(poller, *descriptor, Some(0));
        }
        ready
    }

    /// The events that a descriptor is ready for; none for a closed one.
    fn events(&self, descriptor: i32) -> u32 {
        let Some(socket) = self.sockets.get(&descriptor) else { return 0 };
        let is_writable = matches!(socket.role, Role::Connection { .. });
        u32::from(self.is_readable(descriptor)) * READABLE + u32::from(is_writable) * WRITABLE
    }

    /// Whether this is the descriptor of a socket, possibly a closed one.
    pub fn has_had(&self, descriptor: i32) -> bool {
        (FIRST_DESCRIPTOR..FIRST_DESCRIPTOR + self.opened).contains(&descriptor)
    }

    fn get(&self, descriptor: i32) -> NetworkResult<&Socket> {
        self.sockets.get(&descriptor).ok_or(NetworkRefusal::BadDescriptor)
    }

    fn get_mut(&mut self, descriptor: i32) -> NetworkResult<&mut Socket> {
        self.sockets.get_mut(&descriptor).ok_or(NetworkRefusal::BadDescriptor)
    }

    /// Gives a socket an address; port 0 requests a free one.
    pub fn bind(&mut self, descriptor: i32, wanted: Endpoint) -> NetworkResult<()> {
        if wanted.address != 0 && !is_loopback(wanted.address) {
            return Err(NetworkRefusal::AddressNotAvailable);
        }
        let port = match wanted.port {
            0 => self.free_port(),
            1..FIRST_UNPRIVILEGED => return Err(NetworkRefusal::PermissionDenied),
            _ if self.is_taken(wanted) => return Err(NetworkRefusal::AddressInUse),
            port => port,
        };
        let socket = self.get_mut(descriptor)?;
        socket.local = Endpoint { port, ..wanted };
        socket.is_bound = true;
        Ok(())
    }

    fn is_taken(&self, wanted: Endpoint) -> bool {
        self.sockets.values().any(|socket| {
            let overlaps =
                socket.local.address == wanted.address || socket.local.address == 0 || wanted.address == 0;
            let is_connection = matches!(socket.role, Role::Connection { .. });
            socket.is_bound && !is_connection && socket.local.port == wanted.port && overlaps
        })
    }

    fn free_port(&mut self) -> u16 {
        loop {
            let port = FIRST_PORT + self.ports % (u16::MAX - FIRST_PORT);
            self.ports = self.ports.wrapping_add(1);
            if self.sockets.values().all(|socket| socket.local.port != port) {
                return port;
            }
        }
    }

    /// Lets a socket wait for connections.
    pub fn listen(&mut self, descriptor: i32, most: usize) -> NetworkResult<()> {
        self.get_mut(descriptor)?.role = Role::Listener { waiting: VecDeque::new(), most: most.max(1) };
        Ok(())
    }

    /// Connects a socket to one that listens.
    pub fn connect(&mut self, descriptor: i32, remote: Endpoint) -> NetworkResult<()> {
        // The address of any interface denotes this host.
        let address = if remote.address == 0 { LOOPBACK } else { remote.address };
        if !is_loopback(address) {
            return Err(NetworkRefusal::Unreachable);
        }
        let remote = Endpoint { address, ..remote };
        let listens = |socket: &Socket| {
            let has_room = matches!(&socket.role, Role::Listener { waiting, most } if waiting.len() <= *most);
            let is_there = socket.local.address == 0 || socket.local.address == address;
            has_room && is_there && socket.local.port == remote.port
        };
        let found =
            self.sockets.iter().filter(|(_, socket)| listens(socket)).map(|(number, _)| *number).min();
        let Some(listener) = found else { return Err(NetworkRefusal::ConnectionRefused) };
        let port =
            if self.get(descriptor)?.is_bound { self.get(descriptor)?.local.port } else { self.free_port() };
        let local = Endpoint { address, port };
        let other = self.open();
        let accepted = Role::Connection { peer: descriptor, remote: local };
        let accepted = Socket { local: remote, is_bound: true, role: accepted, ..Socket::default() };
        self.sockets.insert(other, accepted);
        let socket = self.get_mut(descriptor)?;
        socket.local = local;
        socket.is_bound = true;
        socket.role = Role::Connection { peer: other, remote };
        if let Role::Listener { waiting, .. } = &mut self.get_mut(listener)?.role {
            waiting.push_back(other);
        }
        Ok(())
    }

    /// The next pending connection: its descriptor, and its origin.
    pub fn accept(&mut self, descriptor: i32) -> NetworkResult<Option<(i32, Endpoint)>> {
        let Role::Listener { waiting, .. } = &mut self.get_mut(descriptor)?.role else {
            return Err(NetworkRefusal::NotConnected);
        };
        let Some(next) = waiting.pop_front() else { return Ok(None) };
        Ok(Some((next, self.remote(next)?)))
    }

    /// The address of a socket.
    pub fn local(&self, descriptor: i32) -> NetworkResult<Endpoint> {
        Ok(self.get(descriptor)?.local)
    }

    /// Where a connection leads.
    pub fn remote(&self, descriptor: i32) -> NetworkResult<Endpoint> {
        match self.get(descriptor)?.role {
            Role::Connection { remote, .. } => Ok(remote),
            _ => Err(NetworkRefusal::NotConnected),
        }
    }

    /// Sends bytes to the other end.
    pub fn send(&mut self, descriptor: i32, bytes: Bytes) -> NetworkResult<()> {
        let socket = self.get(descriptor)?;
        let Role::Connection { peer, .. } = socket.role else { return Err(NetworkRefusal::NotConnected) };
        let is_finished = socket.is_finished;
        match self.sockets.get_mut(&peer) {
            Some(other) if !is_finished => {
                other.received.append(bytes);
                Ok(())
            }
            _ => Err(NetworkRefusal::BrokenPipe),
        }
    }

    /// At most this many of the bytes received.
    pub fn receive(&mut self, descriptor: i32, most: usize) -> NetworkResult<ReceiveResult> {
        let socket = self.get_mut(descriptor)?;
        if !matches!(socket.role, Role::Connection { .. }) {
            return Err(NetworkRefusal::NotConnected);
        }
        Ok(match (socket.received.plain.is_empty(), socket.is_ended) {
            (false, _) => ReceiveResult::Bytes(socket.received.take(most)),
            (true, true) => ReceiveResult::End,
            (true, false) => ReceiveResult::Nothing,
        })
    }

    /// The number of bytes received.
    pub fn available(&self, descriptor: i32) -> NetworkResult<usize> {
        Ok(self.get(descriptor)?.received.plain.len())
    }

    /// Ends one direction of a connection, or both.
    pub fn shut_down(&mut self, descriptor: i32, reading: bool, writing: bool) -> NetworkResult<()> {
        let socket = self.get_mut(descriptor)?;
        socket.is_ended |= reading;
        socket.is_finished |= writing;
        let Role::Connection { peer, .. } = socket.role else { return Ok(()) };
        if let Some(other) = self.sockets.get_mut(&peer).filter(|_| writing) {
            other.is_ended = true;
        }
        Ok(())
    }

    /// Closes a socket, with the connections that it has not accepted.
    pub fn close(&mut self, descriptor: i32) {
        let Some(socket) = self.sockets.remove(&descriptor) else { return };
        match socket.role {
            Role::Listener { waiting, .. } => waiting.into_iter().for_each(|it| self.close(it)),
            Role::Connection { peer, .. } => {
                if let Some(other) = self.sockets.get_mut(&peer) {
                    other.is_ended = true;
                }
            }
            Role::Unconnected | Role::Poller { .. } => {}
        }
    }

    /// Whether a read or an accept need not wait; on a closed socket, neither does.
    pub fn is_readable(&self, descriptor: i32) -> bool {
        self.sockets.get(&descriptor).is_none_or(|socket| match &socket.role {
            Role::Listener { waiting, .. } => !waiting.is_empty(),
            Role::Poller { watched } => {
                watched.iter().any(|(descriptor, events)| events & self.events(*descriptor) != 0)
            }
            _ => socket.is_ended || !socket.received.plain.is_empty(),
        })
    }
}

/// 127.0.0.1.
const LOOPBACK: u32 = 0x7F00_0001;

fn is_loopback(address: u32) -> bool {
    address >> 24 == 127
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: Endpoint = Endpoint { address: LOOPBACK, port: 8080 };

    fn bytes(text: &str) -> Bytes {
        Bytes { plain: text.into(), ..Bytes::default() }
    }

    #[test]
    fn bytes_reach_the_other_end_in_order() {
        let mut network = Network::default();
        let (server, client) = (network.open(), network.open());
        assert_eq!(network.connect(client, PORT), Err(NetworkRefusal::ConnectionRefused));
        network.bind(server, PORT).unwrap();
        network.listen(server, 5).unwrap();
        assert_eq!(network.accept(server).unwrap(), None);
        assert!(!network.is_readable(server));
        network.connect(client, PORT).unwrap();
        assert!(network.is_readable(server));
        let (accepted, from) = network.accept(server).unwrap().unwrap();
        assert_eq!(network.local(client), Ok(from));
        network.send(client, bytes("ab")).unwrap();
        network.send(client, bytes("c")).unwrap();
        assert_eq!(network.receive(accepted, 2), Ok(ReceiveResult::Bytes(bytes("ab"))));
        assert_eq!(network.receive(accepted, 9), Ok(ReceiveResult::Bytes(bytes("c"))));
        assert_eq!(network.receive(accepted, 9), Ok(ReceiveResult::Nothing));
        network.close(client);
        assert_eq!(network.receive(accepted, 9), Ok(ReceiveResult::End));
        assert_eq!(network.send(accepted, bytes("x")), Err(NetworkRefusal::BrokenPipe));
    }

    #[test]
    fn a_port_has_one_listener_and_other_hosts_are_out_of_reach() {
        let mut network = Network::default();
        let (first, second) = (network.open(), network.open());
        network.bind(first, PORT).unwrap();
        network.listen(first, 1).unwrap();
        assert_eq!(network.bind(second, Endpoint { address: 0, ..PORT }), Err(NetworkRefusal::AddressInUse));
        assert_eq!(
            network.bind(second, Endpoint { port: 80, ..PORT }),
            Err(NetworkRefusal::PermissionDenied)
        );
        assert_eq!(
            network.connect(second, Endpoint { address: 0x0808_0808, ..PORT }),
            Err(NetworkRefusal::Unreachable)
        );
        network.close(first);
        network.bind(second, PORT).unwrap();
    }

    #[test]
    fn a_poller_tells_what_is_ready() {
        let mut network = Network::default();
        let (server, client, poller) = (network.open(), network.open(), network.open_poller());
        network.bind(server, PORT).unwrap();
        network.listen(server, 1).unwrap();
        network.watch(poller, server, Some(READABLE));
        assert_eq!(network.take_ready(poller, 9), []);
        assert!(!network.is_readable(poller));
        network.connect(client, PORT).unwrap();
        assert_eq!(network.take_ready(poller, 9), [(server, READABLE)]);
        network.watch(poller, server, None);
        network.watch(poller, client, Some(READABLE | WRITABLE | ONCE));
        assert_eq!(network.take_ready(poller, 9), [(client, WRITABLE)]);
        assert_eq!(network.take_ready(poller, 9), []);
        let event = network.open_event();
        network.watch(poller, event, Some(READABLE));
        assert_eq!(network.take_ready(poller, 9), []);
        network.send(event, bytes("!")).unwrap();
        assert_eq!(network.take_ready(poller, 9), [(event, READABLE)]);
    }
}
