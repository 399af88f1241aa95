/** A browser that is ended again and again in the midst of its work, and whose profile outlives it. */
export interface MortalBrowser {
  /** The folder of what outlives it. */
  readonly profile: string;
  /** Starts it where it does not run. */
  open(url: string): Promise<MortalTab>;
  /** Ends the service worker; false where none ran. */
  stopWorker(): Promise<boolean>;
  /** Kills the processes of pages and workers: all tabs are gone. */
  crash(): Promise<void>;
  /** Kills all of its processes. */
  kill(): Promise<void>;
  /** Cuts pages and workers off from every server, or lets them back. */
  setOffline(isOffline: boolean): Promise<void>;
  /** Lets it live for so long as one that nobody drives, whose workers die of idleness. Tabs have to be closed before. */
  leaveAlone(milliseconds: number): Promise<void>;
  /** The end of it and of its profile. */
  end(): Promise<void>;
}

export interface MortalTab {
  reload(): Promise<void>;
  close(): Promise<void>;
  /** Runs a function in the page, with a value that JSON can say; so is what it resolves to. */
  evaluate: Evaluate;
}

interface Evaluate {
  <Value>(script: () => Value | Promise<Value>): Promise<Value>;
  <Value, Given>(script: (given: Given) => Value | Promise<Value>, given: Given): Promise<Value>;
}

/** The text of an expression that calls the function. */
export function scriptOf(script: (given: never) => unknown, given: unknown): string {
  return `(${String(script)})(${JSON.stringify(given)})`;
}

/** A process may have ended meanwhile. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has.
  }
}
