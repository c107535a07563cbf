//! `analyzer profiles`: what traffic can be made without a trace.

use super::error::CommandError;
use crate::workload::profile::Profile;

/// The list of built-in profiles, or the TOML of the one named.
///
/// # Errors
/// [`CommandError`] for an unknown name, with the nearest one.
pub fn profiles(name: Option<&str>) -> Result<String, CommandError> {
    let Some(name) = name else {
        let names = Profile::embedded_names();
        let width = names.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        return Ok(names
            .iter()
            .map(|(name, description)| format!("{name:width$}  {description}\n"))
            .collect());
    };
    match Profile::embedded(name) {
        Some(text) => Ok(text.to_owned()),
        // Loading says what names there are.
        None => Err(Profile::load(name).err().map_or_else(
            || CommandError::new(format!("{name:?} is a file, not a built-in profile")),
            CommandError::from,
        )),
    }
}
