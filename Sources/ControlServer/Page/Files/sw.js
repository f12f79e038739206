// Lets an installed page open while lightd is away: it then says so, and recovers by itself. What the house is like is
// never kept, only the page's own files.

const cacheName = 'page'
/** A phone that is away from home waits minutes for an answer: after this long it opens what is kept. */
const patience = 3000
const assets = (html) => [...new Set(html.match(/\/assets\/[^"]+/g) ?? [])]

/** Keeps this index and the files that it names, and forgets those of an older page. */
async function keep(response) {
  const html = await response.clone().text()
  const [cache, wanted] = [await caches.open(cacheName), assets(html)]
  const kept = (await cache.keys()).map((request) => new URL(request.url).pathname)
  // The files first: an index without them would open to nothing.
  await cache.addAll(wanted.filter((path) => !kept.includes(path)))
  await cache.put('/', response)
  await Promise.all(kept.filter((path) => path !== '/' && !wanted.includes(path)).map((path) => cache.delete(path)))
}

self.addEventListener('install', (event) => {
  event.waitUntil(fetch('/', { cache: 'no-cache' }).then(keep).then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (pathname === '/') {
    const served = fetch(request).then(
      (response) => {
        if (response.ok) event.waitUntil(keep(response.clone()).catch(() => {}))  // no room: the page works without
        return response
      },
      async (error) => await caches.match('/') ?? Promise.reject(error))
    event.waitUntil(served.catch(() => {}))  // kept also if it comes too late to be shown
    const kept = new Promise((resume) => setTimeout(resume, patience)).then(() => caches.match('/'))
    event.respondWith(Promise.race([served, kept.then((response) => response ?? served)]))
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith(caches.match(pathname).then((kept) => kept ?? fetch(request)))
  }
})
