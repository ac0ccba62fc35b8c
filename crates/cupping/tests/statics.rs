//! Static fields are state too: sequences of static methods reach what one call does not, and tests restore what
//! they change (`fixtures/statics`). The effects of initialisation do not count for individual tests. Certification
//! shows that the tests hold in any order; otherwise the exit code is 1.

mod support;

use serde_json::Value;
use std::fs;
use support::{compile, cupping, files, repository, scratch};

#[test]
fn static_fields_lead_to_what_one_call_does_not_reach() {
    let folder = scratch("statics");
    let sources = files(&repository().join("fixtures/statics"));
    compile(&sources, "", &folder.join("classes"));
    for junit in ["4", "5"] {
        let args = ["generate", "classes", "--budget", "20s", "--json", "report.json", "--junit", junit];
        cupping(&folder, &args).expect(0);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
        for class in report["results"]["classes"].as_array().unwrap() {
            let branches = &class["coverage"]["branches"];
            assert_eq!(branches["covered"], branches["total"], "{}", class["class"]);
        }
        let tickets = fs::read_to_string(folder.join("cupping-tests/app/TicketsTest.java")).unwrap();
        let annotation = if junit == "4" { "@After\n" } else { "@AfterEach\n" };
        assert!(tickets.contains(annotation), "{tickets}");
        assert!(tickets.contains("setPrivate(Tickets.class, \"sold\", null, 0);"), "{tickets}");
        assert!(tickets.contains("Tickets.limit = 3;"), "{tickets}");
        // A field that is read gives the argument.
        let chain = fs::read_to_string(folder.join("cupping-tests/app/ChainTest.java")).unwrap();
        assert!(chain.contains("assertTrue(chain.isFirst(chain.first))"), "{chain}");
        let mode = fs::read_to_string(folder.join("cupping-tests/app/ModeTest.java")).unwrap();
        assert!(mode.contains("Mode.beLoud();"), "{mode}");
    }
}
