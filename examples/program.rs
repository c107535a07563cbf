//! Runs an example.

use std::env;
use std::process::{Command, Output};

/// What the example `name`, which `cargo test` built beside this program, does with `arguments`.
pub(crate) fn run(name: &str, arguments: &[&str]) -> Output {
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    let program = deps.with_file_name("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    Command::new(&program).args(arguments).output().unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo test -p examples` without further options builds it", program.display())
    })
}
