import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { perform } from './run.ts';
import type { Run, Task } from './run.ts';

/** Runs tasks side by side, one a core at a time, in threads that start `program`. `tell` hears of each as it ends. */
export async function runAll(
  tasks: readonly Task[],
  program: URL,
  tell: (run: Run) => void,
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  const waiting = tasks.entries();
  const work = async (): Promise<void> => {
    const worker = new Worker(program);
    try {
      for (const [index, task] of waiting) {
        const run = await ask(worker, task);
        runs[index] = run;
        tell(run);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return runs;
}

/** In such a thread: performs what it is told to. */
export function obey(): void {
  parentPort?.on('message', (task: Task) => parentPort?.postMessage(perform(task), []));
}

async function ask(worker: Worker, task: Task): Promise<Run> {
  worker.postMessage(task, []);
  const [run]: Run[] = await once(worker, 'message');
  if (!run) throw new Error('A thread answered with nothing');
  return run;
}
