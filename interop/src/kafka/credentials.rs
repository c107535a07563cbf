//! What a client needs to get in: the certificate to trust, a user and its password.

use std::fmt;
use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, DnType, KeyPair};

use super::ClusterError;
use super::random::random_word;

/// Random characters of a password: 120 bits.
const PASSWORD_LENGTH: usize = 24;

/// What a client of a [`SaslSsl`](super::Security::SaslSsl) cluster needs.
///
/// `Debug` does not show the password.
#[derive(Clone)]
pub struct Credentials {
    ca_path: PathBuf,
    username: String,
    password: String,
}

impl Credentials {
    /// The PEM file of the certificate to trust, for `localhost` and 127.0.0.1 (librdkafka's `ssl.ca.location`).
    pub fn ca_path(&self) -> &Path {
        &self.ca_path
    }

    /// The SCRAM-SHA-256 user.
    pub fn username(&self) -> &str {
        &self.username
    }

    /// The user's password.
    pub fn password(&self) -> &str {
        &self.password
    }

    /// librdkafka's properties for this, with the password in clear.
    pub fn client_properties(&self) -> Vec<(&'static str, String)> {
        vec![
            ("security.protocol", "SASL_SSL".to_owned()),
            ("sasl.mechanism", "SCRAM-SHA-256".to_owned()),
            ("sasl.username", self.username.clone()),
            ("sasl.password", self.password.clone()),
            ("ssl.ca.location", self.ca_path.display().to_string()),
        ]
    }

    /// The same for Kafka's own clients, as a properties file.
    pub(crate) fn java_properties(&self) -> String {
        format!(
            "security.protocol=SASL_SSL\n\
             sasl.mechanism=SCRAM-SHA-256\n\
             sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
             username=\"{}\" password=\"{}\";\n\
             ssl.truststore.type=PEM\n\
             ssl.truststore.location={}\n",
            self.username,
            self.password,
            self.ca_path.display()
        )
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("ca_path", &self.ca_path)
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// New credentials, and the broker's key store for them in `folder`.
pub(crate) fn create(folder: &Path) -> Result<(Credentials, PathBuf), ClusterError> {
    let cannot = |error| ClusterError::new(format!("the certificate cannot be made: {error}"));
    let mut params =
        CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).map_err(cannot)?;
    params.distinguished_name.push(DnType::CommonName, "localhost");
    let key = KeyPair::generate().map_err(cannot)?;
    let certificate = params.self_signed(&key).map_err(cannot)?.pem();

    let write = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| ClusterError::file(&path, error)).map(|()| path)
    };
    let ca_path = write("ca.pem", certificate.clone())?;
    // Kafka reads the private key first, then its certificate, from one file.
    let key_store = write("keystore.pem", key.serialize_pem() + &certificate)?;
    let credentials =
        Credentials { ca_path, username: "app".to_owned(), password: random_word(PASSWORD_LENGTH)? };
    Ok((credentials, key_store))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides_the_password() {
        let folder = tempfile::tempdir().unwrap();
        let (credentials, key_store) = create(folder.path()).unwrap();
        let shown = format!("{credentials:?}");
        assert!(shown.contains("app") && !shown.contains(credentials.password()), "{shown}");
        let key_store = std::fs::read_to_string(key_store).unwrap();
        assert!(key_store.starts_with("-----BEGIN PRIVATE KEY-----"));
        assert!(key_store.ends_with(&std::fs::read_to_string(credentials.ca_path()).unwrap()));
    }
}
