//! The origin's private file system: fences and the registry of clusters live there.
//!
//! What it is: bindings of our own for the few calls needed, and helpers over them.
//! What it is not: a disk for data (see `storage`).
//! Invariants: every call that can fail gives an error; a browser without it gives one, too.
//! Source: WHATWG File System standard.

use js_sys::{Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::js;

#[wasm_bindgen]
extern "C" {
    /// A folder.
    #[derive(Clone)]
    pub(super) type Directory;
    #[wasm_bindgen(method, catch, js_name = getDirectoryHandle)]
    fn directory(this: &Directory, name: &str, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getFileHandle)]
    fn file(this: &Directory, name: &str, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = removeEntry)]
    fn remove_entry(this: &Directory, name: &str, options: &Object) -> Result<Promise, JsValue>;

    type File;
    #[wasm_bindgen(method, catch, js_name = createSyncAccessHandle)]
    fn create_sync_access_handle(this: &File) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createWritable)]
    fn create_writable(this: &File) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getFile)]
    fn get_file(this: &File) -> Result<Promise, JsValue>;

    type Writable;
    #[wasm_bindgen(method, catch)]
    fn write(this: &Writable, text: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn close(this: &Writable) -> Result<Promise, JsValue>;

    type Blob;
    #[wasm_bindgen(method, catch)]
    fn text(this: &Blob) -> Result<Promise, JsValue>;

    /// An open file that is read and written at once (workers only).
    #[derive(Debug)]
    pub(super) type SyncHandle;
    #[wasm_bindgen(method, catch, js_name = getSize)]
    fn size(this: &SyncHandle) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch, js_name = read)]
    fn read_into(this: &SyncHandle, into: &Uint8Array, options: &Object) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch, js_name = write)]
    fn write_from(this: &SyncHandle, from: &Uint8Array, options: &Object) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(super) fn flush(this: &SyncHandle) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = close)]
    pub(super) fn close_file(this: &SyncHandle);
}

fn create(yes: bool) -> Object {
    let options = Object::new();
    js::set(&options, "create", &JsValue::from_bool(yes));
    options
}

async fn settled<T: JsCast>(promise: Result<Promise, JsValue>) -> Result<T, JsValue> {
    JsFuture::from(promise?).await.map(JsCast::unchecked_into)
}

async fn root() -> Result<Directory, JsValue> {
    let storage = js::get(&js::get(&js_sys::global(), "navigator"), "storage");
    let get = js::get(&storage, "getDirectory");
    let Some(get) = get.dyn_ref::<js_sys::Function>() else {
        return Err(JsValue::from_str("this browser has no private file system here"));
    };
    settled(get.call0(&storage).map(JsCast::unchecked_into)).await
}

/// Opens a folder, making what is missing on the way if wanted.
///
/// # Errors
/// What the browser says.
pub(super) async fn directory(path: &[&str], make: bool) -> Result<Directory, JsValue> {
    let mut here = root().await?;
    for name in path {
        here = settled(here.directory(name, &create(make))).await?;
    }
    Ok(here)
}

/// Opens a file for reading and writing at once, making it if it is not there.
///
/// # Errors
/// What the browser says; `NoModificationAllowedError` while another worker has it open.
pub(super) async fn open_sync(folder: &Directory, name: &str) -> Result<SyncHandle, JsValue> {
    let file: File = settled(folder.file(name, &create(true))).await?;
    settled(file.create_sync_access_handle()).await
}

/// Reads a small text file.
///
/// # Errors
/// What the browser says; `NotFoundError` if it is not there.
pub(super) async fn read_text(path: &[&str], name: &str) -> Result<String, JsValue> {
    let folder = directory(path, false).await?;
    let file: File = settled(folder.file(name, &create(false))).await?;
    let blob: Blob = settled(file.get_file()).await?;
    let text: JsValue = settled(blob.text()).await?;
    text.as_string().ok_or(JsValue::NULL)
}

/// Replaces a small text file.
///
/// # Errors
/// What the browser says.
pub(super) async fn write_text(path: &[&str], name: &str, text: &str) -> Result<(), JsValue> {
    let folder = directory(path, true).await?;
    let file: File = settled(folder.file(name, &create(true))).await?;
    let writable: Writable = settled(file.create_writable()).await?;
    let _written: JsValue = settled(writable.write(text)).await?;
    let _closed: JsValue = settled(writable.close()).await?;
    Ok(())
}

/// Removes a file, or a folder with all that is in it.
///
/// # Errors
/// What the browser says.
pub(super) async fn remove(path: &[&str], name: &str) -> Result<(), JsValue> {
    let folder = directory(path, false).await?;
    let options = Object::new();
    js::set(&options, "recursive", &JsValue::TRUE);
    let _gone: JsValue = settled(folder.remove_entry(name, &options)).await?;
    Ok(())
}

fn at(offset: u32) -> Object {
    let options = Object::new();
    js::set(&options, "at", &JsValue::from(offset));
    options
}

impl SyncHandle {
    /// The whole file, which must be small.
    ///
    /// # Errors
    /// What the browser says.
    pub(super) fn read_all(&self, at_most: u32) -> Result<Vec<u8>, JsValue> {
        let size = u32::try_from(js::whole(self.size()?)).unwrap_or(u32::MAX).min(at_most);
        let into = Uint8Array::new_with_length(size);
        let count = js::whole(self.read_into(&into, &at(0))?);
        let mut bytes = into.to_vec();
        bytes.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// What the browser says, or that less was written.
    pub(super) fn write_at(&self, offset: u32, bytes: &[u8]) -> Result<(), JsValue> {
        let count = js::whole(self.write_from(&Uint8Array::from(bytes), &at(offset))?);
        if usize::try_from(count).is_ok_and(|count| count == bytes.len()) {
            Ok(())
        } else {
            Err(JsValue::from_str("the file took only a part of the record"))
        }
    }
}
