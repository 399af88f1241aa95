import * as offstage from 'offstage';
import * as calls from './calls.ts';
import * as loops from './loops.ts';
import * as witness from './witness.ts';

declare global {
  interface Window {
    /** The library as users import it, for tests to use through `page.evaluate`. */
    offstage: typeof offstage;
    /** What tests use beside it to see what it does. */
    witness: typeof witness;
    /** What the fault bench has a page do. */
    calls: typeof calls;
    loops: typeof loops;
  }
}

window.offstage = offstage;
window.witness = witness;
window.calls = calls;
window.loops = loops;
