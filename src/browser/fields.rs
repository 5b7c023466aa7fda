//! Plain JavaScript objects, field by field: what was written by serde-wasm-bindgen, read back.
//!
//! What it is: the saved cluster's description and a member's boot message, as they come in.
//! What it is not: serde: its reader would bring texts about every type there is, floats included, into each first visit
//! (12 KB), and would not name the field of a number that is too large.
//! Invariants: an error is the name of the first field that is not what it should be; nothing is guessed.

use js_sys::Array;
use wasm_bindgen::{JsCast as _, JsValue};

use super::js;

/// An object.
pub(super) struct Fields(pub(super) JsValue);

impl Fields {
    /// A field as `read` reads it; `missing` if it is not there.
    pub(super) fn read<T>(
        &self,
        name: &str,
        missing: Option<T>,
        read: impl FnOnce(&JsValue) -> Option<T>,
    ) -> Result<T, String> {
        let value = js::get(&self.0, name);
        let is_missing = value.is_undefined() || value.is_null();
        if is_missing { missing } else { read(&value) }.ok_or_else(|| name.to_owned())
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<String, String> {
        self.read(name, None, JsValue::as_string)
    }

    /// A text that may be missing.
    pub(super) fn text_if_any(&self, name: &str) -> Result<Option<String>, String> {
        self.read(name, Some(None), |value| value.as_string().map(Some))
    }

    /// True or false.
    pub(super) fn is(&self, name: &str, missing: Option<bool>) -> Result<bool, String> {
        self.read(name, missing, JsValue::as_bool)
    }

    /// A whole number.
    pub(super) fn number<T: TryFrom<i64>>(
        &self,
        name: &str,
        missing: Option<T>,
    ) -> Result<T, String> {
        self.read(name, missing, |value| whole(value).and_then(|number| T::try_from(number).ok()))
    }

    /// A list of texts.
    pub(super) fn texts(
        &self,
        name: &str,
        missing: Option<Vec<String>>,
    ) -> Result<Vec<String>, String> {
        self.read(name, missing, |value| items(value, |item| item.as_string()))
    }

    /// A list of objects.
    pub(super) fn objects<T>(
        &self,
        name: &str,
        missing: Option<Vec<T>>,
        read: fn(&Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.read(name, missing, |value| items(value, |item| read(&Self(item)).ok()))
    }
}

fn items<T>(value: &JsValue, read: impl Fn(JsValue) -> Option<T>) -> Option<Vec<T>> {
    value.dyn_ref::<Array>()?.iter().map(read).collect()
}

/// A number without a fraction that JavaScript counts exactly.
fn whole(value: &JsValue) -> Option<i64> {
    let number = value.as_f64().filter(|_| js_sys::Number::is_safe_integer(value))?;
    let size = i64::try_from(js::whole(number.abs())).ok()?;
    Some(if number < 0.0 { -size } else { size })
}
