// What Chromium sends for `fetch(url, { cache: 'no-store' })` in a service worker, taken over from what
// `node bench/shared-cache/ask-chromium.mjs` printed with Chromium 156.0.8078.79 on Debian 12, 2026-11-21.

/**
 * @param {string} origin Of the page and of the URL.
 * @param {number} client Each has a cookie of its own, as people have sessions.
 * @returns {string[]} Names and values by turns, in Chromium's order.
 */
export function chromiumHeaders(origin, client) {
  return [
    ['Host', new URL(origin).host],
    ['Connection', 'keep-alive'],
    ['Pragma', 'no-cache'],
    ['Cache-Control', 'no-cache'],
    ['User-Agent', USER_AGENT],
    ['Accept', '*/*'],
    ['Sec-Fetch-Site', 'same-origin'],
    ['Sec-Fetch-Mode', 'cors'],
    ['Sec-Fetch-Dest', 'empty'],
    ['Referer', `${origin}/service-worker.js`],
    ['Accept-Encoding', 'gzip, deflate, br, zstd'],
    ['Accept-Language', 'en-US,en;q=0.9'],
    ['Cookie', `sid=${client}`],
  ].flat();
}

const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36';
