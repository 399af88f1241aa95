import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';

const [MONDAY, TUESDAY] = ['Mon, 09 Nov 2026 08:00:00 GMT', 'Tue, 10 Nov 2026 08:00:00 GMT'];

test('a file that was replaced by an older one is told as what it is now', async () => {
  let modified = TUESDAY;
  // RFC 9110 section 13.1.3: the condition is false if the file is no younger than the date.
  const stage = new EngineStage(({ headers }) => {
    const since = headers.get('if-modified-since');
    const isKnown = since !== null && Date.parse(modified) <= Date.parse(since);
    const said = { 'Last-Modified': modified };
    return isKnown ? new Response(null, { status: 304, headers: said }) : json([modified], said);
  });
  expect(gist(await stage.invoke())).toEqual([TUESDAY]);
  modified = MONDAY;
  expect(gist(await stage.invoke())).toEqual([MONDAY]);
});
