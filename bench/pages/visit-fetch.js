// A visit where the page asks by itself.

import { fetchJson, show, wanted } from './visit.js';

show(await fetchJson(wanted));
