//! One live member: the loop between its ports, its disk, its clock and `etcdserver`.
//!
//! What it is: one input, all outputs, next input; what arrives while the disk works is handled as one
//! batch, at once otherwise.
//! What it is not: a judge; it does what the outputs say, in the order they say it.
//! Invariants: nothing leaves after the gate was closed or the member stopped; at most one disk round
//! is in flight; a tick is delivered once however long the worker was frozen;
//! no borrow of `inner` is held across `.await`.
//! Source: DESIGN 6, 11-14.

mod inner;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::{Interval, Timeout};
use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageChannel, MessageEvent, MessagePort};

use self::inner::{Inner, Phase};
use super::boot::{self, MemberBoot, post_to_page, scope};

use super::fence::FenceFile;
use super::locks::{self, Held, Patience};
use super::signal::within;
use super::storage::{Disk, DiskError, IndexedDb, MemoryDisk};
use super::watchdog::DISK_SILENT_MS;
use super::{js, names};
use crate::etcdserver::{DiskImage, Fence, Round, Server, ServerConfig, StartError};
use crate::types::MemberId;
use crate::wire::{self, DownReason, MemberToPage, PageToMember};

/// Time between two looks at the disk, the fence and the card. Unit: ms.
const CHECK_MS: u32 = 100;

/// How long reading the whole disk may take. Unit: ms. Source: ours, for 16 MiB on a slow disk.
const LOAD_MS_MAX: u32 = 4 * DISK_SILENT_MS;

/// Guards that live as long as the worker.
type OnMessage = Closure<dyn FnMut(MessageEvent)>;

/// See the module.
pub(super) struct NodeLoop {
    boot: MemberBoot,
    /// Of the cluster's seed and this member: what its link faults draw from.
    stream: (u64, MemberId),
    config: RefCell<Option<ServerConfig>>,
    inner: RefCell<Inner>,
    disk: OnceCell<Disk>,
    lock: OnceCell<Held>,
    /// Posting here wakes the loop after everything that has arrived by now.
    wake: MessagePort,
    listeners: OnceCell<[OnMessage; 2]>,
    wake_receiver: MessagePort,
    /// Its own clock, at the rate that the page wants.
    ticks: RefCell<Option<Interval>>,
    checks: OnceCell<Interval>,
}

impl NodeLoop {
    pub(super) fn new(boot: MemberBoot, config: ServerConfig) -> Rc<Self> {
        let Ok(channel) = MessageChannel::new() else {
            unreachable!("workers have message channels");
        };
        Rc::new(Self {
            boot,
            stream: (config.seed, config.member),
            config: RefCell::new(Some(config)),
            inner: RefCell::new(Inner::default()),
            disk: OnceCell::new(),
            lock: OnceCell::new(),
            wake: channel.port1(),
            listeners: OnceCell::new(),
            wake_receiver: channel.port2(),
            ticks: RefCell::new(None),
            checks: OnceCell::new(),
        })
    }

    /// Takes messages from the page from now on.
    pub(super) fn listen(self: &Rc<Self>) {
        let node = Rc::clone(self);
        let from_page: OnMessage = Closure::new(move |event: MessageEvent| {
            let data = event.data();
            match js::bytes(&data) {
                Some(bytes) => node.hear_page(&bytes),
                None => boot::attach_port(&node, &data),
            }
        });
        scope().set_onmessage(Some(from_page.as_ref().unchecked_ref()));
        let node = Rc::clone(self);
        let woken: OnMessage = Closure::new(move |_event: MessageEvent| {
            node.inner.borrow_mut().is_wake_posted = false;
            node.drive();
        });
        self.wake_receiver.set_onmessage(Some(woken.as_ref().unchecked_ref()));
        let first = self.listeners.set([from_page, woken]);
        assert!(first.is_ok(), "listen is called once");
    }

