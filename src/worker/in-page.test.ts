import { expect, test, vi } from 'vitest';
import { withoutOrigin } from './in-page.ts';

test.each<[RequestInit, RequestInit]>([
  [
    { mode: 'same-origin', redirect: 'follow' },
    { mode: 'cors', redirect: 'error' },
  ],
  [
    { mode: 'same-origin', redirect: 'manual' },
    { mode: 'cors', redirect: 'manual' },
  ],
  [{ mode: 'same-origin' }, { mode: 'cors', redirect: 'error' }],
  [
    { mode: 'cors', redirect: 'follow' },
    { mode: 'cors', redirect: 'follow' },
  ],
])('%j is asked for as %j', async (given, sent) => {
  const fetched = vi.fn<typeof fetch>(() => Promise.resolve(new Response()));
  await withoutOrigin((url, init) => fetched(url, init))('https://page.example/', {
    method: 'GET',
    ...given,
  });
  expect(fetched).toHaveBeenCalledWith('https://page.example/', { method: 'GET', ...sent });
});
