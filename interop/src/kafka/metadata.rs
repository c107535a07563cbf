//! The one question that tells whether a broker serves: which brokers are there?

use std::collections::BTreeSet;
use std::io::{self, Cursor, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// For each step of the conversation.
const TIMEOUT: Duration = Duration::from_secs(5);

/// More than a metadata answer without topics ever has.
const ANSWER_BYTES_MAX: usize = 1 << 16;

/// A Metadata request, version 1, for no topic (<https://kafka.apache.org/protocol#The_Messages_Metadata>).
const REQUEST: &[u8] = b"\x00\x00\x00\x15\x00\x03\x00\x01\x00\x00\x00\x01\x00\x07interop\x00\x00\x00\x00";

/// The ids of the brokers that the one on `port` of 127.0.0.1 tells clients about: those that are up.
///
/// # Errors
/// When nothing listens, or what listens does not answer within five seconds, or not as a broker.
pub(crate) fn live_brokers(port: u16) -> io::Result<BTreeSet<u16>> {
    let mut connection = connect(port)?;
    connection.write_all(REQUEST)?;
    let length = usize::try_from(read_u32(&mut connection)?).unwrap_or(usize::MAX);
    if length > ANSWER_BYTES_MAX {
        return Err(io::Error::other(format!("an answer of {length} bytes")));
    }
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer)?;
    brokers_in(&answer)
}

/// A connection to `port` of 127.0.0.1, for those who only want to know whether anything listens.
pub(crate) fn connect(port: u16) -> io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let connection = TcpStream::connect_timeout(&address, TIMEOUT)?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.set_write_timeout(Some(TIMEOUT))?;
    Ok(connection)
}

fn brokers_in(answer: &[u8]) -> io::Result<BTreeSet<u16>> {
    let mut answer = Cursor::new(answer);
    let _correlation_id = read_u32(&mut answer)?;
    let count = read_u32(&mut answer)?;
    let mut ids = BTreeSet::new();
    for _ in 0..count {
        let id = read_u32(&mut answer)?;
        ids.insert(u16::try_from(id).map_err(|_| io::Error::other(format!("a broker with the id {id}")))?);
        skip_string(&mut answer)?; // host
        read_u32(&mut answer)?; // port
        skip_string(&mut answer)?; // rack
    }
    Ok(ids)
}

fn read_u32(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

/// A string is its length and its bytes; the length -1 is none.
fn skip_string(answer: &mut Cursor<&[u8]>) -> io::Result<()> {
    let mut length = [0; 2];
    answer.read_exact(&mut length)?;
    let length = u64::try_from(i16::from_be_bytes(length)).unwrap_or(0);
    answer.set_position(answer.position() + length);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_says_its_own_length() {
        let (length, rest) = REQUEST.split_first_chunk().unwrap();
        assert_eq!(usize::try_from(u32::from_be_bytes(*length)).unwrap(), rest.len());
    }

    #[test]
    fn brokers_are_read() {
        let one = b"\x00\x00\x00\x02\x00\x09127.0.0.1\x00\x00\x4a\x94\xff\xff";
        let two = b"\x00\x00\x00\x03\x00\x09127.0.0.1\x00\x00\x4a\x95\x00\x01r";
        let answer = [b"\x00\x00\x00\x01\x00\x00\x00\x02".as_slice(), one, two].concat();
        assert_eq!(brokers_in(&answer).unwrap(), BTreeSet::from([2, 3]));
        // Half an answer is an error, never fewer brokers.
        for length in 0..answer.len() - 1 {
            assert!(brokers_in(&answer[..length]).is_err(), "{length} bytes");
        }
        assert!(brokers_in(b"\x00\x00\x00\x01\x00\x00\x00\x01\xff\xff\xff\xff\x00\x00").is_err());
    }
}
