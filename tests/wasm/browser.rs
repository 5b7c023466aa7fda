//! The member's edges: its disk in IndexedDB, its fence in the private file system, its frames.

use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;
use etcd_playground::browser::fence::FenceFile;
use etcd_playground::browser::storage::{Disk, DiskError, IndexedDb, MemoryDisk};
use etcd_playground::browser::{DISK_SILENT_MS, Watchdog};
use etcd_playground::etcdserver::{DiskImage, DiskPut, DiskStore, Fence, Round, Ticket};
use etcd_playground::types::{ClusterId, Index, MemberId, Term};
use etcd_playground::wire;
use gloo_timers::future::TimeoutFuture;
use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

/// Runs JavaScript; test pages have no content security policy.
fn javascript(source: &str) {
    Function::new_no_args(source).call0(&JsValue::UNDEFINED).unwrap();
}

fn put(store: DiskStore, key: u64, bytes: &'static [u8]) -> DiskPut {
    DiskPut { store, key, bytes: Bytes::from_static(bytes) }
}

fn round(ticket: u64, puts: Vec<DiskPut>) -> Round {
    Round { ticket: Ticket(ticket), puts, ..Round::default() }
}

async fn fresh(name: &str) -> IndexedDb {
    IndexedDb::delete(name).await.unwrap();
    IndexedDb::open(name).await.unwrap()
}

#[wasm_bindgen_test]
async fn rounds_come_back_after_reopening() {
    let name = "test-round-trip";
    let mut expected = DiskImage::default();
    {
        let disk = fresh(name).await;
        assert!(disk.load().await.unwrap().is_empty());
        let largest = (1 << 53) - 1;
        let first = round(
            1,
            vec![
                put(DiskStore::Wal, 0, b"zero"),
                put(DiskStore::Wal, 1, b"one"),
                put(DiskStore::Rows, largest, b"\x00\xff"),
                put(DiskStore::Meta, 7, b""),
            ],
        );
        let mut second = round(2, vec![put(DiskStore::Meta, 7, b"again")]);
        second.deletes = vec![(DiskStore::Wal, 0)];
        for written in [first, second] {
            disk.write(&written).await.unwrap();
            expected.apply(&written);
        }
        assert_eq!(disk.load().await.unwrap(), expected);
    }
    let disk = IndexedDb::open(name).await.unwrap();
    assert_eq!(disk.load().await.unwrap(), expected);
}

#[wasm_bindgen_test]
async fn loading_in_parts_finds_every_record() {
    let disk = fresh("test-parts").await;
    let mut expected = DiskImage::default();
    for part in 0..3 {
        let puts = (0..500).map(|n| put(DiskStore::Wal, part * 500 + n, b"x")).collect();
        let written = round(part, puts);
        disk.write(&written).await.unwrap();
        expected.apply(&written);
    }
    assert_eq!(disk.load().await.unwrap(), expected);
}

#[wasm_bindgen_test]
async fn every_round_is_strictly_durable() {
    let disk = fresh("test-durability").await;
    assert_eq!(disk.durability(), None);
    disk.write(&round(1, vec![put(DiskStore::Wal, 1, b"x")])).await.unwrap();
    assert_eq!(disk.durability().as_deref(), Some("strict"));
}

#[wasm_bindgen_test]
async fn after_an_aborted_round_no_later_round_is_written() {
    let name = "test-abort";
    let disk = fresh(name).await;
    disk.write(&round(1, vec![put(DiskStore::Wal, 1, b"kept")])).await.unwrap();
    javascript(
        "globalThis.realCommit = IDBTransaction.prototype.commit;
         IDBTransaction.prototype.commit = function () {
           Object.defineProperty(this, 'error', {
             value: new DOMException('no space', 'QuotaExceededError') });
           this.abort();
         };",
    );
    let failed = disk.write(&round(2, vec![put(DiskStore::Wal, 2, b"lost")])).await;
    javascript("IDBTransaction.prototype.commit = globalThis.realCommit;");
    assert_eq!(failed, Err(DiskError::Full("QuotaExceededError: no space".to_owned())));
    let later = disk.write(&round(3, vec![put(DiskStore::Wal, 3, b"refused")])).await;
    assert_eq!(later, Err(DiskError::Stopped));
    drop(disk);
    let image = IndexedDb::open(name).await.unwrap().load().await.unwrap();
    assert_eq!(image.wal.keys().copied().collect::<Vec<_>>(), vec![1]);
}

#[wasm_bindgen_test]
async fn a_database_that_is_deleted_elsewhere_is_closed_and_told() {
    let name = "test-version-change";
    let disk = fresh(name).await;
    let told = Rc::new(Cell::new(false));
    let heard = Rc::clone(&told);
    disk.on_closed(move |error| heard.set(matches!(error, DiskError::Closed(_))));
    IndexedDb::delete(name).await.unwrap();
    assert!(told.get(), "the owner is told");
    let failed = disk.write(&round(1, vec![put(DiskStore::Wal, 1, b"x")])).await;
    assert!(matches!(failed, Err(DiskError::Closed(_))), "{failed:?}");
}

