//! The browser edge: IndexedDB, MessagePort, timers, workers.
