//! Which traffic was asked for.

use super::{Result, SettingsError, TrafficSource, wrong};
use crate::cli::{TraceFormatArg, TrafficArgs};
use crate::workload::profile::Profile;
use crate::workload::trace::{TraceFields, TraceFormat, TraceOptions};

/// A profile, read and checked.
pub(super) fn profile(args: &TrafficArgs) -> Result<Option<Profile>> {
    let load = |name: &String| Profile::load(name).map_err(|error| SettingsError(error.to_string()));
    args.profile.as_ref().map(load).transpose()
}

/// A trace; `bytes` and `time` name the fields of sizes and times.
pub(super) fn trace(
    args: &TrafficArgs,
    bytes: Option<String>,
    time: Option<String>,
) -> Result<TrafficSource> {
    let Some(path) = args.trace.clone() else {
        return wrong("--profile or --trace is needed; `analyzer profiles` lists the profiles");
    };
    if args.tenant_field.is_none() && args.key_field.is_none() {
        return wrong(
            "--trace needs to know its fields: name --tenant-field (and --entity-field), or --key-field",
        );
    }
    let fields = TraceFields {
        tenant: args.tenant_field.clone(),
        entity: args.entity_field.clone(),
        key: args.key_field.clone(),
        bytes,
        time,
    };
    let format = args.trace_format.map(|format| match format {
        TraceFormatArg::Csv => TraceFormat::Csv,
        TraceFormatArg::Tsv => TraceFormat::Tsv,
        TraceFormatArg::Jsonl => TraceFormat::JsonLines,
    });
    Ok(TrafficSource::Trace {
        path,
        options: TraceOptions { fields, format, skip_bad_rows: args.skip_bad_rows },
    })
}
