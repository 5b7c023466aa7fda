// Keeps the files of one version, so that the page works without its server and never gets files of two versions.
// A new version is fetched beside the old one and waits until a page says "take"; a version's files go when no page of
// it is open any more.
// `cargo xtask build` writes the two constants: the version, and its files with their hashes, "" being the page itself.
const build = "dev";
const files = [];

const prefix = `etcd-playground ${registration.scope} `;
const address = (name, version) => `${registration.scope}${name}${name ? `?v=${version}` : ""}`;

// The hash is asked for: a server that is being changed over may have files of two versions.
async function fetched(name, integrity) {
  const ask = (cache) => fetch(address(name, build), { integrity, cache });
  const response = await (name ? ask("default").catch(() => ask("reload")) : ask("no-cache"));
  if (!response.ok) throw new Error(`${name}: the server answered ${response.status}`);
  return response;
}

async function install() {
  const cache = await caches.open(prefix + build);
  try {
    await Promise.all(files.map(async ([name, hash]) => {
      await cache.put(address(name, build), await fetched(name, hash));
    }));
  } catch (error) {
    await caches.delete(prefix + build);
    throw error;
  }
}

// Every page holds a lock with the name of its version's files.
async function tidy() {
  const { held } = await navigator.locks.query();
  const needed = new Set(held.map((lock) => lock.name)).add(prefix + build);
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && !needed.has(name)) await caches.delete(name);
  }
}

async function kept(name, version) {
  if (!(await caches.has(prefix + version))) return undefined;
  const cache = await caches.open(prefix + version);
  return cache.match(address(name, version), { ignoreVary: true });
}

async function page(request) {
  return (await kept("", build)) ?? fetch(request);
}

async function file(request, name, version) {
  const found = await kept(name, version);
  if (found) return found;
  const known = files.find(([other]) => other === name);
  if (version === build && known) return fetched(...known);
  // A page of another version: its server may have gone on, and would answer with a file that does not fit.
  const now = await (await fetch(address("", build), { cache: "no-cache" })).text();
  if (now.includes(`name="build" content="${version}"`)) return fetch(request);
  return new Response("this page is of another version: load it again\n", { status: 410 });
}

self.addEventListener("install", (event) => event.waitUntil(install()));

self.addEventListener("activate", (event) => event.waitUntil(clients.claim().then(tidy)));

self.addEventListener("message", (event) => {
  if (event.data === "take") event.waitUntil(skipWaiting());
  // A version that waits has files, too, and nobody holds a lock for them.
  if (event.data === "tidy" && !registration.waiting && !registration.installing) event.waitUntil(tidy());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const here = `${url.origin}${url.pathname}`;
  if (request.method !== "GET" || !here.startsWith(registration.scope)) return;
  const name = here.slice(registration.scope.length);
  const version = url.searchParams.get("v");
  if (request.mode === "navigate") {
    if (name === "" || name === "index.html") event.respondWith(page(request));
  } else if (version) {
    event.respondWith(file(request, name, version));
  }
});
