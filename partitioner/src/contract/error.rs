//! What is wrong with a contract, and where.

use std::error::Error;
use std::fmt;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A contract that cannot be used.
///
/// Displays as `file:line:column: path: what was wrong, what was expected`; parts that are not known are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractError {
    origin: Option<String>,
    place: Option<Place>,
    /// Outermost key first.
    path: Vec<String>,
    message: String,
}

/// A place in a text, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    line: usize,
    column: usize,
}

impl ContractError {
    pub(super) fn rule(message: String) -> Self {
        Self { origin: None, place: None, path: Vec::new(), message }
    }

    pub(super) fn unwritable(error: &toml::ser::Error) -> Self {
        Self::rule(format!("cannot be written as TOML: {error}"))
    }

    pub(super) fn syntax(error: &toml::de::Error, text: &str, origin: &str) -> Self {
        Self {
            origin: Some(origin.to_owned()),
            place: error.span().map(|span| Place::of(text, span.start)),
            path: Vec::new(),
            message: with_nearest(error.message()),
        }
    }

    /// The error as that of the key `key`.
    pub(super) fn at(self, key: &str) -> Self {
        self.within(key)
    }

    /// The error of a key inside the table `key`, or inside its `[i]`-th element.
    pub(super) fn within(mut self, key: &str) -> Self {
        self.path.insert(0, key.to_owned());
        self
    }

    /// The error with the line and column of its key in `text`, or of the innermost table there that encloses it.
    pub(super) fn located(mut self, text: &str, origin: &str) -> Self {
        self.place = DeTable::parse(text).ok().and_then(|table| {
            let start = find(table.get_ref(), &self.path)?;
            Some(Place::of(text, start))
        });
        self.origin = Some(origin.to_owned());
        self
    }

    /// Line of the error, from 1, where the contract was read from text.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.place.map(|place| place.line)
    }

    /// Column of the error in characters, from 1, where the contract was read from text.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.place.map(|place| place.column)
    }

    /// The key that broke a rule, outermost first, such as `topics.orders.vip_count`; empty when it is not known.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for key in &self.path {
            let is_bare =
                !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-[]".contains(&b));
            if !path.is_empty() && !key.starts_with('[') {
                path.push('.');
            }
            path.push_str(&if is_bare { key.clone() } else { format!("{key:?}") });
        }
        path
    }
}

impl Place {
    fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// Where the value at `path` starts, or the deepest part of the path that is there.
fn find(table: &DeTable<'_>, path: &[String]) -> Option<usize> {
    let (key, rest) = path.split_first()?;
    let (_, value) = table.iter().find(|(name, _)| name.get_ref().as_ref() == key.as_str())?;
    find_in(value, rest).or(Some(value.span().start))
}

fn find_in(value: &Spanned<DeValue<'_>>, path: &[String]) -> Option<usize> {
    match value.get_ref() {
        DeValue::Table(table) => find(table, path),
        DeValue::Array(array) => {
            let (key, rest) = path.split_first()?;
            let index: usize = key.trim_matches(['[', ']']).parse().ok()?;
            let element = array.get(index)?;
            find_in(element, rest).or(Some(element.span().start))
        }
        _ => None,
    }
}

/// Names the nearest valid key or value where serde lists the valid ones.
fn with_nearest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let nearest = quoted.next().filter(|_| is_unknown).and_then(|given| {
        let score = |name: &str| strsim::jaro_winkler(given, name);
        quoted.filter(|name| score(name) > 0.7).max_by(|a, b| score(a).total_cmp(&score(b)))
    });
    match nearest {
        Some(nearest) => format!("{message}; did you mean `{nearest}`?"),
        None => message.to_owned(),
    }
}

impl fmt::Display for ContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}:")?;
            if let Some(Place { line, column }) = self.place {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path())?;
        }
        f.write_str(&self.message)
    }
}

impl Error for ContractError {}
