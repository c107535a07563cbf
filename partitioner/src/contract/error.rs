//! What is wrong with a contract, and where.

use std::error::Error;
use std::fmt;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::explain::{Place, explain_toml, printable};

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
            message: explain_toml(error.message()),
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
        self.place = place_of(text, &self.path);
        self.origin = Some(origin.to_owned());
        self
    }

    /// The innermost key of [`path`](Self::path), such as `vip_count`.
    #[must_use]
    pub fn key(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// What was wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
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

/// The place in a TOML text of the value at `path`, or of the innermost table there that encloses it.
pub(super) fn place_of(text: &str, path: &[String]) -> Option<Place> {
    let table = DeTable::parse(text).ok()?;
    find(table.get_ref(), path).map(|start| Place::of(text, start))
}

/// Where the value at `path` starts, or the deepest part of the path that is there. A name with dots may stand in the
/// text as one key or as several.
fn find(table: &DeTable<'_>, path: &[String]) -> Option<usize> {
    let (key, rest) = path.split_first()?;
    let at =
        |key: &str| table.iter().find(|(name, _)| name.get_ref().as_ref() == key).map(|(_, value)| value);
    if let Some(value) = at(key) {
        return find_in(value, rest).or(Some(value.span().start));
    }
    let (first, others) = key.split_once('.')?;
    let path: Vec<String> = std::iter::once(others.to_owned()).chain(rest.iter().cloned()).collect();
    let value = at(first)?;
    find_in(value, &path).or(Some(value.span().start))
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

impl fmt::Display for ContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{}:", printable(origin))?;
            if let Some(Place { line, column }) = self.place {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", printable(&self.path()))?;
        }
        f.write_str(&printable(&self.message))
    }
}

impl Error for ContractError {}
