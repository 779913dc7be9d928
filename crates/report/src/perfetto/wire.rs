//! Protocol buffers, the little of it that a trace needs: varints, fixed words, bytes, messages.
//!
//! Knows no field numbers; those are `trace`'s.

/// A message under construction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<u8>);

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;

impl Message {
    /// A number.
    pub fn number(&mut self, field: u64, value: u64) -> &mut Message {
        varint(&mut self.0, field << 3 | VARINT);
        varint(&mut self.0, value);
        self
    }

    /// A number of eight bytes.
    pub fn fixed64(&mut self, field: u64, value: u64) -> &mut Message {
        varint(&mut self.0, field << 3 | FIXED64);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Text.
    pub fn text(&mut self, field: u64, value: &str) -> &mut Message {
        self.bytes(field, value.as_bytes())
    }

    /// A message inside this one.
    pub fn message(&mut self, field: u64, inner: &Message) -> &mut Message {
        self.bytes(field, &inner.0)
    }

    fn bytes(&mut self, field: u64, value: &[u8]) -> &mut Message {
        varint(&mut self.0, field << 3 | BYTES);
        varint(&mut self.0, value.len() as u64);
        self.0.extend(value);
        self
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Seven bits a byte, the lowest first; the top bit says that more follow.
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::Message;

    /// The examples of the encoding guide at protobuf.dev.
    #[test]
    fn the_guides_examples_come_out() {
        let mut number = Message::default();
        number.number(1, 150);
        assert_eq!(number.clone().into_bytes(), [0x08, 0x96, 0x01]);
        let mut text = Message::default();
        text.text(2, "testing");
        assert_eq!(text.into_bytes(), b"\x12\x07testing");
        let mut outer = Message::default();
        outer.message(3, &number);
        assert_eq!(outer.into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }
}
