//! The disk in IndexedDB: one database per member, version 1, three stores keyed by number.
//!
//! What it is: open, load in parts, one transaction per round, delete.
//! What it is not: a migration; formats stand in the data (`etcdserver::record`).
//! Invariants: see `storage`. Keys are exact: below 2^53.

use crate::types::BigMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::Bytes;
use indexed_db_futures::KeyRange;
use indexed_db_futures::database::Database;
use indexed_db_futures::error::{Error, OpenDbError};
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::object_store::ObjectStore;
use indexed_db_futures::prelude::*;
use indexed_db_futures::transaction::{TransactionDurability, TransactionMode, TransactionOptions};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use super::DiskError;
use super::make::make;
use crate::browser::js;
use crate::etcdserver::{DiskImage, DiskStore, Round};

/// The database's version; formats change inside it.
const VERSION: u8 = 1;

/// Records read at once while loading. Unit: records, of at most 60,000 bytes each.
const LOAD_RECORDS: u32 = 512;

/// Stores and their names in the database.
const STORES: [(DiskStore, &str); 3] =
    [(DiskStore::Wal, "wal"), (DiskStore::Rows, "rows"), (DiskStore::Meta, "meta")];

const fn name_of(store: DiskStore) -> &'static str {
    match store {
        DiskStore::Wal => "wal",
        DiskStore::Rows => "rows",
        DiskStore::Meta => "meta",
    }
}

type OnClosed = Rc<RefCell<Option<Box<dyn FnOnce(DiskError)>>>>;

/// An open database.
#[derive(Debug)]
pub struct IndexedDb {
    database: Database,
    is_failed: Cell<bool>,
    durability: RefCell<Option<String>>,
    guard: CloseGuard,
}

/// The listeners for a database that goes away.
struct CloseGuard {
    on_closed: OnClosed,
    _close: Closure<dyn FnMut(JsValue)>,
    _version_change: Closure<dyn FnMut(JsValue)>,
}

impl std::fmt::Debug for CloseGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CloseGuard").finish_non_exhaustive()
    }
}

impl CloseGuard {
    fn new(database: &Database) -> Self {
        let on_closed: OnClosed = Rc::new(RefCell::new(None));
        let told = Rc::clone(&on_closed);
        let close = Closure::new(move |_event: JsValue| {
            let tell = told.take();
            if let Some(tell) = tell {
                tell(DiskError::Closed("its data was cleared".to_owned()));
            }
        });
        let told = Rc::clone(&on_closed);
        let handle = database.clone();
        let version_change = Closure::new(move |_event: JsValue| {
            handle.clone().close();
            let tell = told.take();
            if let Some(tell) = tell {
                tell(DiskError::Closed("another tab replaces or deletes it".to_owned()));
            }
        });
        js::set(database.as_sys(), "onclose", close.as_ref());
        js::set(database.as_sys(), "onversionchange", version_change.as_ref());
        Self { on_closed, _close: close, _version_change: version_change }
    }
}

impl Drop for IndexedDb {
    fn drop(&mut self) {
        js::set(self.database.as_sys(), "onclose", &JsValue::NULL);
        js::set(self.database.as_sys(), "onversionchange", &JsValue::NULL);
        self.database.clone().close();
    }
}

fn js_error(error: &JsValue) -> DiskError {
    let text = js::error_text(error);
    match js::error_name(error).as_str() {
        "QuotaExceededError" => DiskError::Full(text),
        "InvalidStateError" => DiskError::Closed(text),
        _ => DiskError::Failed(text),
    }
}

fn classify(error: &Error) -> DiskError {
    match error {
        Error::DomException(exception) => js_error(exception.as_ref()),
        Error::Unknown(unknown) => js_error(unknown.as_ref()),
        // What is read and written here are values of the browser's own: nothing is made of them.
        Error::Serialisation(_) => DiskError::Failed("a value was of another kind".to_owned()),
        Error::MissingData(missing) => DiskError::Failed(format!("Missing data: {missing}")),
    }
}

fn classify_open(error: &OpenDbError) -> DiskError {
    match error {
        OpenDbError::Base(error) => classify(error),
        // The crate says so whenever `open` itself throws; our version is not zero.
        OpenDbError::VersionZero => {
            DiskError::Failed("the browser refuses to open a database".to_owned())
        }
        OpenDbError::UnsupportedEnvironment | OpenDbError::NullFactory => {
            DiskError::Failed("there is no IndexedDB".to_owned())
        }
    }
}

impl IndexedDb {
    /// Opens the database, making it with its stores if it is not there.
    ///
    /// # Errors
    /// What the browser says; also if the database lacks a store.
    pub async fn open(name: &str) -> Result<Self, DiskError> {
        make(name, VERSION, &STORES.map(|(_, store)| store))
            .await
            .map_err(|error| js_error(&error))?;
        let opened = Database::open(name).with_version(VERSION).await;
        let database = opened.map_err(|error| classify_open(&error))?;
        let found: Vec<String> = database.object_store_names().collect();
        for (_, store) in STORES {
            if !found.iter().any(|name| name == store) {
                database.close();
                return Err(DiskError::Failed(format!("the database has no store {store:?}")));
            }
        }
        let guard = CloseGuard::new(&database);
        Ok(Self { database, is_failed: Cell::new(false), durability: RefCell::new(None), guard })
    }

