// What goes wrong without a setting: each trap takes one away.

/** @typedef {Pick<import('./round.mjs').Setup, 'cache' | 'flaw' | 'edit'> & { name: string, clients?: number }} Trap */

/** @param {RegExp} setting */
const without = (setting) => (/** @type {string} */ config) => config.replace(setting, '');

/** @type {readonly Trap[]} */
export const TRAPS = [
  { name: 'no lock', cache: 'nginx', edit: without(/proxy_cache_lock on;/) },
  { name: 'lock_timeout 5 s', cache: 'nginx', edit: without(/proxy_cache_lock_timeout .*/) },
  { name: 'lock_age 5 s', cache: 'nginx', edit: without(/proxy_cache_lock_age .*/) },
  { name: 'aborts passed on', cache: 'nginx', edit: without(/proxy_ignore_client_abort on;/) },
  { name: 'min_uses 1', cache: 'nginx', edit: without(/proxy_cache_min_uses 0;/), clients: 2_100 },
  {
    name: 'reload honoured',
    cache: 'nginx',
    edit: (config) => config.replace('proxy_cache changes;', '$& proxy_cache_bypass $http_pragma;'),
  },
  { name: 'answers set a cookie', cache: 'nginx', flaw: 'sessions' },
  { name: 'holds end in place, stored 1 s', cache: 'nginx', flaw: 'same' },
  { name: 'cookies let in', cache: 'varnish', edit: without(/unset req\.http\.Cookie;/) },
  { name: 'answers set a cookie', cache: 'varnish', flaw: 'sessions' },
  { name: 'holds end in place, stored 1 s', cache: 'varnish', flaw: 'same' },
  { name: 'holds end in place, not stored', cache: 'varnish', flaw: 'unstored' },
];
