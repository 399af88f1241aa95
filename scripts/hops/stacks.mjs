// Runs beside the measured thread: each time that thread calls `mark`, it reports the functions of ours that led there,
// across promises, microtasks and timers.

import { Session } from 'node:inspector/promises';
import { parentPort } from 'node:worker_threads';

// Before anything is awaited: without it nothing would keep this thread alive.
parentPort.on('message', () => process.exit());

const DEPTH = 200;
const scripts = new Map();
const session = new Session();
session.connectToMainThread();
session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
session.on('Debugger.paused', async ({ params }) => {
  parentPort.postMessage(framesOf(params), []);
  await session.post('Debugger.resume');
});
await session.post('Debugger.enable');
await session.post('Debugger.setAsyncCallStackDepth', { maxDepth: DEPTH });
await session.post('Debugger.setBreakpointByUrl', { urlRegex: '/hops/mark\\.mjs$', lineNumber: 2 });
parentPort.postMessage('ready', []);

function framesOf({ callFrames, asyncStackTrace }) {
  const frames = callFrames.map(({ functionName, location }) => nameOf(functionName, location));
  for (let stack = asyncStackTrace; stack; stack = stack.parent)
    frames.push(...stack.callFrames.map((frame) => nameOf(frame.functionName, frame)));
  return frames.filter((frame) => frame !== null);
}

function nameOf(functionName, { scriptId, lineNumber }) {
  const url = scripts.get(scriptId) ?? '';
  const path = /\/\.cache\/hops\/(?!node_modules)(.+)$/.exec(url)?.[1];
  return path ? `${path}:${lineNumber + 1} ${functionName || '(anonymous)'}` : null;
}
