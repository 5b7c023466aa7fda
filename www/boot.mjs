// Starts the page: checks the browser, shows what is missing in plain words, then loads the program.
// It holds no logic of the playground itself.

// The build id: part of every address, so that a new version is never mixed with cached old files.
const build = document.querySelector('meta[name="build"]').content;
const address = (file) => new URL(`${file}?v=${build}`, document.baseURI);

// What is said before the program can speak: in the first of the reader's languages that is known here.
const speech = {
  en: {
    loading: "Loading the playground …",
    lacks: (names) => `This browser cannot run the playground. It lacks: ${names.join(", ")}. A current Firefox, Chrome, Edge or Safari will do.`,
    failed: (error) => `The playground could not start: ${error}. Reload the page; if that does not help, the files on the server may be incomplete.`,
  },
  zh: {
    loading: "正在加载演练场…",
    lacks: (names) => `此浏览器无法运行演练场，缺少：${names.join("、")}。请使用较新版本的 Firefox、Chrome、Edge 或 Safari。`,
    failed: (error) => `演练场无法启动：${error}。请刷新页面；如果仍然不行，服务器上的文件可能不完整。`,
  },
};
const wanted = navigator.languages.map((tag) => tag.toLowerCase().split("-")[0]);
const language = wanted.find((name) => Object.hasOwn(speech, name)) ?? "en";
const words = speech[language];
document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
document.querySelector(".boot-text").textContent = words.loading;

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

// What is needed when the page runs, or when it cannot.
const care = () => import(address("care.mjs").href);

// Where the program said that it panicked.
let place = "";
let isStopped = false;
const workers = new Set();

// A program that trapped is never called again: who calls it is ended, and the page says what happened.
function stop(error) {
  if (isStopped) return;
  isStopped = true;
  for (const worker of workers) worker.terminate();
  for (let id = setTimeout(() => {}); id > 0; id--) clearTimeout(id);
  for (let id = requestAnimationFrame(() => {}); id > 0; id--) cancelAnimationFrame(id);
  for (const type of ["blur", "focus", "hashchange", "input", "keydown", "pointerdown", "resize", "scroll"]) {
    addEventListener(type, (event) => event.stopImmediatePropagation(), true);
  }
  care().then((it) => it.tellStopped({ build, place, error })).catch(() => {
    document.getElementById("boot").hidden = false;
    say(words.failed(error));
  });
}
const hasTrapped = (error) => error instanceof WebAssembly.RuntimeError || /call stack|recursion/.test(error?.message);

// One compiled program is the page and all members.
let program = null;
let labModule = null;
let insightTries = 0;
let ctlModule = null;
let ctlTries = 0;
const fetchCtl = () => {
  ctlModule ??= compile("ctl_bg.wasm").catch((error) => { ctlModule = null; throw error; });
  return ctlModule;
};

// What the program reads: its build id, and the compiled programs for its workers.
globalThis.playground = Object.freeze({
  build,
  // The program panics, and says where.
  panicked(where) {
    place ||= where;
  },
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
  // The texts of a language that the program is not built with.
  async texts(name) {
    const file = `${name}.txt`;
    const response = await fetch(address(file));
    if (!response.ok) throw new Error(`${file}: the server answered ${response.status}`);
    return response.text();
  },
  // The rare commands of etcdctl; a new instance each time, since the page asks again only after a failure.
  async ctl() {
    const again = ctlTries++ ? `&again=${ctlTries}` : "";
    const [module, program] = await Promise.all([fetchCtl(), import(address("ctl.js").href + again)]);
    await program.default({ module_or_path: module });
    return program;
  },
  // The views that show consensus; fetched when one is first opened, and anew after a failure.
  async insight() {
    const again = insightTries++ ? `&again=${insightTries}` : "";
    return (await import(address("insight_page.mjs").href + again)).load(compile, again);
  },
});

const lacks = missing();
if (lacks.length > 0) {
  say(words.lacks(lacks));
} else {
  addEventListener("error", (event) => hasTrapped(event.error) && stop(event.error));
  addEventListener("unhandledrejection", (event) => hasTrapped(event.reason) && stop(event.reason));
  globalThis.Worker = class extends Worker {
    constructor(...what) {
      super(...what);
      workers.add(this);
    }
    terminate() {
      workers.delete(this);
      super.terminate();
    }
  };
  try {
    const [module, { default: init, startPage }] = await Promise.all([
      globalThis.playground.nodeModule(),
      import(address("app.js").href),
    ]);
    await init({ module_or_path: module });
    startPage();
    document.getElementById("boot").hidden = true;
    // What a first screen does not need waits until it is there.
    setTimeout(() => {
      care().then((it) => it.keep(build)).catch(console.warn);
      // So that the first rare command need not wait; should this fail, that command says so.
      Promise.all([fetchCtl(), import(address("ctl.js").href)]).catch(() => { ctlTries += 1; });
    }, 1_000);
  } catch (error) {
    console.error(error);
    if (hasTrapped(error)) stop(error);
    else say(words.failed(error));
  }
}
