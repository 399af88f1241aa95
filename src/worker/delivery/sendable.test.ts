import { expect, test } from 'vitest';
import type { Delivered, Delivery } from '../../shared/delivery.ts';
import { failed } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Mailbox } from './mailbox.ts';
import type { PageTransport } from './mailbox.ts';

/** The outcome of a call in which there is something that no message can carry, or is not. */
function settled(id: number, broken: boolean): Delivery {
  const outcome = failed('network');
  return {
    kind: 'settled',
    id,
    outcome: broken ? Object.assign({ ...outcome }, { extra: () => {} }) : outcome,
  };
}

/** A line that carries what messages can. */
function lineTo(heard: Delivered[], isTold: boolean): PageTransport {
  const post = (batch: readonly Delivered[]): void => void heard.push(...structuredClone(batch));
  return { deliver: async (batch) => post(batch), tell: isTold ? post : null };
}

test.each([
  ['that the page acknowledges', false, false],
  ['that it need not acknowledge', true, false],
  ['that goes along with an answer', true, true],
])(
  'an outcome that no message can carry fails its call alone, in a batch %s',
  async (_what, isTold, isCarried) => {
    const heard: Delivered[] = [];
    const mailbox = new Mailbox('life 1', lineTo(heard, isTold));
    if (isCarried) mailbox.carry((batch) => heard.push(...structuredClone(batch)));
    for (const [id, broken] of [true, false].entries()) mailbox.put(settled(id, broken));
    await settle();
    expect(heard).toMatchObject([
      {
        id: 0,
        place: { number: 1 },
        outcome: { failure: { code: 'protocol', message: expect.stringContaining('No message can carry') } },
      },
      { ...settled(1, false), place: { number: 2 } },
    ]);
  },
);
