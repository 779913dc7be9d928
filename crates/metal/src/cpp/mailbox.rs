//! Mailboxes: words that a compute processor or BRISC sends another of them (ISA documentation,
//! BabyRISCV/Mailboxes.md). A mailbox holds four values, and so do all of a sender's together.
//!
//! They are kept in L1 below the buffers, each with a semaphore that its reader waits on and each
//! sender with one for the room it has left, so that a wait for either is seen as what it is.

use tilewright_machine::{Context, L1Address, Processor, SemaphoreTest, Site};

use crate::reserved_l1::MAILBOXES;

/// Where a core's mailboxes lie.
const BASE: u32 = MAILBOXES.start;
/// Values that a sender may have under way.
const ROOM: u32 = 4;
/// Words of a mailbox: how many values it holds, how many were ever taken, and the values.
const BOX_WORDS: u32 = 2 + ROOM;
const SENDER_WORDS: u32 = 1 + USERS.len() as u32 * BOX_WORDS;

/// Who has mailboxes, by number. `Writer` is BRISC's place; NCRISC has none.
const USERS: [Processor; 4] =
    [Processor::Unpack, Processor::Math, Processor::Pack, Processor::Writer];

const _: () = assert!(MAILBOXES.end - BASE == 4 * SENDER_WORDS * USERS.len() as u32);

/// The number that the table has for a processor.
fn number(processor: Processor) -> Option<u32> {
    USERS.iter().position(|it| *it == processor).map(|place| place as u32)
}

/// The room of a sender.
fn room_of(from: u32) -> L1Address {
    L1Address(BASE + 4 * SENDER_WORDS * from)
}

/// A mailbox: its count, then what was taken, then its values.
fn mailbox(from: u32, to: u32) -> L1Address {
    room_of(from) + 4 * (1 + BOX_WORDS * to)
}

/// Empties what a processor sends, before its kernel begins.
pub(super) fn clear(context: &Context<'_>) {
    let Some(from) = number(context.processor()) else { return };
    let mut words = [0; SENDER_WORDS as usize];
    words[0] = ROOM;
    context.place_words(Site::KERNEL, room_of(from), &words);
}

/// Sends a value; false if one of the two has no mailboxes.
pub(super) fn write(context: &Context<'_>, site: Site, to: u32, value: u32) -> bool {
    let Some(from) = number(context.processor()).filter(|_| to < USERS.len() as u32) else {
        return false;
    };
    let (room, mailbox) = (room_of(from), mailbox(from, to));
    context.semaphore_wait(site, room, SemaphoreTest::AtLeast(1));
    context.semaphore_set(site, room, context.peek_word(room) - 1);
    let (count, taken) = (context.peek_word(mailbox), context.peek_word(mailbox + 4));
    let place = taken.wrapping_add(count) % ROOM;
    context.place_words(site, mailbox + 8 + 4 * place, &[value]);
    context.semaphore_set(site, mailbox, context.peek_word(mailbox) + 1);
    true
}

/// Takes a value; nothing if one of the two has no mailboxes.
pub(super) fn read(context: &Context<'_>, site: Site, from: u32) -> Option<u32> {
    let to = number(context.processor()).filter(|_| from < USERS.len() as u32)?;
    let (room, mailbox) = (room_of(from), mailbox(from, to));
    context.semaphore_wait(site, mailbox, SemaphoreTest::AtLeast(1));
    let taken = context.peek_word(mailbox + 4);
    let value = context.peek_word(mailbox + 8 + 4 * (taken % ROOM));
    context.place_words(site, mailbox + 4, &[taken.wrapping_add(1)]);
    context.semaphore_set(site, mailbox, context.peek_word(mailbox) - 1);
    context.semaphore_set(site, room, context.peek_word(room) + 1);
    Some(value)
}
