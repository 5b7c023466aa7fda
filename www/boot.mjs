// Starts the page: checks the browser, shows what is missing in plain words, then loads the program.
// It holds no logic of the playground itself.

// The build id: part of every address, so that a new version is never mixed with cached old files.
const build = document.querySelector('meta[name="build"]').content;
const address = (file) => new URL(`${file}?v=${build}`, document.baseURI);

function say(text) {
  const boot = document.getElementById("boot");
  boot.setAttribute("role", "alert");
  boot.querySelector(".boot-text").textContent = text;
}

// What the playground cannot do without. An empty list means that it can start.
function missing() {
  const lacks = [];
  if (typeof WebAssembly !== "object" || typeof WebAssembly.Module !== "function") {
    lacks.push("WebAssembly");
  }
  // The address is not one, so no worker is made; a browser that knows module workers asks for the type first.
  let modules = false;
  try {
    new Worker("http://", { get type() { modules = true; return "module"; } });
  } catch {
    // Expected: the address does not parse.
  }
  if (!modules) lacks.push("module workers");
  if (typeof MessageChannel !== "function") lacks.push("message channels");
  if (typeof BigInt64Array !== "function") lacks.push("64-bit integers");
  return lacks;
}

async function compile(file) {
  const response = await fetch(address(file));
  if (!response.ok) throw new Error(`${file}: the server answered ${response.status}`);
  // Some hosts send a wrong type for .wasm files, which streaming refuses.
  if (WebAssembly.compileStreaming && response.headers.get("content-type") === "application/wasm") {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

// One compiled program is the page and all members.
let program = null;
let labModule = null;
let insightTries = 0;

// What the program reads: its build id, and the compiled programs for its workers.
globalThis.playground = Object.freeze({
  build,
  // The address of a member's worker script, for `new Worker(…, { type: "module" })`.
  nodeUrl: address("node_worker.mjs").href,
  nodeModule() {
    program ??= compile("app_bg.wasm");
    return program;
  },
  // The lab, which most visits never load; compiled at the first call.
  labUrl: address("lab_worker.mjs").href,
  labModule() {
    labModule ??= compile("lab_bg.wasm").catch((error) => { labModule = null; throw error; });
    return labModule;
  },
  // The views that show consensus; fetched when one is first opened, and anew after a failure.
  async insight() {
    const again = insightTries++ ? `&again=${insightTries}` : "";
    return (await import(address("insight_page.mjs").href + again)).load(compile, again);
  },
});

const lacks = missing();
if (lacks.length > 0) {
  say(`This browser cannot run the playground. It lacks: ${lacks.join(", ")}. A current Firefox, Chrome, Edge or Safari will do.`);
} else {
  try {
    const [module, { default: init, startPage }] = await Promise.all([
      globalThis.playground.nodeModule(),
      import(address("app.js").href),
    ]);
    await init({ module_or_path: module });
    startPage();
    document.getElementById("boot").hidden = true;
  } catch (error) {
    console.error(error);
    say(`The playground could not start: ${error}. Reload the page; if that does not help, the files on the server may be incomplete.`);
  }
}
