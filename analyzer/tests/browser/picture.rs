//! The picture of a page that the README shows. `UPDATE_GOLDEN=1 cargo test -p analyzer --test browser picture --
//! --include-ignored` takes it again; no test compares it, for letters look different on every machine.

use std::fs;
use std::path::Path;

use crate::report::simulated;
use crate::tab::Tab;

const WIDTH: u32 = 1100;

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn the_picture_for_the_readme_is_small_and_of_the_page() {
    let report = simulated(
        "--profile multitenant --strategies tenant-key,compound-key,tenant-aware --sweep vip-count",
    );
    let mut tab = Tab::open(&report.path, |tab| {
        tab.set_width(WIDTH);
        tab.set_media("screen", "light");
    });
    // The curves and what made the report are below.
    let curves =
        tab.value("Math.floor(document.querySelector('.wide').parentElement.getBoundingClientRect().top)");
    let height = u32::try_from(curves.as_u64().unwrap()).unwrap();
    let taken = tab.picture(WIDTH, height);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("doc/report.png");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &taken).unwrap();
    }
    let kept = fs::read(&path).unwrap();
    for picture in [&taken, &kept] {
        // The header of a PNG: signature, length and name of the first chunk, then width and height.
        assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
        let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
        assert_eq!(number(16), WIDTH);
        assert!((1_000..3_000).contains(&number(20)), "{} high", number(20));
    }
    assert!(kept.len() < 300_000, "{} bytes", kept.len());
}
