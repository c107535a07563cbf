//! The profiles that come with the program. `config/profiles/` holds the same files for reading; a test keeps them
//! equal.

/// Name and text, sorted by name.
pub(super) const EMBEDDED: [(&str, &str); 8] = [
    ("article", include_str!("../../../profiles/article.toml")),
    ("many-whales", include_str!("../../../profiles/many-whales.toml")),
    ("mega-zipf", include_str!("../../../profiles/mega-zipf.toml")),
    ("multitenant", include_str!("../../../profiles/multitenant.toml")),
    ("noisy-neighbour", include_str!("../../../profiles/noisy-neighbour.toml")),
    ("ticker", include_str!("../../../profiles/ticker.toml")),
    ("uniform", include_str!("../../../profiles/uniform.toml")),
    ("zipf", include_str!("../../../profiles/zipf.toml")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::profile::Profile;

    #[test]
    fn every_embedded_profile_is_valid_and_has_the_name_of_its_file() {
        assert!(EMBEDDED.is_sorted());
        for (name, text) in EMBEDDED {
            let profile = Profile::from_toml(text, name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(profile.name(), name);
            assert!(!profile.description().is_empty(), "{name}");
        }
    }
}
