import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { within } from './patience.ts';

/** Milliseconds that a program has to end by itself. */
const POLITENESS = 3_000;

/** A program that was started here, with all that it starts: a process group of its own. */
export class Program {
  readonly #child: ChildProcess;
  readonly #endWithThis = (): void => this.#signal('SIGKILL');
  #output = '';
  #ended = false;

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.#child.on('error', (error) => {
      this.#ended = true;
      this.#output += error.message;
    });
    this.#child.on('exit', () => (this.#ended = true));
    process.once('exit', this.#endWithThis);
  }

  /** What it printed so far. */
  get output(): string {
    return this.#output;
  }

  /** Of the program and of its group. */
  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Politely first, so that it takes its files along. */
  async end(): Promise<void> {
    const gone: Promise<unknown> = this.#ended ? Promise.resolve() : once(this.#child, 'exit');
    this.#signal('SIGTERM');
    await within(POLITENESS, 'The end of a program', gone).catch(() => undefined);
    await this.kill();
  }

  /** At once, with all that it started. */
  async kill(): Promise<void> {
    const gone: Promise<unknown> = this.#ended ? Promise.resolve() : once(this.#child, 'exit');
    this.#signal('SIGKILL');
    await gone;
    process.off('exit', this.#endWithThis);
  }

  /** To the whole group: what it started may outlive it. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Nothing of it is left.
    }
  }
}
