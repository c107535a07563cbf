//! The profile file as written: one type per table, one field per key. `config/README.md` describes each key.
//!
//! Numbers are read as TOML's own widest type and checked in [`super::check`], so that a wrong one is reported with
//! its limit and not as a failed conversion.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileFile {
    pub(super) name: Spanned<String>,
    pub(super) description: String,
    pub(super) records: Option<Spanned<i64>>,
    pub(super) partitions: Option<Spanned<i64>>,
    pub(super) rate_per_s: Option<Spanned<i64>>,
    #[serde(default)]
    pub(super) vip: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) explicit_map: BTreeMap<Spanned<String>, Spanned<i64>>,
    pub(super) sizes: Option<SizesFile>,
    #[serde(default)]
    pub(super) tenants: Vec<Spanned<TenantsFile>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TenantsFile {
    pub(super) name: Spanned<String>,
    pub(super) count: Option<Spanned<i64>>,
    pub(super) weight: Option<Spanned<f64>>,
    pub(super) records: Option<Spanned<i64>>,
    pub(super) within: Option<Spanned<ShapeFile>>,
    pub(super) entities: Option<Spanned<i64>>,
    pub(super) entity_distribution: Option<Spanned<ShapeFile>>,
    pub(super) entity_name: Option<Spanned<String>>,
    pub(super) sizes: Option<SizesFile>,
    pub(super) burst: Option<Spanned<BurstFile>>,
    pub(super) growth: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ShapeFile {
    Uniform,
    Zipf(f64),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SizesFile {
    pub(super) distribution: Spanned<SizeDistributionFile>,
    pub(super) min_bytes: Option<Spanned<i64>>,
    pub(super) max_bytes: Option<Spanned<i64>>,
}

/// The variants hold structs of their own: only for those does an unknown key get serde's usual message.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SizeDistributionFile {
    Constant(ConstantFile),
    Uniform(UniformFile),
    LogNormal(LogNormalFile),
    Pareto(ParetoFile),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConstantFile {
    pub(super) bytes: Spanned<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UniformFile {
    pub(super) from_bytes: Spanned<i64>,
    pub(super) to_bytes: Spanned<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogNormalFile {
    pub(super) median_bytes: Spanned<f64>,
    pub(super) sigma: Spanned<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoFile {
    pub(super) scale_bytes: Spanned<f64>,
    pub(super) shape: Spanned<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BurstFile {
    pub(super) from: Spanned<f64>,
    pub(super) until: Spanned<f64>,
    pub(super) factor: Spanned<f64>,
}
