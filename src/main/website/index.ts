import { fw } from '../fw/index.ts';
import { connect } from '../index.ts';

export * from '../index.ts';
export * from '../list/index.ts';
export { fw };

/** A page without a bundler needs only this: `<script src="offstage.global.js" data-worker="/service-worker.js">`. */
const script = document.currentScript;
if (!(script instanceof HTMLScriptElement)) {
  throw new Error(
    'offstage.global.js is no module: load it by <script src="offstage.global.js" data-worker="/service-worker.js">',
  );
}
const { worker, encrypt } = script.dataset;
connect({ ...(worker !== undefined && { serviceWorker: worker }), encrypt: encrypt !== undefined });
Object.assign(globalThis, { fw });
