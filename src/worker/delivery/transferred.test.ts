import { expect, test } from 'vitest';
import type { Delivered } from '../../shared/delivery.ts';
import { answered } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Mailbox } from './mailbox.ts';

test('a call whose answer has gone with its bytes is named where the rest is told again', async () => {
  const told: Delivered[] = [];
  const mailbox = new Mailbox('life 1', {
    deliver: (batch, transferred) => {
      told.push(...structuredClone([...batch], { transfer: [...transferred] }));
      return new Promise(() => {});
    },
    tell: null,
  });
  const { answer, ...rest } = answered();
  const bytes = new Uint8Array([1, 2]).buffer;
  const outcome = { ...rest, answer: { ...answer, body: { kind: 'bytes', bytes, type: '' } } } as const;
  mailbox.put({ kind: 'settled', id: 7, outcome });
  mailbox.put({ kind: 'settled', id: 8, outcome: answered() });
  await settle();
  expect(bytes.byteLength).toBe(0);
  expect(mailbox.resend()).toEqual([7]);
  expect(told.map((each) => ('id' in each ? each.id : null))).toEqual([7, 8, 8]);
});
