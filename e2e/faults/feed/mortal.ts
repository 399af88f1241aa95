/** A browser that is ended again and again in the midst of its work, and whose profile outlives it. */
export interface MortalBrowser {
  /** Starts it where it does not run. */
  open(url: string): Promise<MortalTab>;
  /** Ends the service worker; false where none ran. */
  stopWorker(): Promise<boolean>;
  /** Kills the processes of pages and workers: all tabs are gone. */
  crash(): Promise<void>;
  /** Kills all of its processes. */
  kill(): Promise<void>;
  /** The end of it and of its profile. */
  end(): Promise<void>;
}

export interface MortalTab {
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A process may have ended meanwhile. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has.
  }
}
