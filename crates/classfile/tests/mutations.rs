//! Damaged class files: errors, never panics.

mod common;

use std::sync::LazyLock;

use proptest::prelude::*;

/// A class with something of everything.
static SHAPES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = common::folder();
    common::compile("shapes", folder.path(), &["-g", "-parameters"]);
    std::fs::read(folder.path().join("Shapes.class")).unwrap()
});

#[test]
fn the_unmutated_class_is_whole() {
    assert!(common::walk(&common::parse(&SHAPES).unwrap()).unwrap() > 100);
}

#[test]
fn every_truncation_is_an_error() {
    for length in 0..SHAPES.len() {
        let error = common::parse(&SHAPES[..length]).expect_err("truncated").to_string();
        assert!(error.starts_with("test.class: damaged class file, "), "{length}: {error}");
    }
}

#[test]
fn every_version_out_of_range_is_refused() {
    for (major, supported) in
        [(0, false), (44, false), (45, true), (52, true), (69, true), (70, false), (65535, false)]
    {
        let mut bytes = SHAPES.clone();
        bytes[6..8].copy_from_slice(&u16::to_be_bytes(major));
        let class = common::parse(&bytes);
        assert_eq!(class.is_ok(), supported, "{major}: {class:?}");
        if let Err(error) = class {
            assert!(
                error.to_string().contains(&format!("class file version {major}.0 is not supported")),
                "{error}"
            );
        }
    }
}

#[test]
fn messages_name_the_place() {
    let patched = |offset: usize, with: &[u8]| {
        let mut bytes = SHAPES.clone();
        bytes[offset..offset + with.len()].copy_from_slice(with);
        common::parse(&bytes).unwrap_err().to_string()
    };
    assert!(patched(0, &[0]).contains("offset 0x0: does not begin with CAFEBABE"));
    assert!(patched(8, &[0, 0]).contains("constant pool, offset 0x8"));
    assert!(
        patched(10, &[99])
            .contains("constant pool entry 1, offset 0xa: there is no kind of constant with tag 99")
    );
    let class = common::parse(&SHAPES).unwrap();
    for index in [0, class.constant_count(), u16::MAX] {
        let error = class.constant(index).unwrap_err().to_string();
        assert!(error.contains(&format!("constant pool entry {index}: ")), "{error}");
    }
    let mut longer = SHAPES.clone();
    longer.push(0);
    assert!(
        common::parse(&longer)
            .unwrap_err()
            .to_string()
            .contains("the class ends here, but the file does not")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mutation_is_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = SHAPES.clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(class) = common::parse(&bytes) {
            let _ = common::walk(&class);
        }
    }

    #[test]
    fn any_bytes_behind_the_header_are_read_or_refused(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [&[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61][..], &tail].concat();
        if let Ok(class) = common::parse(&bytes) {
            let _ = common::walk(&class);
        }
    }
}
