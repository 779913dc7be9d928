//! Stage 2: bad parameters are refused, each with its own message.

mod cases;
mod host;

#[test]
fn bad_parameters_are_refused() {
    for (message, call) in cases::refused() {
        let said = call(&mut host::simulator()).expect_err(message).to_string();
        assert!(said.contains(message), "`{said}` does not say `{message}`");
    }
}

#[test]
fn good_parameters_are_accepted() {
    let tensors = cases::arguments(&mut host::simulator());
    host::must(cases::validate(&tensors));
}