    /// Deletes a database; succeeds if there is none.
    ///
    /// # Errors
    /// What the browser says.
    pub async fn delete(name: &str) -> Result<(), DiskError> {
        let request = Database::delete_by_name(name).map_err(|error| classify_open(&error))?;
        request.await.map_err(|error| classify(&error))
    }

    /// Calls `tell` once if the database is closed under us.
    pub fn on_closed(&self, tell: impl FnOnce(DiskError) + 'static) {
        *self.guard.on_closed.borrow_mut() = Some(Box::new(tell));
    }

    /// What the browser says of the durability of the last round's transaction.
    #[must_use]
    pub fn durability(&self) -> Option<String> {
        self.durability.borrow().clone()
    }

    /// Reads everything.
    ///
    /// # Errors
    /// What the browser says; also if a key or value is not of the kind we write.
    pub async fn load(&self) -> Result<DiskImage, DiskError> {
        let mut image = DiskImage::default();
        for (store, name) in STORES {
            *image.store_mut(store) = self.load_store(name).await?;
        }
        Ok(image)
    }

    async fn load_store(&self, name: &str) -> Result<BigMap<u64, Bytes>, DiskError> {
        let failed = |error: Error| classify(&error);
        let transaction = self.database.transaction(name).build().map_err(failed)?;
        let mut records = BigMap::new();
        {
            let store = transaction.object_store(name).map_err(failed)?;
            let mut after = JsValue::from_f64(-1.0);
            loop {
                let range = || KeyRange::LowerBound(after.clone(), true);
                let keys = store
                    .get_all_keys::<JsValue>()
                    .with_query::<JsValue, _>(range())
                    .with_limit(LOAD_RECORDS)
                    .primitive()
                    .map_err(failed)?;
                let values = store
                    .get_all::<JsValue>()
                    .with_query::<JsValue, _>(range())
                    .with_limit(LOAD_RECORDS)
                    .primitive()
                    .map_err(failed)?;
                let keys: Vec<JsValue> = keys.await.and_then(Iterator::collect).map_err(failed)?;
                let values: Vec<JsValue> =
                    values.await.and_then(Iterator::collect).map_err(failed)?;
                let Some(last) = keys.last() else {
                    break;
                };
                after = last.clone();
                add_records(&mut records, &keys, &values)?;
            }
        }
        transaction.commit().await.map_err(failed)?;
        Ok(records)
    }

    /// Writes one round.
    ///
    /// # Errors
    /// What the browser says; [`DiskError::Stopped`] after any earlier failure.
    pub async fn write(&self, round: &Round) -> Result<(), DiskError> {
        if self.is_failed.get() {
            return Err(DiskError::Stopped);
        }
        let result = self.write_round(round).await;
        if result.is_err() {
            self.is_failed.set(true);
        }
        result
    }

    async fn write_round(&self, round: &Round) -> Result<(), DiskError> {
        let failed = |error: Error| classify(&error);
        let names = STORES.map(|(_, name)| name);
        let options = TransactionOptions::new().with_durability(TransactionDurability::Strict);
        let transaction = self
            .database
            .transaction(names)
            .with_mode(TransactionMode::Readwrite)
            .with_options(options)
            .build()
            .map_err(failed)?;
        let system = transaction.as_sys().clone();
        if self.durability.borrow().is_none() {
            *self.durability.borrow_mut() = js::get(&system, "durability").as_string();
        }
        for store in STORES.map(|(store, _)| store) {
            if touches(round, store) {
                let open = transaction.object_store(name_of(store)).map_err(failed)?;
                burst(&open, round, store).map_err(failed)?;
            }
        }
        let Err(error) = transaction.commit().await else {
            return Ok(());
        };
        // An abort names its reason on the transaction only.
        let reason = system.error().map(JsValue::from);
        Err(reason.as_ref().map_or_else(|| classify(&error), js_error))
    }
}

fn touches(round: &Round, store: DiskStore) -> bool {
    round.puts.iter().any(|put| put.store == store)
        || round.deletes.iter().any(|(place, _)| *place == store)
}

/// Issues all requests of a round on one store; none is awaited.
fn burst(open: &ObjectStore<'_>, round: &Round, store: DiskStore) -> Result<(), Error> {
    for put in round.puts.iter().filter(|put| put.store == store) {
        let value = JsValue::from(Uint8Array::from(put.bytes.as_ref()));
        let key = JsValue::from_f64(js::number(put.key));
        let _request = open.put(value).with_key(key).primitive()?;
    }
    for (_, key) in round.deletes.iter().filter(|(place, _)| *place == store) {
        let key = KeyRange::Only(JsValue::from_f64(js::number(*key)));
        let _request = open.delete::<JsValue, _>(key).primitive()?;
    }
    Ok(())
}

fn add_records(
    records: &mut BigMap<u64, Bytes>,
    keys: &[JsValue],
    values: &[JsValue],
) -> Result<(), DiskError> {
    if keys.len() != values.len() {
        return Err(DiskError::Failed("keys and values differ in number".to_owned()));
    }
    for (key, value) in keys.iter().zip(values) {
        let (Some(key), Some(value)) = (key.as_f64(), value.dyn_ref::<Uint8Array>()) else {
            return Err(DiskError::Failed("a record is not of our making".to_owned()));
        };
        records.insert(js::whole(key), Bytes::from(value.to_vec()));
    }
    Ok(())
}
