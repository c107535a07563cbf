//! The sources as the checks see them: lines of production code, without comments, strings and tests.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A source file.
pub(crate) struct Source {
    /// Relative to the root of the workspace, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A line of code, from 1.
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) code: String,
}

impl Source {
    /// The room of a file under `src/`: its folder, or its own name.
    pub(crate) fn room(&self) -> &str {
        let (_, within) = self.path.split_once("/src/").unwrap_or(("", &self.path));
        within.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// How many modules deep the file lies in its crate, 1 at the top: as many `super::` name the crate.
    pub(crate) fn depth(&self) -> usize {
        self.module().split_once("/src/").map_or(0, |(_, within)| within.split('/').count())
    }

    /// The lines that are in the product: no comments, no contents of strings, nothing from `#[cfg(test)] mod` on.
    pub(crate) fn production(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for (index, line) in self.text.lines().enumerate() {
            let code = without_strings_and_comment(line);
            let is_test = lines.last().is_some_and(|before| before.code.trim() == "#[cfg(test)]");
            if is_test && code.trim_start().starts_with("mod ") && code.trim_end().ends_with('{') {
                break;
            }
            lines.push(Line { number: index + 1, code });
        }
        lines
    }

    /// Names of the modules that this file declares for tests only.
    fn test_modules(&self) -> impl Iterator<Item = &str> {
        let lines = self.text.lines().zip(self.text.lines().skip(1));
        lines
            .filter(|(attribute, _)| attribute.trim() == "#[cfg(test)]")
            .filter_map(|(_, module)| module.trim().strip_prefix("mod ")?.strip_suffix(';'))
    }

    /// The module's place in the tree: its path without `.rs` and `/mod.rs`.
    fn module(&self) -> &str {
        let path = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        path.strip_suffix("/mod").or_else(|| path.strip_suffix("/lib")).unwrap_or(path)
    }
}

/// Cuts off a comment and empties strings. Strings over several lines stay, which no check minds.
fn without_strings_and_comment(line: &str) -> String {
    let mut code = String::new();
    let mut characters = line.chars().peekable();
    let mut in_string = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_string => drop(characters.next()),
            '"' => {
                in_string = !in_string;
                code.push('"');
            }
            '\'' if !in_string && characters.peek() == Some(&'"') => drop(characters.next()),
            '/' if !in_string && characters.peek() == Some(&'/') => break,
            _ if in_string => {}
            _ => code.push(character),
        }
    }
    code
}

/// All `.rs` files below a folder of the workspace, in the order of their paths; build output aside.
pub(crate) fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.unwrap().path()) {
            let is_output = path.file_name().is_some_and(|name| name == "target");
            if path.is_dir() && !is_output {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                found.push(Source { path: relative, text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no source in {folder}");
    found
}

/// The files of a package's `src/` that are in the product.
pub(crate) fn production_sources(package: &str) -> Vec<Source> {
    let all = sources(&format!("{package}/src"));
    let tests: Vec<String> = all
        .iter()
        .flat_map(|file| file.test_modules().map(|name| format!("{}/{name}", file.module())))
        .collect();
    let is_test = |file: &Source| {
        tests.iter().any(|test| file.module() == test || file.path.starts_with(&format!("{test}/")))
    };
    all.into_iter().filter(|file| !is_test(file)).collect()
}

/// The rooms of the own crate that a line names.
pub(crate) fn rooms_named(code: &str) -> Vec<&str> {
    named_below(code, "crate::")
}

/// The modules that a line names as `PARENT::MODULE`, or in a `use PARENT::{…}` of one line.
pub(crate) fn named_below<'c>(code: &'c str, parent: &str) -> Vec<&'c str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices(parent) {
        let is_whole_word = !code[..at].ends_with(is_name) && !code[..at].ends_with('$');
        let named = &code[at + parent.len()..];
        match named.strip_prefix('{') {
            _ if !is_whole_word => {}
            Some(group) => rooms.extend(top_level_names(group)),
            None => rooms.push(named.split(|c| !is_name(c)).next().unwrap_or_default()),
        }
    }
    rooms
}

/// The first segments of the paths of a `use` group.
fn top_level_names(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(group[start..at].trim().split("::").next().unwrap_or_default());
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

#[test]
fn the_reader_sees_what_it_should() {
    assert_eq!(rooms_named("use crate::load::{Load, LoadTable};"), ["load"]);
    assert_eq!(rooms_named("use crate::{load::{A, B}, report::C, gate};"), ["load", "report", "gate"]);
    assert_eq!(rooms_named("    pub(crate) fn f() -> crate::load::Load {"), ["load"]);
    assert_eq!(rooms_named("pub(in crate::report) struct A;"), ["report"]);
    assert!(rooms_named("use some_crate::load::Load;").is_empty());
    assert_eq!(named_below("use std::{env, fs};", "std::"), ["env", "fs"]);
    assert_eq!(without_strings_and_comment(r#"f("a // \" b", '"'); // crate::x"#), r#"f("", '); "#);
    let file = Source {
        path: "p/src/a/b.rs".to_owned(),
        text: "use x;\n#[cfg(test)]\nmod golden;\nfn f() {}\n#[cfg(test)]\nmod tests {\n    use y;\n}\n"
            .to_owned(),
    };
    assert_eq!((file.room(), file.module(), file.depth()), ("a", "p/src/a/b", 2));
    assert_eq!(file.test_modules().collect::<Vec<_>>(), ["golden"]);
    let production: Vec<_> = file.production().iter().map(|line| line.number).collect();
    assert_eq!(production, [1, 2, 3, 4, 5]);
}
