import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from './server.ts';

test('what was stored survives a restart, and only one server at a time has it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  const start = () => startServer({ port: 0, database: { dataDir } });
  const first = await start();
  const body = new URLSearchParams({ title: 'Still here' });
  const made = await fetch(`${first.url}/api/photos`, { method: 'POST', body });
  await expect(start()).rejects.toThrow(`in use by the demo at ${first.url}`);
  await first.close();

  const second = await start();
  const found = await fetch(second.url + (made.headers.get('Location') ?? ''));
  expect(await found.json()).toMatchObject({ title: 'Still here' });
  await second.close();
  await rm(dataDir, { recursive: true });
}, 60_000);
