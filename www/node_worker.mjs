// The start of every worker, in one message: { config, module, ports, image }.
// There is no top-level await before `onmessage` is set, so no message is lost.
// The config `{ member: … }` runs the WebAssembly module, which is the page's own; "timer" wakes the page, which may be
// hidden.
import { initSync, startMember } from "./app.js?v=dev";

// A trapped instance is never called again: say what happened, then end this worker.
function die(text) {
  self.postMessage({ fatal: String(text) });
  self.close();
}
self.addEventListener("error", (event) => die(event.message));
self.addEventListener("unhandledrejection", (event) => die(event.reason?.message ?? event.reason));

// The page's clock: `{ timer, after }` comes back as `timer`; null comes four times a second.
function startTimers() {
  setInterval(() => self.postMessage(null), 250);
  self.onmessage = (event) => {
    setTimeout(() => self.postMessage(event.data.timer), event.data.after);
  };
}

self.onmessage = (event) => {
  self.onmessage = null;
  if (event.data.config === "timer") {
    startTimers();
  } else {
    initSync({ module: event.data.module });
    startMember(event.data);
  }
};
