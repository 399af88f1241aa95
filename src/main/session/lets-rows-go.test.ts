import { expect, test } from 'vitest';
import type { EventInterest } from '../../shared/protocol.ts';
import { answered, declaration, SILENT } from './invocation.fixture.ts';
import type { LoopListener } from './loop.ts';
import { DeclaredLoops } from './loops.ts';

const DEAF: LoopListener = {
  ticking: () => {},
  sent: () => {},
  progress: () => {},
  tick: () => {},
  unsent: () => {},
  reset: () => {},
};

const revision = { lineage: 'a', number: 1 };
const body = { kind: 'unsent' } as const;

test.each<[string, EventInterest]>([
  ['that wants rows alone by then', { ...SILENT, body: false }],
  ['that is hidden by then', SILENT],
])(
  'a page %s lets the rows go that were told of an answer before it stayed with the worker',
  (_who, interest) => {
    const loops = new DeclaredLoops({ now: () => 0, back: 0 }, () => {});
    const loop = loops.add(declaration(), DEAF);
    loop.rows.take({ kind: 'chunk', to: { loop: 1 }, index: 0, path: [], text: '[1]' });
    loop.setInterest(interest);
    const { answer, ...rest } = answered(null, { revision });
    loop.tick({ outcome: { ...rest, answer: { ...answer, body } }, nextIn: 1_000 });
    // Nothing is left of which a body could be made.
    expect(loop.rows.finish({ kind: 'chunked', path: [], envelope: 'null', chunks: 1 })).toBeNull();
  },
);
