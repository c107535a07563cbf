//! The mark by which a run knows its records again.

use std::fmt;

use super::LiveError;

/// The header that holds the id of the run.
pub const HEADER: &str = "analyzer-verify";

/// Bytes of a run's id before they are written as hexadecimal digits.
const RUN_ID_BYTES: usize = 8;

/// Tells the records of a run from all others in a topic, in the header [`HEADER`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunId(String);

impl RunId {
    /// An id of random bits of the operating system, and not of the seed: two runs of one seed must not take each
    /// other's records for their own.
    ///
    /// # Errors
    /// When the system has none to give.
    pub fn random() -> Result<Self, LiveError> {
        let mut bytes = [0; RUN_ID_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| LiveError::new(format!("the system gives no random bits: {error}")))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// 16 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Records as the traffic has them.
    Keyed,
    /// The same without their keys.
    Unkeyed,
}

impl Phase {
    /// `keyed` or `unkeyed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyed => "keyed",
            Self::Unkeyed => "unkeyed",
        }
    }
}

/// What a record's value says of it, as text that whoever looks into the topic can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) phase: Phase,
    /// Number of the record in its phase.
    pub(super) record: u32,
    /// Number of the record among those of its key.
    pub(super) sequence: u32,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} record {} sequence {}", self.phase.name(), self.record, self.sequence)
    }
}

impl Mark {
    /// Reads a mark back; `None` for anything else.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(value).ok()?.split(' ');
        let phase = [Phase::Keyed, Phase::Unkeyed].into_iter();
        let named = words.next()?;
        let phase = phase.into_iter().find(|phase| phase.name() == named)?;
        let mut number = |name| (words.next()? == name).then(|| words.next()?.parse().ok())?;
        let mark = Self { phase, record: number("record")?, sequence: number("sequence")? };
        words.next().is_none().then_some(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_back_as_they_were() {
        for phase in [Phase::Keyed, Phase::Unkeyed] {
            for (record, sequence) in [(0, 0), (17, 3), (u32::MAX, u32::MAX)] {
                let mark = Mark { phase, record, sequence };
                assert_eq!(Mark::parse(mark.to_string().as_bytes()), Some(mark));
            }
        }
    }

    #[test]
    fn anything_else_is_no_mark() {
        for value in [
            &b""[..],
            b"keyed",
            b"keyed record 1",
            b"keyed record 1 sequence",
            b"keyed record 1 sequence 4294967296",
            b"keyed record 1 sequence 2 and more",
            b"Keyed record 1 sequence 2",
            b"keyed record -1 sequence 2",
            b"\xff record 1 sequence 2",
        ] {
            assert_eq!(Mark::parse(value), None, "{}", value.escape_ascii());
        }
    }

    #[test]
    fn two_runs_have_two_ids() {
        let (one, other) = (RunId::random().unwrap(), RunId::random().unwrap());
        assert_ne!(one, other);
        assert!(one.as_str().len() == 16 && one.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
