//! From which size on something is worth a finding.

/// Ratio of two max/mean figures, or of one to its ideal 1, that is worth acting on.
///
/// Two draws of the same traffic differ by up to about 5 % (`multitenant` at n = 24: 1.05 to 1.13 for the same pool), so
/// less than this is no difference.
pub(super) const MATERIAL_RATIO: f64 = 1.05;

/// Gain over the `vip_count` in use above which another is recommended.
///
/// Lower than [`MATERIAL_RATIO`], because both sides of the comparison saw the same records and the remedy is one
/// number in a file.
pub(super) const VIP_COUNT_GAIN: f64 = 1.01;

/// Regret of `tenant-aware` above which tuning is worth the effort: the best pool by plain modulo is within 10 % of
/// the floor where keys are small.
pub(super) const REGRET: f64 = 1.10;

/// max/mean of a pool from which it counts as a weak side: the same 5/4 that makes a partition hot.
pub(super) const POOL_HOT: f64 = 1.25;

/// Difference of two blast radii that is worth choosing a strategy by. With a few hundred other tenants, which ones
/// hash beside a VIP moves the figure by some percent either way.
pub(super) const BLAST_RADIUS_DIFFERENCE: f64 = 0.1;

/// Share of the input missing from the figures above which that is the first thing to say: max/mean may be off by as
/// much.
pub(super) const MISSING_SHARE: f64 = 0.01;

/// Share of the judged records whose key was known, below which moved slots are about keys that no longer come. With half
/// of the keys new, half of what moving slots evens out is drawn anew.
pub(super) const KNOWN_KEYS: f64 = 0.5;

/// Persistence of keys below which it is chance that makes some of them busier than others.
pub(super) const PERSISTENCE: f64 = 0.1;

/// Ratio of two max/mean figures up to which order or isolation may count for more than the difference.
pub(super) const CLOSE_RATIO: f64 = 1.1;
