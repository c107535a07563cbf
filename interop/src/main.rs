//! The command line over the `interop` library.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use interop::kafka::{Cluster, ClusterOptions, Nodes, Security};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Real Kafka on this machine.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Subject,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// Starts Apache Kafka, prints the properties with which librdkafka's clients reach it, and runs until Ctrl-C.
    ///
    /// Needs Java 17 or later and, the first time, Maven (Debian: openjdk-17-jre-headless, maven). Everything in the
    /// cluster is gone when it ends.
    Kafka(KafkaArgs),
}

#[derive(Debug, Args)]
struct KafkaArgs {
    /// How many nodes.
    #[arg(long, default_value = "1", value_parser = PossibleValuesParser::new(["1", "3"]))]
    nodes: String,

    /// Lets clients in only with TLS and a SCRAM-SHA-256 password.
    #[arg(long)]
    sasl_ssl: bool,

    /// A property of the broker, as often as needed.
    #[arg(long, value_name = "NAME=VALUE", value_parser = property)]
    property: Vec<(String, String)>,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a property is NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn main() -> ExitCode {
    let Subject::Kafka(args) = Cli::parse().command;
    match run_kafka(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run_kafka(args: KafkaArgs) -> Result<()> {
    let options = ClusterOptions {
        nodes: if args.nodes == "3" { Nodes::Three } else { Nodes::One },
        security: if args.sasl_ssl { Security::SaslSsl } else { Security::Plain },
        properties: args.property,
        say,
    };
    let cluster = Cluster::start(&options)?;
    // Only now: a signal during the start ends this process at once, and the brokers with it.
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("Ctrl-C cannot be waited for")?;
    let properties = cluster.client_properties();
    let text: String = properties.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("standard output is closed")?;
    say("running until Ctrl-C");
    signals.forever().next();
    say("stopping");
    Ok(())
}

/// Tells the user; a terminal obeys nothing of it, and one that has gone is no error.
fn say(text: &str) {
    let shown: Vec<String> = text.lines().map(without_control_characters).collect();
    let _ = writeln!(io::stderr().lock(), "{}", shown.join("\n"));
}

fn without_control_characters(line: &str) -> String {
    let escaped =
        |c: char| if c.is_control() && c != '\t' { c.escape_default().collect() } else { c.to_string() };
    line.chars().map(escaped).collect()
}