    /// A port to a peer, new or in place of an older one.
    pub(super) fn attach_peer(self: &Rc<Self>, peer: MemberId, port: MessagePort) {
        let node = Rc::clone(self);
        self.inner.borrow_mut().transport.attach(peer, port, move |bytes| {
            node.inner.borrow_mut().hear_peer(peer, bytes);
            node.wake_up();
        });
    }

    /// The peer's worker is gone.
    pub(super) fn detach_peer(&self, peer: MemberId) {
        self.inner.borrow_mut().transport.detach(peer);
    }

    fn hear_page(self: &Rc<Self>, bytes: &[u8]) {
        match wire::decode::<Vec<PageToMember>>(bytes) {
            Ok(messages) => {
                for message in messages {
                    self.hear(message);
                }
                self.wake_up();
            }
            Err(error) => log::warn!("a message from the page was dropped: {error}"),
        }
    }

    fn hear(self: &Rc<Self>, message: PageToMember) {
        match message {
            PageToMember::RoundKept { ticket } => {
                if let Some(Disk::Memory(disk)) = self.disk.get() {
                    disk.kept(ticket);
                }
            }
            PageToMember::CloseGate => self.close_gate(),
            PageToMember::Panic => crash(),
            PageToMember::Pause => self.inner.borrow_mut().pause(),
            PageToMember::Resume => self.inner.borrow_mut().resume(),
            PageToMember::Links { no_send_to, no_hear_from, rules } => {
                self.inner.borrow_mut().transport.set_links(no_send_to, no_hear_from, rules);
            }
            PageToMember::Faults(faults) => {
                let before = std::mem::replace(&mut self.inner.borrow_mut().faults, faults);
                if before.clock() != faults.clock() && self.ticks.borrow().is_some() {
                    self.start_ticks();
                }
            }
            PageToMember::Speed(speed) => {
                let mut inner = self.inner.borrow_mut();
                let before = std::mem::replace(&mut inner.speed, speed);
                inner.transport.set_speed(speed);
                drop(inner);
                if before != speed && self.ticks.borrow().is_some() {
                    self.start_ticks();
                }
            }
            PageToMember::TellMessages { for_ms } => {
                self.inner.borrow_mut().transport.look_for(for_ms);
            }
            PageToMember::Requests(_)
            | PageToMember::Watch { .. }
            | PageToMember::CancelRequest { .. }
            | PageToMember::CloseStream { .. }
            | PageToMember::ReadLog { .. }
            | PageToMember::ReadHoldings
            | PageToMember::ReadTrace { .. } => self.inner.borrow_mut().hear_client(message),
        }
    }

    /// From now on nothing leaves; the page may end the worker once the round in flight ended.
    fn close_gate(&self) {
        let mut inner = self.inner.borrow_mut();
        inner.transport.close();
        inner.phase = if inner.is_writing { Phase::Closing } else { Phase::Stopped };
        if inner.phase == Phase::Stopped {
            post_to_page(&vec![MemberToPage::GateClosed]);
        }
    }

    /// The member ends by itself, with its reason.
    fn stop(&self, reason: DownReason) {
        let mut inner = self.inner.borrow_mut();
        if inner.phase.is_over() {
            return;
        }
        inner.transport.close();
        inner.phase = Phase::Stopped;
        drop(inner);
        post_to_page(&vec![MemberToPage::Down(reason)]);
    }

    /// Handles what arrived: at once while the disk is idle, else together with what comes next.
    fn wake_up(self: &Rc<Self>) {
        let mut inner = self.inner.borrow_mut();
        if !inner.is_writing {
            drop(inner);
            self.drive();
        } else if !inner.is_wake_posted {
            inner.is_wake_posted = self.wake.post_message(&JsValue::NULL).is_ok();
        }
    }

    fn drive(self: &Rc<Self>) {
        let round = self.inner.borrow_mut().step();
        self.expect_late();
        if let Some(round) = round {
            self.write(round);
        }
    }

