import type { SentBody, Ticked } from '../shared/delivery.ts';
import type { Tab } from './tab.fixture.ts';

/** What a tab was told of its loops. */
export function ticks(tab: Tab): Ticked[] {
  return tab.deliveries.flatMap((delivery) => (delivery.kind === 'tick' ? [delivery] : []));
}

export function bodyOf({ outcome }: Ticked): SentBody | null {
  return outcome.kind === 'answered' ? outcome.answer.body : null;
}

/** What a tick brought: the states of the rows that it tells, or that it is the whole. */
function gist(tick: Ticked): unknown {
  const body = bodyOf(tick);
  if (body?.kind !== 'patches') return body?.kind ?? null;
  return body.patches.map(({ change }) =>
    change?.kind === 'list' ? JSON.parse(change.rows)[0].state : null,
  );
}

export function gists(tab: Tab): unknown[] {
  return ticks(tab).map(gist);
}
