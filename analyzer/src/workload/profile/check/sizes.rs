//! The `sizes` tables.

use rand_distr::{LogNormal, Pareto};

use super::{Check, Result};
use crate::workload::profile::file::{
    ConstantFile, LogNormalFile, ParetoFile, SizeDistributionFile, SizesFile, UniformFile,
};
use crate::workload::profile::sizes::{
    CONSTANT_BYTES_DEFAULT, MAX_BYTES_DEFAULT, RECORD_BYTES_MAX, SizeDistribution, Sizes,
};

const SIGMA_MAX: f64 = 10.0;

impl Check<'_> {
    pub(super) fn sizes(self, file: &SizesFile) -> Result<Sizes> {
        let bytes = 1..=RECORD_BYTES_MAX;
        let min_bytes = self.whole("min_bytes", file.min_bytes.clone(), bytes.clone(), 1)?;
        let max_bytes = self.whole("max_bytes", file.max_bytes.clone(), bytes.clone(), MAX_BYTES_DEFAULT)?;
        let at = &file.distribution;
        if min_bytes > max_bytes {
            return self.wrong(at, format!("`min_bytes` is {min_bytes}, above `max_bytes`, {max_bytes}"));
        }
        let limits = min_bytes..=max_bytes;
        let real_bytes = 1.0..=f64::from(RECORD_BYTES_MAX);
        let unsound = |error: &dyn std::error::Error| self.source.error(at.span(), error);
        let distribution = match at.get_ref() {
            SizeDistributionFile::Constant(ConstantFile { bytes }) => {
                let bytes = self.whole("bytes", Some(bytes.clone()), limits, CONSTANT_BYTES_DEFAULT)?;
                SizeDistribution::Constant { bytes }
            }
            SizeDistributionFile::Uniform(UniformFile { from_bytes, to_bytes }) => {
                let from_bytes =
                    self.whole("from_bytes", Some(from_bytes.clone()), limits.clone(), min_bytes)?;
                let rest = from_bytes..=max_bytes;
                let to_bytes = self.whole("to_bytes", Some(to_bytes.clone()), rest, max_bytes)?;
                SizeDistribution::Uniform { from_bytes, to_bytes }
            }
            SizeDistributionFile::LogNormal(LogNormalFile { median_bytes, sigma }) => {
                let median_bytes = self.real("median_bytes", median_bytes, real_bytes)?;
                let sigma = self.real("sigma", sigma, 0.0..=SIGMA_MAX)?;
                let distribution = LogNormal::new(libm::log(median_bytes), sigma);
                SizeDistribution::LogNormal(distribution.map_err(|error| unsound(&error))?)
            }
            SizeDistributionFile::Pareto(ParetoFile { scale_bytes, shape }) => {
                let scale_bytes = self.real("scale_bytes", scale_bytes, real_bytes)?;
                let shape = self.real("shape", shape, 0.1..=100.0)?;
                let distribution = Pareto::new(scale_bytes, shape);
                SizeDistribution::Pareto(distribution.map_err(|error| unsound(&error))?)
            }
        };
        Ok(Sizes { distribution, min_bytes, max_bytes })
    }
}