    /// Sets a timer for the next message that a link holds back, unless one is set that comes first.
    fn expect_late(self: &Rc<Self>) {
        let mut inner = self.inner.borrow_mut();
        let Some(due_ms) = inner.transport.next_due_ms() else { return };
        if inner.late_timer_ms.is_some_and(|set_ms| set_ms <= due_ms) {
            return;
        }
        inner.late_timer_ms = Some(due_ms);
        let wait_ms = due_ms.saturating_sub(js::now_ms());
        let node = Rc::clone(self);
        let timer = Timeout::new(u32::try_from(wait_ms).unwrap_or(u32::MAX), move || {
            let mut inner = node.inner.borrow_mut();
            if inner.late_timer_ms == Some(due_ms) {
                inner.late_timer_ms = None;
            }
            inner.transport.send_due(js::now_ms());
            drop(inner);
            node.expect_late();
        });
        timer.forget();
    }

    fn write(self: &Rc<Self>, round: Round) {
        self.inner.borrow_mut().begin_write();
        let node = Rc::clone(self);
        spawn_local(async move {
            let Some(disk) = node.disk.get() else {
                unreachable!("a member that writes has a disk");
            };
            let (faults, speed) = {
                let inner = node.inner.borrow();
                (inner.faults, inner.speed)
            };
            let result = if faults.is_disk_full() {
                Err(DiskError::Full("as ordered".to_owned()))
            } else {
                disk.write(&round).await
            };
            // Durable it is; nobody is told before a slow disk would tell.
            if faults.disk_delay_ms() > 0 {
                let ms = speed.stretch(u64::from(faults.disk_delay_ms()));
                TimeoutFuture::new(u32::try_from(ms).unwrap_or(u32::MAX)).await;
            }
            node.written(&round, result);
        });
    }

    fn written(self: &Rc<Self>, round: &Round, result: Result<(), DiskError>) {
        let failed = {
            let mut inner = self.inner.borrow_mut();
            inner.end_write();
            match inner.phase {
                Phase::Stopped => return,
                Phase::Closing => {
                    inner.phase = Phase::Stopped;
                    post_to_page(&vec![MemberToPage::GateClosed]);
                    return;
                }
                Phase::Starting | Phase::Running | Phase::Paused => {}
            }
            result.map_err(down).and_then(|()| inner.persisted(round)).err()
        };
        match failed {
            Some(reason) => self.stop(reason),
            None => self.drive(),
        }
    }

    /// Takes the lock, opens and reads the disk, starts the member and its clocks.
    pub(super) fn start(self: &Rc<Self>, memory: Option<MemoryDisk>) {
        let node = Rc::clone(self);
        spawn_local(async move {
            let started = match memory {
                Some(disk) => node.start_in_memory(disk).await,
                None => node.start_on_disk().await,
            };
            match started {
                Ok(()) => node.run(),
                Err(reason) => node.stop(reason),
            }
        });
    }

    async fn start_in_memory(self: &Rc<Self>, disk: MemoryDisk) -> Result<(), DownReason> {
        let disk = Disk::Memory(disk);
        let image = disk.load().await.map_err(down)?;
        self.expect_data(&image)?;
        self.begin(disk, &image, None, None)
    }

