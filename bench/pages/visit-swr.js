// A visit where SWR asks.

import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import useSWR from 'swr';
import { fetchJson, show, wanted } from './visit.js';

function Thing() {
  show(useSWR(wanted, fetchJson).data);
  return null;
}

createRoot(document.createElement('div')).render(createElement(Thing));
