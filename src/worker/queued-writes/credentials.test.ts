import { describe, expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { OutboxStage, waitFor } from './outbox-stage.fixture.ts';

describe('credentials', () => {
  test('a provider that has failed once is asked again, some time', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    await tab.remote.control({ kind: 'provides', origins: ['https://page.example'] });
    tab.listener = (delivery) => {
      if (delivery.kind !== 'credentials-wanted') return;
      asked += 1;
      const reply =
        asked === 1
          ? ({ kind: 'failed', message: 'lie-fi' } as const)
          : ({ kind: 'given', headers: [['X-T', 'a']], expiresAt: null } as const);
      void tab.remote.control({ kind: 'credentials', question: delivery.question, reply });
    };
    let asked = 0;
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    await waitFor(stage, 60_000);
    expect([asked > 1, stage.performed]).toEqual([true, ['Dusk']]);
  });

  test('a page that begins to provide credentials resumes what is paused', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ headers }) => (headers.get('X-T') === 'a' ? null : json({}, {}, 401));
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 paused');
    const next = stage.open();
    let asked = 0;
    next.listener = (delivery) => {
      if (delivery.kind !== 'credentials-wanted') return;
      asked += 1;
      void next.remote.control({
        kind: 'credentials',
        question: delivery.question,
        reply: { kind: 'given', headers: [['X-T', 'a']], expiresAt: null },
      });
    };
    next.wish = { provides: ['https://page.example'] };
    await next.greet();
    await waitFor(stage, 3_600_000);
    expect([asked > 0, stage.performed]).toEqual([true, ['Dusk']]);
  });
});
