import * as offstage from 'offstage';
import * as witness from './witness.ts';

declare global {
  interface Window {
    /** The library as users import it, for tests to use through `page.evaluate`. */
    offstage: typeof offstage;
    /** What tests use beside it to see what it does. */
    witness: typeof witness;
  }
}

window.offstage = offstage;
window.witness = witness;
