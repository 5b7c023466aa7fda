//! A value that comes later, once: the bridge from a JavaScript callback to a waiting future.
//!
//! What it is: a one-shot cell with a waker. What it is not: a channel.
//! Invariants: the first value set wins; one waiter.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// See the module.
#[derive(Debug)]
pub(super) struct Signal<T> {
    inner: Rc<RefCell<Inner<T>>>,
}

#[derive(Debug)]
struct Inner<T> {
    value: Option<T>,
    waker: Option<Waker>,
    is_set: bool,
}

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        Self { inner: Rc::clone(&self.inner) }
    }
}

impl<T> Signal<T> {
    pub(super) fn new() -> Self {
        let inner = Inner { value: None, waker: None, is_set: false };
        Self { inner: Rc::new(RefCell::new(inner)) }
    }

    /// Gives the value; a second one is dropped.
    pub(super) fn set(&self, value: T) {
        let waker = {
            let mut inner = self.inner.borrow_mut();
            if inner.is_set {
                return;
            }
            inner.is_set = true;
            inner.value = Some(value);
            inner.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits for the value.
    pub(super) async fn wait(&self) -> T {
        poll_fn(|context| {
            let mut inner = self.inner.borrow_mut();
            match inner.value.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    inner.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

/// Waits for `future`, but not longer than `limit_ms`; `None`: the time was over first.
pub(super) async fn within<F: Future>(limit_ms: u32, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut timeout = pin!(gloo_timers::future::TimeoutFuture::new(limit_ms));
    poll_fn(|context| {
        if let Poll::Ready(output) = future.as_mut().poll(context) {
            return Poll::Ready(Some(output));
        }
        timeout.as_mut().poll(context).map(|()| None)
    })
    .await
}
