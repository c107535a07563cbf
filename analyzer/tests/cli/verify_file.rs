//! `verify` with brokers, users and passwords from the contract's file.

use interop::kafka::shared;

use crate::harness::{Done, Report, TestDir};
use crate::verify::assert_passed;

/// Never set.
const UNSET: &str = "ANALYZER_TEST_NO_SUCH_VARIABLE";

const SECTION: &str = "[topics.\"*\"]\npartitions = 6\nvip_count = 3\nvip.tenants = [\"tenant-mega\"]\n";

const RUN: &str = "verify --profile article --config p.toml --cleanup --format json";

/// It passed, and told of the topic.
#[track_caller]
fn assert_verified(done: Done) {
    let done = done.code(0);
    done.check(done.stderr.contains("is deleted"), "what becomes of the topic");
    assert_passed(&Report(serde_json::from_str(&done.stdout).unwrap()));
}

#[test]
fn a_mock_cluster_takes_nobodys_password() {
    let file = format!(
        "{SECTION}[producer]\nbootstrap.servers = \"b:1\"\nsasl.password = {{ env = \"{UNSET}\" }}\n"
    );
    let dir = TestDir::with("p.toml", file);
    assert_passed(&dir.run("verify --mock --profile article --config p.toml --format json").report());
}

#[test]
fn what_is_wrong_with_the_files_properties_is_said_with_their_names() {
    for (properties, parts) in [
        ("linger.ms = 5", &["--brokers", "--mock", "[producer]"][..]),
        ("bootstrap.servers = \"b:99999\"", &["[producer] bootstrap.servers", "b:99999", "1 to 65535"]),
        ("bootstrap.servers.env = \"UNSET\"", &["producer.\"bootstrap.servers\"", "variable", UNSET]),
        (
            "bootstrap.servers = \"127.0.0.1:1\"\nno.such = 1",
            &["[producer] in the contract's file: ", "no.such"],
        ),
        (
            "bootstrap.servers = \"127.0.0.1:1\"\npartitioner = \"random\"",
            &["[producer]", "remove the property"],
        ),
    ] {
        let file = format!("{SECTION}[producer]\n{}\n", properties.replace("UNSET", UNSET));
        TestDir::with("p.toml", file).run(&format!("{RUN} --timeout 1")).refused(parts);
    }
}

#[test]
fn a_variable_that_does_not_hold_brokers_is_not_shown() {
    let file = format!("{SECTION}[producer]\nbootstrap.servers = {{ env = \"BROKERS\" }}\n");
    let dir = TestDir::with("p.toml", file);
    let done = dir.analyzer(RUN).env("BROKERS", "hunter2:hunter2").run();
    done.check(!done.stderr.contains("hunter2"), "no value of a variable");
    done.refused(&["[producer] bootstrap.servers", "host:port"]);
}

#[cfg(not(feature = "tls"))]
#[test]
fn tls_and_sasl_name_the_feature_that_they_need() {
    for property in [
        "security.protocol=sasl_ssl",
        "ssl.ca.location=/ca.pem",
        "sasl.mechanism=SCRAM-SHA-256",
        "sasl.password=hunter2",
    ] {
        let done =
            crate::harness::run(&format!("verify --brokers 127.0.0.1:1 --profile article -X {property}"));
        done.check(!done.stderr.contains("hunter2"), "no value of a property");
        done.refused(&["-X ", property.split('=').next().unwrap(), "feature `tls`"]);
    }
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn the_brokers_of_the_file_are_used() {
    let servers = shared().unwrap().bootstrap_servers();
    let file = format!("{SECTION}[producer]\nbootstrap.servers = {{ env = \"BROKERS\" }}\nlinger.ms = 1\n");
    let dir = TestDir::with("p.toml", file);
    let done = dir.analyzer(RUN).env("BROKERS", servers).run();
    assert_verified(done);
}

#[cfg(feature = "tls")]
#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_secure_cluster_lets_in_who_has_the_password_in_the_environment() {
    use interop::kafka::{Cluster, ClusterOptions, Security};

    let cluster =
        Cluster::start(&ClusterOptions { security: Security::SaslSsl, ..Default::default() }).unwrap();
    let password = cluster.credentials().unwrap().password();
    let properties = cluster.client_properties().into_iter().map(|(name, value)| match name {
        "sasl.password" => "sasl.password = { env = \"KAFKA_PASSWORD\" }\n".to_owned(),
        name => format!("{name} = {value:?}\n"),
    });
    let dir = TestDir::with("p.toml", format!("{SECTION}[producer]\n{}", properties.collect::<String>()));
    let done = dir.analyzer(RUN).env("KAFKA_PASSWORD", password).run();
    done.check(!format!("{}{}", done.stdout, done.stderr).contains(password), "no password");
    assert_verified(done);

    let wrong = "correct-horse-battery";
    let done = dir.analyzer(&format!("{RUN} --timeout 5")).env("KAFKA_PASSWORD", wrong).run().code(2);
    done.check(done.stderr.contains("uthentication"), "why");
    done.check(!done.stderr.contains(wrong), "no password");
}