    async fn start_on_disk(self: &Rc<Self>) -> Result<(), DownReason> {
        let names = names::Names::new(&self.boot.prefix, &self.boot.uid);
        let lock = names.member_lock(&self.boot.member);
        match locks::acquire(&lock, Patience::Wait).await {
            Ok(Some(held)) => {
                let first = self.lock.set(held);
                assert!(first.is_ok(), "the lock is taken once");
            }
            Ok(None) => unreachable!("a lock that was waited for is granted"),
            Err(message) => return Err(DownReason::DiskFailed { message }),
        }
        let name = names.database(&self.boot.member);
        let database =
            within(DISK_SILENT_MS, IndexedDb::open(&name)).await.ok_or(DownReason::DiskSilent)?;
        let database = database.map_err(down)?;
        let node = Rc::clone(self);
        database.on_closed(move |error| node.stop(down(error)));
        let disk = Disk::IndexedDb(database);
        let image = within(LOAD_MS_MAX, disk.load()).await.ok_or(DownReason::DiskSilent)?;
        let image = image.map_err(down)?;
        let file = names::fence_file(&self.boot.member);
        let (file, fence) = match FenceFile::open(&names.fence_folder(), &file).await {
            Ok((file, fence)) => (Some(file), fence),
            Err(error) => {
                log::warn!("no fence: a rolled-back disk would go unnoticed ({error})");
                (None, None)
            }
        };
        self.expect_data(&image)?;
        self.begin(disk, &image, file, fence)
    }

    /// What the page has seen it store must be there.
    fn expect_data(&self, image: &DiskImage) -> Result<(), DownReason> {
        if self.boot.has_data && image.is_empty() {
            let message = "it is empty, but this member has stored data here".to_owned();
            return Err(DownReason::DiskRolledBack { message });
        }
        Ok(())
    }

    fn begin(
        &self,
        disk: Disk,
        image: &DiskImage,
        file: Option<FenceFile>,
        fence: Option<Fence>,
    ) -> Result<(), DownReason> {
        let Some(config) = self.config.take() else {
            unreachable!("a member is started once per worker");
        };
        let server = Server::start(config, image, fence.as_ref()).map_err(|error| match error {
            StartError::RolledBack(message) => DownReason::DiskRolledBack { message },
            StartError::Unreadable(message) | StartError::WrongIdentity(message) => {
                DownReason::DiskUnreadable { message }
            }
            StartError::Config(message) => DownReason::Crashed { message },
            StartError::Removed => DownReason::Removed,
        })?;
        let first = self.disk.set(disk);
        assert!(first.is_ok(), "the disk is opened once");
        self.inner.borrow_mut().begin(server, file, fence);
        Ok(())
    }

    fn run(self: &Rc<Self>) {
        if self.inner.borrow().phase.is_over() {
            return;
        }
        let (seed, member) = self.stream;
        let round = self.inner.borrow_mut().open(seed, member);
        self.expect_late();
        if let Some(round) = round {
            self.write(round);
        }
        self.start_ticks();
        let node = Rc::clone(self);
        let checks = Interval::new(CHECK_MS, move || {
            let failed = node.inner.borrow_mut().check();
            if let Some(reason) = failed {
                node.stop(reason);
            }
        });
        let first = self.checks.set(checks);
        assert!(first.is_ok(), "the member starts once");
    }

    /// Starts the member's clock, or starts it anew at another rate.
    fn start_ticks(self: &Rc<Self>) {
        let mut inner = self.inner.borrow_mut();
        let tick_ms = inner.faults.tick_ms(u64::from(self.boot.tick_ms));
        let tick_ms = inner.speed.stretch(tick_ms);
        inner.set_tick_ms(tick_ms);
        drop(inner);
        let node = Rc::clone(self);
        let ticks = Interval::new(u32::try_from(tick_ms).unwrap_or(u32::MAX), move || {
            node.inner.borrow_mut().tick();
            node.drive();
        });
        // The old one ends here.
        *self.ticks.borrow_mut() = Some(ticks);
    }
}

/// What the page is told of a failed disk.
fn down(error: DiskError) -> DownReason {
    match error {
        DiskError::Silent => DownReason::DiskSilent,
        DiskError::Full(_) | DiskError::Closed(_) | DiskError::Failed(_) | DiskError::Stopped => {
            DownReason::DiskFailed { message: error.to_string() }
        }
    }
}

#[expect(clippy::panic, reason = "somebody asked to see what a crash looks like")]
fn crash() -> ! {
    panic!("crashed on request")
}
