import { CallRules } from './call-rules.ts';
import { History } from './history.ts';
import { LoopRules } from './loop-rules.ts';
import type { Asked } from './asked.ts';
import type { Timeline } from './timeline.ts';

/**
 * The model: what each page wants and has heard, and so what server and pages may see. Everything that is not so is a
 * difference, said as a sentence.
 */
export class Journal {
  readonly differences: string[] = [];
  readonly history: History;
  readonly loops: LoopRules;
  readonly calls: CallRules;
  readonly #timeline: Timeline;
  readonly #beganAt: number;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#beganAt = timeline.now;
    const differ = (sentence: string): void => this.differ(sentence);
    this.history = new History(timeline);
    this.loops = new LoopRules(timeline, this.history, differ);
    this.calls = new CallRules(timeline, this.history, differ);
  }

  differ(sentence: string): void {
    const seconds = ((this.#timeline.now - this.#beganAt) / 1_000).toFixed(3);
    this.differences.push(`after ${seconds} s: ${sentence}`);
  }

  /** The server sees a request begin. */
  begin(asked: Asked): void {
    if (isOfLoop(asked)) this.loops.begin(asked);
    else if (asked.tag !== null) this.calls.begin(asked, asked.tag);
  }

  /** The server does what a request asks. */
  apply({ tag }: Asked): void {
    if (tag !== null) this.calls.apply(tag);
  }

  end(asked: Asked): void {
    if (isOfLoop(asked)) this.loops.end(asked);
    else if (asked.tag !== null && asked.end === 'aborted') this.calls.cut(asked, asked.tag);
  }
}

/** Loops have the path that they ask for as their action. */
function isOfLoop({ action, path }: Asked): boolean {
  return action === path;
}
