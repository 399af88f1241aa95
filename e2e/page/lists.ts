import * as lists from 'offstage/list';

declare global {
  interface Window {
    /** `offstage/list` as users import it, on pages that a test has added it to. */
    lists: typeof lists;
  }
}

window.lists = lists;
