//! The chunks of all files in one random order, dealt to several hands in turn.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use setwise_positions::binpack::mix;

use crate::shuffle::Random;
use crate::source::{Chunk, Files, Mixed, Place, Source};
use crate::with_path;

/// What is left of all files. Dealing reads and decompresses files that are compressed, behind a
/// lock: then one hand at a time is asked.
pub(crate) struct Deck {
    piles: Vec<Pile>,
    random: Random,
    seed: u64,
    pass: u64,
    /// The cards of each hand that it has not taken. `None` if it takes no more.
    hands: Vec<Option<VecDeque<Card>>>,
    /// The hand that is next.
    turn: usize,
}

/// A file.
pub(crate) struct Pile {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    /// The bytes that were not dealt in this pass. `None` after the last chunk.
    left: Option<u64>,
}

/// How a file is read.
pub(crate) enum Kind {
    /// In any order.
    File(Mixed),
    /// From its start: it is compressed.
    Stream(Files),
}

/// A chunk, or the end of a pass.
enum Card {
    Chunk(Arc<PathBuf>, Place),
    Read(Box<io::Result<Chunk>>),
    End,
}

impl Pile {
    pub(crate) fn new(kind: Kind, size: u64) -> Pile {
        Pile { kind, size, left: Some(size) }
    }

    /// The next chunk, and its bytes in the file.
    fn draw(&mut self) -> Option<(Card, u64)> {
        match &mut self.kind {
            Kind::File(mixed) => match mixed.draw() {
                Ok(place) => place.map(|place| (Card::Chunk(mixed.path(), place), place.length)),
                Err(error) => Some((Card::Read(Box::new(Err(error))), 0)),
            },
            Kind::Stream(files) => match files.next() {
                Ok(chunk) => chunk.map(|chunk| {
                    let bytes = chunk.bytes_in_file();
                    (Card::Read(Box::new(Ok(chunk))), bytes)
                }),
                Err(error) => Some((Card::Read(Box::new(Err(error))), 0)),
            },
        }
    }

    fn restart(&mut self, pass: u64) {
        self.left = Some(self.size);
        match &mut self.kind {
            Kind::File(mixed) => mixed.restart(pass),
            Kind::Stream(files) => files.restart(pass),
        }
    }
}

impl Deck {
    /// Makes a deck, and its hands.
    pub(crate) fn deal_to(hands: usize, piles: Vec<Pile>, seed: u64, pass: u64) -> Vec<Hand> {
        let queues = (0..hands).map(|_| Some(VecDeque::new())).collect();
        let random = Random(mix(seed ^ mix(pass)));
        let deck = Deck { piles, random, seed, pass, hands: queues, turn: 0 };
        let deck = Arc::new(Mutex::new(deck));
        (0..hands).map(|number| Hand { deck: Arc::clone(&deck), number }).collect()
    }

    /// The next card of a hand.
    fn next(&mut self, hand: usize) -> Card {
        loop {
            let card = self.hands[hand].as_mut().and_then(VecDeque::pop_front);
            match card {
                Some(card) => return card,
                None => self.deal(),
            }
        }
    }

    /// Deals a chunk of a random file, in proportion to what is left of the files.
    fn deal(&mut self) {
        // A file with nothing left, such as an empty one, is looked at, too.
        let left = |pile: &Pile| pile.left.map_or(0, |left| left + 1);
        let all: u64 = self.piles.iter().map(left).sum();
        if all == 0 {
            return self.end();
        }
        let mut place = self.random.below(all as usize) as u64;
        let pile = self.piles.iter_mut().find(|pile| {
            let size = left(pile);
            let is_here = place < size;
            place = place.saturating_sub(size);
            is_here
        });
        let Some(pile) = pile else { return };
        let Some((card, bytes)) = pile.draw() else {
            pile.left = None;
            return;
        };
        pile.left = pile.left.map(|left| left.saturating_sub(bytes));
        self.give(card);
    }

    /// Gives a card to the next hand.
    fn give(&mut self, card: Card) {
        let count = self.hands.len();
        for _ in 0..count {
            let hand = &mut self.hands[self.turn];
            self.turn = (self.turn + 1) % count;
            if let Some(hand) = hand {
                return hand.push_back(card);
            }
        }
    }

    /// Ends a pass, and shuffles again.
    fn end(&mut self) {
        for hand in self.hands.iter_mut().flatten() {
            hand.push_back(Card::End);
        }
        (self.turn, self.pass) = (0, self.pass + 1);
        self.random = Random(mix(self.seed ^ mix(self.pass)));
        self.piles.iter_mut().for_each(|pile| pile.restart(self.pass));
    }
}

/// Every n-th chunk.
pub(crate) struct Hand {
    deck: Arc<Mutex<Deck>>,
    number: usize,
}

impl Hand {
    fn deck(&self) -> MutexGuard<'_, Deck> {
        self.deck.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Hand {
    fn next(&mut self) -> io::Result<Option<Chunk>> {
        let card = self.deck().next(self.number);
        match card {
            Card::Chunk(path, place) => {
                place.read(&path).map(Some).map_err(|error| with_path(&path, &error))
            }
            Card::Read(chunk) => (*chunk).map(Some),
            Card::End => Ok(None),
        }
    }

    /// The deck goes on by itself.
    fn restart(&mut self, _: u64) {}

    /// Compressed files and files of records are read while they are dealt, others without the
    /// deck.
    fn waits(&self) -> bool {
        self.deck().piles.iter().any(|pile| match &pile.kind {
            Kind::Stream(_) => true,
            Kind::File(mixed) => mixed.reads_to_skip(),
        })
    }
}

impl Drop for Hand {
    /// The others get its cards.
    fn drop(&mut self) {
        let mut deck = self.deck();
        let cards = deck.hands[self.number].take().unwrap_or_default();
        for card in cards {
            if !matches!(card, Card::End) {
                deck.give(card);
            }
        }
    }
}
