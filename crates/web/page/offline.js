// A service worker that stores the page, so that it works without a network after the first visit.
// The build writes `FILES`, the paths of all files of the page, and a checksum above this line: if
// a file changes, so does this one, and the browser installs it anew.

const CACHE = 'setwise';

addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })))));
  skipWaiting();
});

addEventListener('activate', (event) => event.waitUntil(clients.claim()));

/** The network's answer, or the stored one if the network fails. */
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET') event.respondWith(fetch(request).catch(async () => await caches.match(request, { ignoreSearch: true }) ?? Response.error()));
});
