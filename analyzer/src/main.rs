//! The command line over the `analyzer` library.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use analyzer::cli::{Cli, Command, CompareArgs, SimulateArgs, TuneArgs, VerifyArgs, When, command_line};
use analyzer::command::{profiles::profiles, simulate::simulate, tune::tune, verify::verify};
use analyzer::compare::compare;
use analyzer::exit::Exit;
use analyzer::output::OutputFile;
use analyzer::report::compare::{CompareFormat, render_compare};
use analyzer::report::model::{ClassLag, Report, StrategyLag};
use analyzer::report::tune::{TuneFormat, render_tune};
use analyzer::report::verify::{VerifyFormat, render_verify};
use analyzer::report::{Format, TextStyle, display_text, render};
use analyzer::settings::{self, ContractOutput};
use analyzer::simulate::Progress;
use anyhow::{Context, Result};
use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Columns of a report that does not go to a terminal, unless COLUMNS says otherwise.
const WIDTH_COLUMNS_DEFAULT: u16 = 100;

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Simulate(args) => run_simulate(*args),
        Command::Tune(args) => run_tune(*args),
        Command::Verify(args) => run_verify(*args),
        Command::Compare(args) => run_compare(args),
        Command::Profiles { name } => profiles(name.as_deref())
            .map_err(anyhow::Error::from)
            .and_then(|text| write_stdout(&text))
            .map(|()| Exit::Done),
    };
    let exit = done.unwrap_or_else(|error| {
        say(&format!("error: {error:#}"));
        Exit::Error
    });
    exit.into()
}

fn run_simulate(args: SimulateArgs) -> Result<Exit> {
    let (settings, output) = settings::simulate(args, command_line(std::env::args_os().skip(1)))?;
    let file = output.path.as_deref().map(OutputFile::new).transpose()?;
    let bar = progress_bar();
    let report = simulate(&settings, &|progress| show(&bar, "", progress));
    bar.finish_and_clear();
    let report = report?;
    // Before anything is written: a gate that cannot be checked is an error, which has no output.
    let exceeded = output.gate.as_ref().map_or(Ok(Vec::new()), |gate| gate.exceeded(&report))?;
    let style = style(output.path.as_deref(), output.color, output.format == Format::Text);
    write_report(file.as_ref(), &render(&report, output.format, style)?)?;
    for (name, distribution) in output.hgrm.iter().flat_map(|folder| hgrm_files(&report, folder)) {
        OutputFile::new(&name)?.write(distribution)?;
    }
    for limit in &exceeded {
        say(&format!("above the limit: {limit}"));
    }
    Ok(if exceeded.is_empty() { Exit::Done } else { Exit::LimitExceeded })
}

/// A file for each strategy and class of records, and what it holds.
fn hgrm_files<'r>(report: &'r Report, folder: &Path) -> Vec<(PathBuf, &'r str)> {
    let strategies = report.lag.iter().flat_map(|lag| &lag.strategies);
    let classes = strategies.flat_map(|strategy| strategy.classes.iter().map(move |class| (strategy, class)));
    let file = |(strategy, class): (&'r StrategyLag, &'r ClassLag)| {
        let name = format!("{}.{}.hgrm", strategy.name, class.class.to_lowercase().replace(' ', "-"));
        (folder.join(name), class.hgrm.as_str())
    };
    classes.map(file).collect()
}

