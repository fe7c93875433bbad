//! What the threads of a process share: its part, what it waits for, what is to be sent.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use everymove_kernel::run::{Stop, Stopped};

use super::message::{Control, Received, encode_piece};
use super::{Part, WINDOW, ended, lost};
use crate::error::ClusterError;
use crate::link::{Link, TICK, invalid};

/// What the thread that sends over a link gets.
pub(super) enum Outgoing {
    Message(Vec<u8>),
    /// The last message: this process ends without an answer.
    Ended(Vec<u8>),
    /// There are no more messages.
    End,
}

/// What the threads of a process share.
pub(super) struct Shared<P> {
    pub(super) process: usize,
    inbox: Mutex<Inbox<P>>,
    state: Mutex<State>,
    changed: Condvar,
    outboxes: BTreeMap<usize, Outbox>,
    /// What the user may do when a process is lost.
    advice: &'static str,
    stop: Stop,
}

/// Where messages for another process go.
struct Outbox {
    /// The address of the process, for messages to people.
    address: String,
    sender: Sender<Outgoing>,
}

/// The part of this process.
struct Inbox<P> {
    round: u32,
    part: Option<P>,
    /// Pieces of the next round, by their senders.
    early: VecDeque<(usize, Vec<u8>)>,
}

struct State {
    /// Bytes of pieces sent to each process that it has not joined.
    unjoined: BTreeMap<usize, u64>,
    /// What was said at each time, and by whom; at process 0.
    said: BTreeMap<u32, BTreeMap<usize, Vec<u64>>>,
    /// What all said at each time.
    heard: BTreeMap<u32, Vec<Vec<u64>>>,
    is_finished: bool,
    end: Option<ClusterError>,
}

