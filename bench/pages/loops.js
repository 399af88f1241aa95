// What a page of many polls offers, whichever library fills it.

import { offer } from './page.js';

/**
 * @param {object} library
 * @param {() => Promise<void>} [library.prepare]
 * @param {(url: string, interval: number, show: (data: any) => void) => void} library.poll Begins a poll, and gives
 *   `show` the data so far whenever the library tells the page something.
 */
export function offerLoops({ prepare, poll }) {
  const shown = [];
  offer({
    prepare,
    start(url, interval, told) {
      const at = shown.push(null) - 1;
      poll(url, interval, (data = null) => {
        // Some libraries also tell the page that a request has begun.
        if (data === shown[at]) return;
        shown[at] = data;
        told();
      });
    },
    data: () => shown,
  });
}
