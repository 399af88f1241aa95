import type { Greeting } from './protocol.ts';

/** The newest protocol that a page and this side both speak; null where there is none. */
export function negotiate(
  page: Pick<Greeting, 'protocol' | 'oldest'>,
  newest: number,
  oldest: number,
): number | null {
  const common = Math.min(page.protocol, newest);
  return common >= Math.max(page.oldest, oldest) ? common : null;
}
