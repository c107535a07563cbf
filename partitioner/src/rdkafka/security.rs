//! TLS and SASL properties that this build of librdkafka cannot keep.

use rdkafka::ClientConfig;

use super::config::{ConfigError, value_of};

/// What was built into librdkafka, such as `"gzip,snappy,ssl,sasl_scram"`.
pub(super) fn builtin_features() -> Option<String> {
    ClientConfig::new().create_native_config().ok()?.get("builtin.features").ok()
}

/// Refuses properties that need more than `features`, by name and with the Cargo feature that brings it.
///
/// librdkafka would say "OpenSSL not available at build time", or for some properties nothing at all, and then talk to the
/// broker in clear text.
pub(super) fn check(config: &ClientConfig, features: Option<&str>) -> Result<(), ConfigError> {
    let has = |feature: &str| features.is_none_or(|all| all.split(',').any(|one| one.trim() == feature));
    let mechanism = value_of(config, "sasl.mechanism").map(|value| value.trim().to_ascii_uppercase());
    if mechanism.as_deref() == Some("GSSAPI") && !has("sasl_gssapi") {
        return Err(ConfigError::new(
            "sasl.mechanism",
            "GSSAPI (Kerberos) is not part of this build; enable the feature `gssapi` of the crate rdkafka",
        ));
    }
    if has("ssl") {
        return Ok(());
    }
    // SASL/PLAIN without TLS is all that needs no OpenSSL.
    let protocol = value_of(config, "security.protocol").map(|value| value.trim().to_ascii_lowercase());
    let is_plain = protocol.as_deref() == Some("sasl_plaintext") && mechanism.as_deref() == Some("PLAIN");
    let mut names: Vec<_> = config.config_map().into_keys().collect();
    names.sort_unstable();
    let refused = names.into_iter().find(|name| match *name {
        "security.protocol" => !is_plain && protocol.as_deref() != Some("plaintext"),
        name if name.starts_with("sasl.") => !is_plain,
        name => name.starts_with("ssl.") || name.contains(".ssl."),
    });
    match refused {
        Some(name) => Err(ConfigError::new(
            name,
            "TLS and SASL are not part of this build; enable the feature `tls` of the crate partitioner, or of analyzer \
             (cargo … --features tls)",
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHOUT: &str = "snappy,sasl,regex,lz4,sasl_plain,plugins";
    const WITH: &str = "ssl,sasl_plain,sasl_scram,sasl_oauthbearer";

    fn refused(properties: &[(&str, &str)], features: &str) -> Option<String> {
        let pairs = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        check(&pairs.collect(), Some(features)).err().map(|error| error.to_string())
    }

    #[test]
    fn every_such_property_names_the_feature() {
        for property in [
            ("security.protocol", "ssl"),
            ("security.protocol", "SASL_SSL"),
            ("security.protocol", "sasl_plaintext"),
            ("ssl.ca.location", "/ca.pem"),
            ("enable.ssl.certificate.verification", "false"),
            ("sasl.mechanism", "SCRAM-SHA-256"),
            ("sasl.mechanisms", "PLAIN"),
            ("sasl.username", "app"),
            ("sasl.password", "hunter2"),
        ] {
            let error =
                refused(&[property], WITHOUT).unwrap_or_else(|| panic!("{property:?} is let through"));
            assert!(error.starts_with(property.0) && error.contains("feature `tls`"), "{error}");
            assert!(!error.contains("hunter2"));
            assert_eq!(refused(&[property], WITH), None);
        }
    }

    #[test]
    fn what_works_without_tls_is_let_through() {
        let plain =
            [("security.protocol", "SASL_PLAINTEXT"), ("sasl.mechanism", "PLAIN"), ("sasl.username", "a")];
        assert_eq!(refused(&plain, WITHOUT), None);
        assert_eq!(refused(&[("security.protocol", "plaintext"), ("linger.ms", "5")], WITHOUT), None);
        assert!(refused(&[("sasl.mechanism", "GSSAPI")], WITH).unwrap().contains("feature `gssapi`"));
    }

    #[test]
    fn the_build_says_what_it_can() {
        let features = builtin_features().unwrap();
        assert_eq!(features.split(',').any(|one| one == "ssl"), cfg!(feature = "tls"), "{features}");
        assert!(features.contains("sasl_plain"), "{features}");
    }
}
