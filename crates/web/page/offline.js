// A service worker that stores the page, which then works without a network from the second visit.
// Above this comment, the build writes the paths of the page's files (`FILES`) and their checksum.
// If a file changes, the checksum changes this script too, and the browser installs it again.

const CACHE = 'setwise';

addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })))));
  skipWaiting();
});

addEventListener('activate', (event) => event.waitUntil(clients.claim()));

/** Answers from the network, or from the cache if the network fails. */
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET') event.respondWith(fetch(request).catch(async () => await caches.match(request, { ignoreSearch: true }) ?? Response.error()));
});
