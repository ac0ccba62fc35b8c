//! Requests to the certifier's JVM and its answers; `Certifier.java` is the other side.

use std::io::{self, Read, Write};

/// A message of javac.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Binary name of the class whose source it concerns; empty if it concerns none.
    pub class: String,
    /// Line from 1; zero or less if about none.
    pub line: i64,
    /// Whether it keeps the source from compiling.
    pub is_error: bool,
    /// javac's key, such as `compiler.err.cant.resolve`.
    pub code: String,
    /// The text.
    pub message: String,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A message of javac.
    Diagnostic(Diagnostic),
    /// javac is done; whether everything compiled.
    Compiled(bool),
    /// The test of this index (in the request) begins.
    Begin(usize),
    /// The test of this index ended.
    End {
        /// Its index.
        test: usize,
        /// Whether it passed.
        passed: bool,
        /// The error, if it failed.
        detail: String,
        /// Whether the JVM ends itself after it, since the test does not end.
        fatal: bool,
    },
    /// All tests have ended.
    Finished,
}

/// Asks for sources (binary class name and text) to be compiled against a class path.
pub fn ask_to_compile(
    to: &mut impl Write,
    class_path: &[String],
    sources: &[(String, String)],
) -> io::Result<()> {
    let mut request = vec![1];
    strings(&mut request, class_path.iter());
    strings(&mut request, sources.iter().map(|(name, _)| name));
    strings(&mut request, sources.iter().map(|(_, text)| text));
    to.write_all(&request)?;
    to.flush()
}

/// Asks for tests (binary class name and method) to be run in this order, each for at most `limit` ms. Each waits
/// until it is told to [`go_on`].
pub fn ask_to_run(to: &mut impl Write, limit: u32, tests: &[(String, String)]) -> io::Result<()> {
    let mut request = vec![2];
    request.extend(limit.to_be_bytes());
    strings(&mut request, tests.iter().map(|(class, _)| class));
    strings(&mut request, tests.iter().map(|(_, method)| method));
    to.write_all(&request)?;
    to.flush()
}

/// Lets the next test begin.
pub fn go_on(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&[3])?;
    to.flush()
}

/// Reads one answer; an error if the other side is gone or violates the protocol.
pub fn read_answer(from: &mut impl Read) -> io::Result<Answer> {
    Ok(match byte(from)? {
        b'D' => Answer::Diagnostic(Diagnostic {
            class: string(from)?,
            line: i64::from_be_bytes(bytes(from)?),
            is_error: byte(from)? != 0,
            code: string(from)?,
            message: string(from)?,
        }),
        b'C' => Answer::Compiled(byte(from)? != 0),
        b'B' => Answer::Begin(number(from)?),
        b'E' => Answer::End {
            test: number(from)?,
            passed: byte(from)? != 0,
            fatal: byte(from)? != 0,
            detail: string(from)?,
        },
        b'F' => Answer::Finished,
        other => return Err(io::Error::new(io::ErrorKind::InvalidData, format!("unknown answer {other}"))),
    })
}

fn strings<'a>(to: &mut Vec<u8>, strings: impl ExactSizeIterator<Item = &'a String>) {
    to.extend((strings.len() as u32).to_be_bytes());
    for text in strings {
        to.extend((text.len() as u32).to_be_bytes());
        to.extend(text.as_bytes());
    }
}

fn bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut buffer = [0; N];
    from.read_exact(&mut buffer)?;
    Ok(buffer)
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    Ok(bytes::<1>(from)?[0])
}

fn number(from: &mut impl Read) -> io::Result<usize> {
    Ok(u32::from_be_bytes(bytes(from)?) as usize)
}

/// Limit on the length of a text in bytes: code under test can write to the pipe, too.
const LONGEST: usize = 1 << 24;

fn string(from: &mut impl Read) -> io::Result<String> {
    let length = number(from)?;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "an answer that is too long"));
    }
    let mut buffer = Vec::new();
    // Not allocated in advance: a damaged length must not cost memory.
    from.take(length as u64).read_to_end(&mut buffer)?;
    if buffer.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(String::from_utf8_lossy(&buffer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let mut sent: &[u8] = b"B\0\0\0\x02E\0\0\0\x02\0\x01\0\0\0\x01xC\x01F";
        let end = Answer::End { test: 2, passed: false, detail: "x".into(), fatal: true };
        for expected in [Answer::Begin(2), end, Answer::Compiled(true), Answer::Finished] {
            assert_eq!(read_answer(&mut sent).unwrap(), expected);
        }
        assert_eq!(read_answer(&mut sent).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn damaged_answers_are_errors() {
        for mut damaged in [
            &b"Q"[..],
            b"B\0",
            b"E\0\0\0\0\0\0\xff\xff\xff\xffabc",
            b"E\0\0\0\0\0\0\0\0\0\x09abc",
            b"D\0\0\0\x05ab",
        ] {
            assert!(read_answer(&mut damaged).is_err());
        }
    }
}
