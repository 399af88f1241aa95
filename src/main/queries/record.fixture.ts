import type { Answered, Outcome } from '../../shared/outcome.ts';
import { unanswered } from '../../shared/outcome.ts';
import { settledNotice } from '../resource/notice.ts';
import { call } from '../resource/notice.fixture.ts';
import { answered, invocation } from '../session/invocation.fixture.ts';
import type { QueryRecord, RecordWatcher, Reply, Telling } from './record.ts';

/** The action whose answers a test tells. */
export const ACTION: object = {};

/** The end of a call, as a resource tells it. */
export function telling(id: number, outcome: Outcome, wish: Partial<Telling> = {}): Telling {
  const notice = settledNotice(call(id), outcome);
  return {
    notice,
    received: notice.response,
    size: 10,
    invocation: invocation(),
    asked: call(id).asked,
    declared: ACTION,
    isWhole: true,
    isCall: true,
    ...wish,
  };
}

/** Tells a record of a success of the nth call. */
export function tell(record: QueryRecord, id: number, value: unknown, wish: Partial<Answered> = {}): Reply {
  return told(record, telling(id, answered(value, wish)));
}

export function fail(record: QueryRecord, id: number, code: 'offline' | 'aborted' = 'offline'): Reply {
  return told(record, telling(id, unanswered({ code, message: code })));
}

export function told(record: QueryRecord, brought: Telling): Reply {
  const reply = record.take(brought);
  record.tell(reply);
  return reply;
}

/** Notes what it hears. */
export class Watcher implements RecordWatcher {
  readonly heard: unknown[] = [];

  hear({ notice, novelty }: Reply): void {
    this.heard.push([notice.type, notice.response, novelty]);
  }

  changed(): void {
    this.heard.push('changed');
  }

  ended(): void {
    this.heard.push('ended');
  }
}
