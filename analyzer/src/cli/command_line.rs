//! The command line as a report shows it.

use std::ffi::OsString;

/// Stands for the value of a property, which may be a secret.
const HIDDEN: &str = "***";

/// The command line as a shell would take it: `words` without the path of the program, and without the values of
/// properties (`-X`), which may be passwords.
///
/// ```
/// use analyzer::cli::command_line;
///
/// let words = ["verify", "-X", "sasl.password=secret", "--topic", "my topic"].map(Into::into);
/// assert_eq!(command_line(words), "analyzer verify -X 'sasl.password=***' --topic 'my topic'");
/// ```
pub fn command_line(words: impl IntoIterator<Item = OsString>) -> String {
    let mut line = "analyzer".to_owned();
    let mut is_property = false;
    for word in words {
        let word = word.to_string_lossy();
        line.push(' ');
        line.push_str(&quoted(&match word.strip_prefix("-X") {
            _ if is_property => without_value(&word),
            Some(property) if !property.is_empty() => format!("-X{}", without_value(property)),
            _ => word.clone().into_owned(),
        }));
        is_property = word == "-X" && !is_property;
    }
    line
}

/// `NAME=***`; what has no name has no part that is known to be harmless.
fn without_value(property: &str) -> String {
    // clap takes `-X=NAME=VALUE` too.
    let (equals, pair) = property.strip_prefix('=').map_or(("", property), |pair| ("=", pair));
    match pair.split_once('=') {
        Some((name, _)) => format!("{equals}{name}={HIDDEN}"),
        None => format!("{equals}{HIDDEN}"),
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:@%+".contains(c);
    if word.is_empty() || !word.chars().all(is_plain) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &[&str]) -> String {
        command_line(words.iter().map(Into::into))
    }

    #[test]
    fn values_of_properties_are_hidden_however_they_are_written() {
        let words =
            ["verify", "-X", "a=hunter2", "-Xb=hunter2", "-X=c=hunter2", "-X", "hunter2", "-Xhunter2"];
        let line = shown(&words);
        assert!(!line.contains("hunter2"), "{line}");
        assert_eq!(line, "analyzer verify -X 'a=***' '-Xb=***' '-X=c=***' -X '***' '-X***'");
        assert_eq!(shown(&["-X", "-X", "-X", "a=b"]), "analyzer -X '***' -X 'a=***'");
    }

    #[test]
    fn words_are_as_a_shell_would_take_them() {
        assert_eq!(shown(&["simulate", "it's", "", "a=b"]), r"analyzer simulate 'it'\''s' '' a=b");
    }
}
