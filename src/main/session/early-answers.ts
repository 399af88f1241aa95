import type { EarlyAnswer } from '../../shared/early.ts';
import { askedOf } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { PageIdentity } from './identity.ts';

export interface EarlyAnswersPorts {
  readonly identity: Pick<PageIdentity, 'era'>;
  /** Tells the engine. Resolves with true once it need not be told again. */
  readonly adopt: (answers: readonly EarlyAnswer[]) => Promise<boolean>;
}

/** Keeps the answers to a page's early requests until an engine says that it has them; the next gets them if it dies first. */
export class EarlyAnswers {
  readonly #ports: EarlyAnswersPorts;
  /** The era of the page's identity in which these were asked for. */
  readonly #era: number;
  readonly #kept = new Set<EarlyAnswer>();
  #bytes = 0;
  /** True once an engine has answered. */
  #isWanted = false;

  constructor(ports: EarlyAnswersPorts) {
    this.#ports = ports;
    this.#era = ports.identity.era;
  }

  add(early: EarlyAnswer | null): void {
    if (!early || !this.#isOfPresent) return;
    if (early.kind === 'read') {
      // The page knows a newer one, even where that is not kept.
      const asked = askedOf(early.invocation);
      for (const each of this.#kept)
        if (each.kind === 'read' && askedOf(each.invocation) === asked) this.#drop(each);
      const bytes = this.#bytes + sizeOf(early);
      if (this.#kept.size >= LIMITS.earlyAnswers || bytes > LIMITS.earlyBytes) return;
      this.#bytes = bytes;
    }
    this.#kept.add(early);
    if (this.#isWanted) void this.#tell([early]);
  }

  /** An engine has answered. */
  handOn(): void {
    this.#isWanted = true;
    // These were asked for while nobody was signed in, and somebody is now: they must not reach that user.
    if (!this.#isOfPresent) this.#kept.clear();
    const all = [...this.#kept];
    for (let first = 0; first < all.length; first += LIMITS.earlyAnswers)
      void this.#tell(all.slice(first, first + LIMITS.earlyAnswers));
  }

  async #tell(answers: readonly EarlyAnswer[]): Promise<void> {
    if (!(await this.#ports.adopt(answers))) return;
    for (const each of answers) this.#drop(each);
  }

  #drop(early: EarlyAnswer): void {
    if (this.#kept.delete(early)) this.#bytes -= sizeOf(early);
  }

  get #isOfPresent(): boolean {
    return this.#ports.identity.era === this.#era;
  }
}

function sizeOf(early: EarlyAnswer): number {
  return early.kind === 'read' ? early.bytes.byteLength : 0;
}