fn run_tune(args: TuneArgs) -> Result<Exit> {
    let (settings, output) = settings::tune(args, command_line(std::env::args_os().skip(1)))?;
    let file = match &output.contract {
        ContractOutput::File(path) => Some(OutputFile::new(path)?),
        _ => None,
    };
    let bar = progress_bar();
    let report = tune(&settings, &|what, progress| show(&bar, what, progress));
    bar.finish_and_clear();
    let report = report?;
    let to_stdout = matches!(output.contract, ContractOutput::Stdout);
    let style = style(to_stdout.then_some(Path::new("-")), output.color, output.format == TuneFormat::Text);
    let text = render_tune(&report, output.format, style)?;
    if let Some(file) = &file {
        file.write(&report.contract)?;
    }
    if to_stdout {
        // The contract may be read by another program; what is for people goes beside it.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
    write_stdout(if to_stdout { &report.contract } else { &text })?;
    Ok(Exit::Done)
}

fn run_verify(args: VerifyArgs) -> Result<Exit> {
    let (settings, output) = settings::verify(args, command_line(std::env::args_os().skip(1)))?;
    let file = output.path.as_deref().map(OutputFile::new).transpose()?;
    let (bar, current) = (progress_bar(), Cell::new(""));
    let above_bar = bar.clone();
    let report = verify(
        settings,
        &|what, progress| {
            if current.replace(what) != what && bar.position() > 0 {
                bar.reset_eta();
                bar.set_position(0);
            }
            show(&bar, what, progress);
        },
        Arc::new(move |text| above_bar.suspend(|| say(text))),
    );
    bar.finish_and_clear();
    if let Some(signal) = report.as_ref().err().and_then(|error| error.signal()) {
        // What was begun is cleaned up; now the shell is to see what happened.
        signal_hook::low_level::emulate_default_handler(signal).context("interrupted")?;
    }
    let report = report?;
    let style = style(output.path.as_deref(), output.color, output.format == VerifyFormat::Text);
    write_report(file.as_ref(), &render_verify(&report, output.format, style)?)?;
    Ok(if report.passed { Exit::Done } else { Exit::Mismatch })
}

fn run_compare(args: CompareArgs) -> Result<Exit> {
    let (settings, output) = settings::compare(&args, command_line(std::env::args_os().skip(1)))?;
    let file = output.path.as_deref().map(OutputFile::new).transpose()?;
    let comparison = compare(&settings.before, &settings.after, settings.command);
    // Before anything is written: a gate that cannot be checked is an error, which has no output.
    let exceeded = output.gate.as_ref().map_or(Ok(Vec::new()), |gate| gate.exceeded(&comparison))?;
    let style = style(output.path.as_deref(), output.color, output.format == CompareFormat::Text);
    write_report(file.as_ref(), &render_compare(&comparison, output.format, style)?)?;
    for limit in &exceeded {
        say(&format!("above the limit: {limit}"));
    }
    Ok(if exceeded.is_empty() { Exit::Done } else { Exit::LimitExceeded })
}

fn write_report(file: Option<&OutputFile>, text: &str) -> Result<()> {
    match file {
        Some(file) => Ok(file.write(text)?),
        None => write_stdout(text),
    }
}

fn style(path: Option<&Path>, color: When, is_text: bool) -> TextStyle {
    let to_terminal = path.is_none() && io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let color = match color {
        When::Always => true,
        When::Never => false,
        When::Auto => to_terminal && !no_color && !is_dumb,
    };
    let of_terminal =
        if to_terminal { terminal_size::terminal_size().map(|(width, _)| width.0) } else { None };
    let of_environment = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width_columns = of_terminal.or_else(of_environment).unwrap_or(WIDTH_COLUMNS_DEFAULT);
    TextStyle { width_columns, color: color && is_text, unicode: true }
}

fn progress_bar() -> ProgressBar {
    // Hidden by indicatif itself when stderr is not a terminal.
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
}

/// Moves the bar; `what` says what is being done, where that is more than one thing.
fn show(bar: &ProgressBar, what: &'static str, progress: Progress) {
    let (done, total, template) = match progress {
        Progress::Records { done, total } => {
            (done, Some(total), "{msg}{bar:30} {human_pos} of {human_len} records, {eta} left")
        }
        Progress::Bytes { done, total: Some(total) } => {
            (done, Some(total), "{msg}{bar:30} {bytes} of {total_bytes}, {eta} left")
        }
        Progress::Bytes { done, total: None } => (done, None, "{msg}{spinner} {bytes} read, {bytes_per_sec}"),
    };
    if bar.position() == 0 {
        // First the style: the length is drawn at once.
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message(what);
        if let Some(total) = total {
            bar.set_length(total);
        }
    }
    bar.set_position(done);
}

/// Writes to standard output; a reader that has gone is no error.
fn write_stdout(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("standard output cannot be written"),
    }
}

/// Tells the user; a terminal obeys nothing of it, and one that has gone is no error.
fn say(text: &str) {
    let shown: Vec<_> = text.lines().map(display_text).collect();
    let _ = writeln!(io::stderr().lock(), "{}", shown.join("\n"));
}
