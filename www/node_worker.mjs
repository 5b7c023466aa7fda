// The start of a member's Web Worker, in one message: { module, config, ports }.
// There is no top-level await before `onmessage` is set, so no message is lost.
import { initSync, start } from "./node.js?v=dev";

let started = false;

self.onmessage = (event) => {
  if (started) return;
  started = true;
  initSync({ module: event.data.module });
  start(event.data.config, event.data.ports);
};