impl<P: Part> Shared<P> {
    /// With the messages for each of the other processes.
    pub(super) fn new(
        process: usize,
        links: &BTreeMap<usize, Link>,
        advice: &'static str,
        stop: Stop,
    ) -> (Self, Vec<Receiver<Outgoing>>) {
        let channel = |(&other, link): (&usize, &Link)| {
            let (sender, messages) = mpsc::channel();
            let address = link.address().to_owned();
            ((other, Outbox { address, sender }), messages)
        };
        let (outboxes, messages): (BTreeMap<_, _>, Vec<_>) = links.iter().map(channel).unzip();
        let shared = Self {
            process,
            inbox: Mutex::new(Inbox {
                round: 0,
                part: None,
                early: VecDeque::new(),
            }),
            state: Mutex::new(State {
                unjoined: BTreeMap::new(),
                said: BTreeMap::new(),
                heard: BTreeMap::new(),
                is_finished: false,
                end: None,
            }),
            changed: Condvar::new(),
            outboxes,
            advice,
            stop,
        };
        (shared, messages)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox<P>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready` returns something.
    fn wait<T>(&self, mut ready: impl FnMut(&mut State) -> Option<T>) -> Result<T, ClusterError> {
        let mut state = self.lock();
        loop {
            if state.end.is_some() {
                return Err(Stopped.into());
            }
            self.stop.check()?;
            if let Some(value) = ready(&mut state) {
                return Ok(value);
            }
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn post(&self, to: usize, message: Outgoing) {
        if let Some(outbox) = self.outboxes.get(&to) {
            // Where the link is broken nobody takes it; whoever receives from the link gets the reason.
            let _ = outbox.sender.send(message);
        }
    }

    pub(super) fn post_all(&self, message: impl Fn() -> Outgoing) {
        self.outboxes
            .keys()
            .for_each(|&to| self.post(to, message()));
    }

    fn control(&self, to: usize, message: &Control) -> io::Result<()> {
        self.post(to, Outgoing::Message(message.encode()?));
        Ok(())
    }

    /// A part of a new round, to which pieces that came early are joined.
    pub(super) fn begin(&self, round: u32, part: P) -> Result<(), ClusterError> {
        self.stop.check()?;
        let mut inbox = self.inbox();
        inbox.round = round;
        inbox.part = Some(part);
        while let Some((from, piece)) = inbox.early.pop_front() {
            // A piece that does not fit ends the run, as one that came later would.
            if let Err(error) = self.join(&mut inbox, from, &piece) {
                drop(inbox);
                self.fail(lost(
                    from,
                    &self.outboxes[&from].address,
                    &error,
                    self.advice,
                ));
                return Err(Stopped.into());
            }
        }
        Ok(())
    }

    fn join(&self, inbox: &mut Inbox<P>, from: usize, piece: &[u8]) -> io::Result<()> {
        let part = inbox.part.as_mut();
        let part = part.ok_or_else(|| invalid("a piece came between two rounds"))?;
        part.join(piece).map_err(invalid)?;
        let bytes = piece.len() as u64;
        self.control(from, &Control::Joined { bytes })
    }

    pub(super) fn own<T>(&self, join: impl FnOnce(&mut P) -> T) -> T {
        join(self.inbox().part.as_mut().expect("a round has begun"))
    }

    pub(super) fn take_part(&self) -> P {
        self.inbox().part.take().expect("a round has begun")
    }

    pub(super) fn send(&self, to: usize, round: u32, piece: &[u8]) -> Result<(), ClusterError> {
        let bytes = piece.len() as u64;
        self.wait(|state| {
            let unjoined = state.unjoined.entry(to).or_default();
            // One piece may be larger than the window.
            (*unjoined == 0 || *unjoined + bytes <= WINDOW).then(|| *unjoined += bytes)
        })?;
        self.post(to, Outgoing::Message(encode_piece(round, piece)));
        Ok(())
    }

    /// Waits until all that this process has sent is joined.
    pub(super) fn await_joined(&self) -> Result<(), ClusterError> {
        self.wait(|state| {
            state
                .unjoined
                .values()
                .all(|&bytes| bytes == 0)
                .then_some(())
        })
    }

    pub(super) fn gather(
        &self,
        time: u32,
        values: Vec<u64>,
    ) -> Result<Vec<Vec<u64>>, ClusterError> {
        let said = match self.process {
            0 => self.say(0, time, values),
            _ => self.control(0, &Control::Values { time, values }),
        };
        said.map_err(|_| ClusterError::Stopped(Stopped))?;
        self.wait(|state| state.heard.remove(&time))
    }

    /// Process 0: what a process says; when all have spoken, they get what all said.
    fn say(&self, process: usize, time: u32, values: Vec<u64>) -> io::Result<()> {
        let mut state = self.lock();
        let said = state.said.entry(time).or_default();
        said.insert(process, values);
        if said.len() <= self.outboxes.len() {
            return Ok(());
        }
        let said = state.said.remove(&time).unwrap_or_default();
        let values: Vec<Vec<u64>> = said.into_values().collect();
        let message = Control::AllValues { time, values };
        let bytes = message.encode()?;
        self.post_all(|| Outgoing::Message(bytes.clone()));
        if let Control::AllValues { values, .. } = message {
            state.heard.insert(time, values);
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Receives from a process until it sends no more.
    pub(super) fn receive(&self, from: usize, link: &Link) {
        let end = loop {
            match self.take(from, link) {
                Ok(None) => {}
                Ok(Some(Control::Ended { reason })) => break ended(from, link.address(), reason),
                Ok(Some(_)) => return,
                Err(error) => break lost(from, link.address(), &error, self.advice),
            }
        };
        self.fail(end);
    }

    /// Takes a message; returns the last one.
    fn take(&self, from: usize, link: &Link) -> io::Result<Option<Control>> {
        match Received::from(link)? {
            Received::Piece { round, bytes } => {
                let mut inbox = self.inbox();
                if round == inbox.round && inbox.part.is_some() {
                    self.join(&mut inbox, from, &bytes)?;
                } else if round == inbox.round + 1 {
                    inbox.early.push_back((from, bytes));
                } else {
                    return Err(invalid("a piece is not of this round"));
                }
            }
            Received::Control(Control::Beat) => {}
            Received::Control(Control::Joined { bytes }) => {
                let mut state = self.lock();
                let unjoined = state.unjoined.entry(from).or_default();
                let left = unjoined.checked_sub(bytes);
                *unjoined = left.ok_or_else(|| invalid("it joined more than was sent"))?;
                drop(state);
                self.changed.notify_all();
            }
            Received::Control(Control::Values { time, values }) if self.process == 0 => {
                self.say(from, time, values)?;
            }
            Received::Control(Control::AllValues { time, values }) if from == 0 => {
                self.lock().heard.insert(time, values);
                self.changed.notify_all();
            }
            Received::Control(last @ (Control::Bye | Control::Ended { .. })) => {
                return Ok(Some(last));
            }
            Received::Control(_) => return Err(invalid("a message came at the wrong time")),
        }
        Ok(None)
    }

    /// Ends the work of this process for a reason, unless it has ended.
    fn fail(&self, reason: ClusterError) {
        let mut state = self.lock();
        if state.is_finished || state.end.is_some() {
            return;
        }
        state.end = Some(reason);
        drop(state);
        self.stop.raise();
        self.changed.notify_all();
    }

    /// The work of this process is done; what happens to the others is of no consequence.
    pub(super) fn finish(&self) {
        self.lock().is_finished = true;
        if let Ok(bytes) = Control::Bye.encode() {
            self.post_all(|| Outgoing::Message(bytes.clone()));
        }
    }

    /// The work of this process failed: the others get the reason.
    pub(super) fn give_up(&self, error: &impl Display) {
        let mut state = self.lock();
        state.is_finished = true;
        let reason = match &state.end {
            Some(end) => end.to_string(),
            None => error.to_string(),
        };
        drop(state);
        if let Ok(bytes) = (Control::Ended { reason }).encode() {
            self.post_all(|| Outgoing::Ended(bytes.clone()));
        }
    }

    /// Why the work was stopped, if that was for what happened to others.
    pub(super) fn take_end(&self) -> Option<ClusterError> {
        self.lock().end.take()
    }
}
