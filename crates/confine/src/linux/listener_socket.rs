//! Passes the listener of a filter from the child to its monitor, over a socket.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

/// The message that carries the listener needs at least one byte of data.
const BYTE: [u8; 1] = [0];

/// Sends the listener. It must not allocate: it runs between `fork` and `exec`.
pub fn send(to: BorrowedFd<'_>, listener: BorrowedFd<'_>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let listeners = [listener];
    control.push(SendAncillaryMessage::ScmRights(&listeners));
    sendmsg(to, &[IoSlice::new(&BYTE)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Waits for a child's listener; `None` if the child ended before sending it.
pub fn receive(from: BorrowedFd<'_>) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = BYTE;
    recvmsg(from, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC).ok()?;
    control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut listeners) => listeners.next(),
        _ => None,
    })
}
