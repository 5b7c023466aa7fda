//! Makes a database with its stores, if it is not there.
//!
//! What it is: one opening of the database for the sake of its upgrade, closed again at once.
//! What it is not: how a member opens its disk (see `indexed_db`): that is the library's.
//! The library's own upgrade prints its errors, and with them every kind of number it could be asked to store; that is
//! 8 KB of what a visitor downloads.
//! Invariants: afterwards the database has all its stores, or there is an error and no database of ours.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbFactory, IdbOpenDbRequest};

use crate::browser::js;

/// Makes it; does nothing if it is there.
///
/// # Errors
/// What the browser says; a database that cannot be made is left as it was before.
pub(super) async fn make(name: &str, version: u8, stores: &[&'static str]) -> Result<(), JsValue> {
    let factory = js::get(&js_sys::global(), "indexedDB");
    if !factory.is_truthy() {
        return Err("there is no IndexedDB".into());
    }
    let factory: IdbFactory = factory.unchecked_into();
    let request = Rc::new(factory.open_with_u32(name, version.into())?);
    let upgraded = Rc::clone(&request);
    let stores = stores.to_vec();
    let on_upgrade = Closure::once(move || make_stores(&upgraded, &stores));
    request.set_onupgradeneeded(Some(on_upgrade.as_ref().unchecked_ref()));
    let opened = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    let opened = JsFuture::from(opened).await;
    request.set_onupgradeneeded(None);
    opened.map_err(|_event| match request.error() {
        Ok(Some(error)) => JsValue::from(error),
        _ => "the browser does not say why".into(),
    })?;
    database_of(&request)?.close();
    Ok(())
}

/// Within the upgrade; what is thrown there takes the whole database back.
fn make_stores(request: &IdbOpenDbRequest, stores: &[&'static str]) -> Result<(), JsValue> {
    let database = database_of(request)?;
    stores.iter().try_for_each(|store| database.create_object_store(store).map(|_store| ()))
}

fn database_of(request: &IdbOpenDbRequest) -> Result<IdbDatabase, JsValue> {
    Ok(request.result()?.unchecked_into())
}