fn fence(term: u64) -> Fence {
    Fence {
        boot: 3,
        term: Term(term),
        vote: Some(MemberId(u64::MAX)),
        commit: Index(40),
        last_log_term: Term(term),
        last_log_index: Index(41),
        wal_end: 42,
    }
}

#[wasm_bindgen_test]
async fn the_newest_fence_comes_back() {
    let (folder, name) = (["test-fences"], "round-trip.fence");
    let (mut file, _) = FenceFile::open(&folder, name).await.unwrap();
    for term in 5..12 {
        file.write(&fence(term)).unwrap();
        drop(file);
        let (again, found) = FenceFile::open(&folder, name).await.unwrap();
        assert_eq!(found, Some(fence(term)));
        file = again;
    }
}

#[wasm_bindgen_test]
async fn a_torn_slot_leaves_the_fence_before_it() {
    let (folder, name) = (["test-fences"], "torn.fence");
    let (mut file, _) = FenceFile::open(&folder, name).await.unwrap();
    file.write(&fence(5)).unwrap();
    file.write(&fence(6)).unwrap();
    file.tear_newest_slot().unwrap();
    drop(file);
    let (mut file, found) = FenceFile::open(&folder, name).await.unwrap();
    assert_eq!(found, Some(fence(5)));
    file.write(&fence(7)).unwrap();
    drop(file);
    let (_file, found) = FenceFile::open(&folder, name).await.unwrap();
    assert_eq!(found, Some(fence(7)), "the torn slot is the one written next");
}

#[wasm_bindgen_test]
async fn a_fence_that_another_holds_is_waited_for() {
    let (folder, name) = (["test-fences"], "held.fence");
    let (mut holder, _) = FenceFile::open(&folder, name).await.unwrap();
    holder.write(&fence(8)).unwrap();
    wasm_bindgen_futures::spawn_local(async move {
        TimeoutFuture::new(150).await;
        drop(holder);
    });
    let (_file, found) = FenceFile::open(&folder, name).await.unwrap();
    assert_eq!(found, Some(fence(8)));
}

#[wasm_bindgen_test]
async fn a_disk_that_never_answers_is_noticed_after_five_seconds() {
    let disk = Disk::Memory(MemoryDisk::new(DiskImage::default(), |_round| {}));
    let answered = Rc::new(Cell::new(false));
    let done = Rc::clone(&answered);
    let mut watchdog = Watchdog::default();
    assert!(!watchdog.check(60_000), "nothing is in flight");
    watchdog.begin();
    wasm_bindgen_futures::spawn_local(async move {
        let _result = disk.write(&round(1, vec![])).await;
        done.set(true);
    });
    TimeoutFuture::new(20).await;
    assert!(!watchdog.check(u64::from(DISK_SILENT_MS)), "a frozen worker blames nobody");
    let checks = (1..100).take_while(|_| !watchdog.check(100)).count();
    assert_eq!(checks, 39, "one second is counted for the freeze, then 100 ms each");
    assert!(!answered.get());
}

#[wasm_bindgen_test]
async fn a_disk_in_memory_is_durable_once_the_page_says_so() {
    let sent = Rc::new(Cell::new(0));
    let count = Rc::clone(&sent);
    let memory = MemoryDisk::new(DiskImage::default(), move |round| count.set(round.ticket));
    let disk = Rc::new(Disk::Memory(memory));
    let durable = Rc::new(Cell::new(false));
    let (writer, done) = (Rc::clone(&disk), Rc::clone(&durable));
    wasm_bindgen_futures::spawn_local(async move {
        writer.write(&round(9, vec![put(DiskStore::Wal, 1, b"x")])).await.unwrap();
        done.set(true);
    });
    TimeoutFuture::new(20).await;
    assert_eq!(sent.get(), 9);
    assert!(!durable.get());
    let Disk::Memory(memory) = &*disk else { unreachable!() };
    memory.kept(8);
    TimeoutFuture::new(20).await;
    assert!(!durable.get(), "another round's confirmation is none");
    memory.kept(9);
    TimeoutFuture::new(20).await;
    assert!(durable.get());
}

#[wasm_bindgen_test]
fn foreign_frames_are_refused_in_wasm_as_natively() {
    let hello =
        wire::encode(&wire::PeerMessage::Hello { boot: u64::MAX, cluster_id: ClusterId(7) })
            .unwrap();
    assert!(matches!(
        wire::decode::<wire::PeerMessage>(&hello),
        Ok(wire::PeerMessage::Hello { boot: u64::MAX, cluster_id: ClusterId(7) })
    ));
    for cut in 0..hello.len() {
        assert!(wire::decode::<wire::PeerMessage>(&hello[..cut]).is_err());
    }
    let wild = [wire::FORMAT, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    assert!(wire::decode::<wire::PeerMessage>(&wild).is_err());
    assert!(wire::decode::<Vec<wire::PageToMember>>(&wild).is_err());
}
