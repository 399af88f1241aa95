// `node bench/shared-cache/ask-chromium.mjs`: prints what the Chromium of the tests sends for
// `fetch(url, { cache: 'no-store' })` in a service worker. chromium-headers.mjs has it from here.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { readyChromium } from '../../scripts/chromium.mjs';
import { runAsProgram } from '../../scripts/run.mjs';

const WORKER = `
  self.addEventListener('message', async ({ source }) => {
    const response = await fetch('/echo', { cache: 'no-store' });
    source.postMessage(await response.json());
  });
`;

const server = createServer(({ url, rawHeaders }, response) => {
  if (url === '/echo') return response.end(JSON.stringify(rawHeaders));
  const isWorker = url === '/service-worker.js';
  response.setHeader('Content-Type', isWorker ? 'text/javascript' : 'text/html');
  response.setHeader('Set-Cookie', 'sid=1; Path=/');
  return response.end(isWorker ? WORKER : '<!doctype html><title>Echo</title>');
});

/** Runs in the page. */
async function askWorker() {
  await navigator.serviceWorker.register('/service-worker.js');
  const { active } = await navigator.serviceWorker.ready;
  return new Promise((resolve) => {
    navigator.serviceWorker.addEventListener('message', ({ data }) => resolve(data));
    navigator.serviceWorker.startMessages();
    active.postMessage('ask', {});
  });
}

await runAsProgram(import.meta.url, async () => {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: await readyChromium() });
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const headers = await page.evaluate(askWorker);
    console.log(`Chromium ${browser.version()}`);
    for (let each = 0; each < headers.length; each += 2)
      console.log(`${headers[each]}: ${headers[each + 1]}`);
  } finally {
    await browser.close();
    server.close();
  }
});
