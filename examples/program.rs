//! Runs examples, and compares what they print with what `README.md` shows.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// What the example `name`, which `cargo test` built beside this program, does with `arguments`.
pub(crate) fn run(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    let program = deps.with_file_name("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let mut command = Command::new(&program);
    command.args(arguments).envs(environment.iter().copied()).output().unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo test -p examples` without further options builds it", program.display())
    })
}

fn readme_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

pub(crate) fn readme() -> String {
    fs::read_to_string(readme_path()).unwrap()
}

/// The output under the command of the example `name`, and what stands before and after it.
pub(crate) fn shown<'t>(readme: &'t str, name: &str) -> [&'t str; 3] {
    let command = format!("cargo run -q -p examples --example {name}\n");
    let (before, rest) = readme.split_once(&command).unwrap_or_else(|| panic!("README.md lacks {command}"));
    let (shown, _) = rest.split_once("```").unwrap();
    let start = before.len() + command.len();
    [&readme[..start], shown, &readme[start + shown.len()..]]
}

/// Compares what the example `name` printed with the README, or with `UPDATE_GOLDEN` writes it there.
pub(crate) fn compare_with_readme(name: &str, output: &str) {
    let readme = readme();
    let [before, shown, after] = shown(&readme, name);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(readme_path(), [before, output, after].concat()).unwrap();
    } else {
        assert_eq!(shown, output, "{name}: repair examples/README.md with UPDATE_GOLDEN=1");
    }
}
