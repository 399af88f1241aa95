import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { fetchSmall, offer } from './page.js';

/**
 * Offers a library that has hooks.
 *
 * @param {(url: string, interval: number) => any} useList The data so far of a list that it polls.
 */
export function offerHook(useList) {
  let shown;

  function List({ url, interval, told }) {
    shown = useList(url, interval);
    queueMicrotask(told);
    return null;
  }

  offer({
    start(url, interval, told) {
      createRoot(document.createElement('div')).render(createElement(List, { url, interval, told }));
    },
    data: () => shown,
    call: fetchSmall,
  });
}
