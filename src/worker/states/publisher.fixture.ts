import { declaration } from '../loops/stage.fixture.ts';
import type { Subscriber } from '../contracts/audience.ts';
import { NEWEST_ANSWER } from './delivery-policy.ts';
import { Publisher } from './publisher.ts';
import type { PublisherPorts } from './publisher.ts';
import { subscriberOf } from './state-audience.ts';

/** The publisher of a loop whose answers have no URL, at a time that stands still. */
export function publisherTo({ tell, publish }: Pick<PublisherPorts, 'tell' | 'publish'>): Publisher {
  return new Publisher({
    tell,
    publish,
    url: null,
    rules: NEWEST_ANSWER,
    askedAt: () => 0,
    nextIn: () => 0,
    now: () => 0,
  });
}

/** A page that follows the loop, is shown and has nothing yet. */
export function newcomer(): Subscriber {
  return subscriberOf('anna', declaration(), false);
}
