//! Pages of the book that are made from the code. `TILEWRIGHT_BLESS=1` writes them anew.

use std::path::Path;

use tilewright_report::book;

#[test]
fn the_page_of_findings_is_that_of_the_manuals() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/findings.md");
    tilewright_testing::stored(&path, &book::findings());
}
