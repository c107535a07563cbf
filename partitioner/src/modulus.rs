//! Remainders by a divisor that is known long before the value: a multiplication instead of a division.

/// A divisor in `1..=u32::MAX` with its reciprocal.
///
/// `reduce` gives exactly `value % divisor` for every `u32` (Lemire, Kaser, Kurz, "Faster remainder by direct
/// computation", 2019, <https://arxiv.org/abs/1902.01961>), in two multiplications where a 32-bit division takes
/// 20 to 30 cycles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modulus {
    divisor: u32,
    /// ⌈2⁶⁴ / divisor⌉ modulo 2⁶⁴.
    reciprocal: u64,
}

impl Modulus {
    /// # Panics
    /// When `divisor` is 0.
    pub(crate) const fn new(divisor: u32) -> Self {
        assert!(divisor > 0, "a modulus is at least 1");
        Self { divisor, reciprocal: (u64::MAX / divisor as u64).wrapping_add(1) }
    }

    pub(crate) const fn divisor(self) -> u32 {
        self.divisor
    }

    /// `value % divisor`.
    ///
    /// Values above `u32::MAX` come from one hash rule for one raw value only and take the division.
    #[inline]
    pub(crate) fn reduce(self, value: u64) -> u32 {
        if value > u64::from(u32::MAX) {
            return low_half(value % u64::from(self.divisor));
        }
        let fraction = self.reciprocal.wrapping_mul(value);
        high_half(u128::from(fraction) * u128::from(self.divisor))
    }
}

/// The value, known to be below 2³².
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn low_half(value: u64) -> u32 {
    debug_assert!(value <= u64::from(u32::MAX));
    value as u32
}

/// Bits 64.. of a product of a `u64` and a `u32`, which are below 2³².
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn high_half(product: u128) -> u32 {
    (product >> 64) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Modulus;

    #[test]
    fn the_edges_of_both_ranges_divide_as_the_operator_does() {
        for divisor in [1, 2, 3, 12, 255, 256, 640, 65_535, 65_536, 999_999, u32::MAX - 1, u32::MAX] {
            for value in [0, 1, 2, 11, 12, 0x7fff_ffff, 0x8000_0000, u64::from(u32::MAX), 1 << 32, u64::MAX] {
                let expected = u32::try_from(value % u64::from(divisor)).unwrap();
                assert_eq!(Modulus::new(divisor).reduce(value), expected, "{value} % {divisor}");
            }
        }
    }

    proptest! {
        #[test]
        fn reduce_is_the_remainder(value: u32, divisor in 1u32..) {
            prop_assert_eq!(Modulus::new(divisor).reduce(u64::from(value)), value % divisor);
        }
    }
}
