//! Which findings have touched a value: a bit for each, carried wherever the value goes.
//!
//! Knows no events and no memories: `session` gives bits to findings, `flow` moves them.

/// A finding's bit. A run of more findings than bits leaves the last ones without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token(u8);

/// Bits of a set.
const BITS: u8 = 64;

impl Token {
    /// That of a finding which nothing follows.
    pub(crate) const NONE: Token = Token(BITS);

    /// The bit after so many others.
    pub(crate) fn new(number: usize) -> Token {
        Token(u8::try_from(number).map_or(BITS, |number| number.min(BITS)))
    }

    /// Whether values carry it.
    pub(crate) fn is_traced(self) -> bool {
        self != Token::NONE
    }
}

/// A set of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traces(u64);

impl Traces {
    pub(crate) const NONE: Traces = Traces(0);

    pub(crate) fn of(token: Token) -> Traces {
        Traces(1_u64.checked_shl(token.0.into()).unwrap_or(0))
    }

    #[inline]
    pub(crate) fn join(&mut self, other: Traces) {
        self.0 |= other.0;
    }

    pub(crate) fn has(self, token: Token) -> bool {
        self.meets(Traces::of(token))
    }

    /// Whether both have a finding in common.
    pub(crate) fn meets(self, other: Traces) -> bool {
        self.0 & other.0 != 0
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_beyond_the_last_bit_are_not_traced() {
        let (first, last, beyond) = (Token::new(0), Token::new(63), Token::new(64));
        let mut traces = Traces::of(first);
        traces.join(Traces::of(last));
        assert!(traces.has(first) && traces.has(last) && !traces.has(Token::new(1)));
        assert!(!beyond.is_traced() && Token::new(4000) == Token::NONE);
        assert!(Traces::of(beyond).is_empty() && !traces.has(beyond));
    }
}
