// The lab's worker: { config, module } comes first, then one question a message.
// There is no top-level await before `onmessage` is set, so no message is lost.
import { initSync, start } from "./lab.js?v=dev";

// A trapped instance is never called again: say what happened, then end this worker.
function die(text) {
  self.postMessage({ fatal: String(text) });
  self.close();
}
self.addEventListener("error", (event) => die(event.message));
self.addEventListener("unhandledrejection", (event) => die(event.reason?.message ?? event.reason));

self.onmessage = (event) => {
  self.onmessage = null;
  initSync({ module: event.data.module });
  start();
};
