// Takes care of the page itself: keeps it for times without its server, offers a new version, and says what can be
// done when the program has stopped. Fetched after the page has started, or when it stops.
// It holds no logic of the playground itself, and works when the program does not.

const HOUR_MS = 3_600_000;

// A report shows at most so many of the last events.
const EVENTS = 30;

const speech = {
  en: {
    fresh: "A new version of this page is ready. A saved cluster goes on after the reload.",
    take: "Reload",
    later: "Later",
    dead: "The page has stopped",
    why: "A fault in the page's program has stopped it. What members acknowledged is on disk, unless the cluster lives in memory; reload the page to go on.",
    report: "This report helps to find the fault. It holds no values, keys or passwords. Look through it before you send it to anybody.",
    copy: "Copy the report",
    copied: "Copied",
    reload: "Reload the page",
  },
  zh: {
    fresh: "此页面的新版本已就绪。刷新后，已保存的集群会继续运行。",
    take: "刷新",
    later: "稍后",
    dead: "页面已停止运行",
    why: "页面程序出现故障，已停止运行。成员确认过的数据都已写入磁盘（仅存于内存的集群除外）；请刷新页面以继续使用。",
    report: "这份报告有助于查找故障，其中不含 value、key 或密码。发给他人之前，请先检查内容。",
    copy: "复制报告",
    copied: "已复制",
    reload: "刷新页面",
  },
};
const words = () => speech[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];

function element(tag, classes, text) {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  return made;
}

function button(name, classes, text, act) {
  const made = element("button", `button ${classes}`, text);
  made.type = "button";
  made.dataset.testid = name;
  made.addEventListener("click", act);
  return made;
}

// ---- A new version ----

// Offers to go over to a new version; in the language that the page speaks, also when that changes.
function offer(take) {
  document.querySelector(".fresh")?.remove();
  const box = element("div", "fresh");
  box.dataset.testid = "fresh";
  box.setAttribute("role", "status");
  const text = element("p");
  const yes = button("fresh-take", "button-primary", "", take);
  const no = button("fresh-later", "", "", () => box.remove());
  const speak = () => {
    [text.textContent, yes.textContent, no.textContent] = [words().fresh, words().take, words().later];
  };
  new MutationObserver(speak).observe(document.documentElement, { attributeFilter: ["lang"] });
  box.append(text, yes, no);
  document.body.append(box);
  // Said once it is there, so that it is read out.
  speak();
}

// Keeps the files of this version; says when there is another one.
export async function keep(build) {
  const { serviceWorker, locks } = navigator;
  if (!serviceWorker || !locks || build === "dev") return;
  const scope = new URL("./", document.baseURI).href;
  // Held as long as this page lives: which versions' files are needed.
  locks.request(`etcd-playground ${scope} ${build}`, { mode: "shared" }, () => new Promise(() => {})).catch(() => {});
  // On a first visit, the page is taken in by the version that it is of.
  let isTaken = !serviceWorker.controller;
  let isAsked = false;
  serviceWorker.addEventListener("controllerchange", () => {
    if (isAsked) location.reload();
    // Another tab has gone over to it.
    else if (!isTaken) offer(() => location.reload());
    isTaken = false;
  });
  const registration = await serviceWorker.register(`${scope}service_worker.js`, { updateViaCache: "none" });
  const waits = () => {
    if (!registration.waiting || !registration.active) return;
    offer(() => {
      isAsked = true;
      if (registration.waiting) registration.waiting.postMessage("take");
      else location.reload();
    });
  };
  waits();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", waits);
  });
  registration.active?.postMessage("tidy");
  setInterval(() => registration.update().catch(() => {}), HOUR_MS);
}

// ---- The program has stopped ----

// Words of a fault that tell where, not with which values.
const whereOf = (text) => text.replace(/(panicked at \S+:\d+:\d+)[^]*/, "$1");

function reportOf({ build, place, error }) {
  const seen = (id) => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "?";
  const events = [...document.querySelectorAll('[data-testid="event"]')].slice(0, EVENTS);
  // Functions of the program are numbers in it.
  const stack = String(error?.stack ?? "").split("\n").filter((line) => line.includes("wasm"));
  return [
    `etcd playground, build ${build}`,
    `place: ${place || "unknown"}`,
    `error: ${error?.name ?? "unknown"}`,
    ...stack.slice(0, 12).map((line) => `  ${line.trim().replaceAll(location.origin, "")}`),
    `after: ${Math.round(performance.now() / 1000)} s, term ${seen("term")}, revision ${seen("revision")}`,
    `window: ${innerWidth} x ${innerHeight}, ${document.documentElement.lang}`,
    `browser: ${navigator.userAgent}`,
    "last events, newest first:",
    ...events.map((event) => `  ${whereOf(event.textContent.trim())}`),
  ].join("\n");
}

// Lies over the page, which takes nothing any more.
export function tellStopped(fault) {
  const said = words();
  const report = reportOf(fault);
  for (const open of document.querySelectorAll("dialog[open]")) open.close();
  const dialog = element("dialog", "dialog stopped");
  dialog.dataset.testid = "stopped";
  dialog.setAttribute("role", "alertdialog");
  dialog.setAttribute("aria-labelledby", "stopped-title");
  dialog.setAttribute("aria-describedby", "stopped-why");
  const title = element("h2", "dialog-title", said.dead);
  title.id = "stopped-title";
  const why = element("p", "", said.why);
  why.id = "stopped-why";
  const text = element("pre", "stopped-report", report);
  text.dataset.testid = "stopped-report";
  text.tabIndex = 0;
  text.setAttribute("role", "region");
  text.setAttribute("aria-label", said.copy);
  const copy = button("stopped-copy", "", said.copy, async () => {
    await navigator.clipboard.writeText(report);
    copy.textContent = said.copied;
  });
  const reload = button("stopped-reload", "button-primary", said.reload, () => location.reload());
  const foot = element("div", "row row-end dialog-foot");
  foot.append(copy, reload);
  dialog.append(title, why, text, element("p", "stopped-note", said.report), foot);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  reload.focus();
}
