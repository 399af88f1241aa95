import * as offstage from 'offstage';

declare global {
  interface Window {
    /** The library as users import it, for tests to use through `page.evaluate`. */
    offstage: typeof offstage;
  }
}

window.offstage = offstage;
