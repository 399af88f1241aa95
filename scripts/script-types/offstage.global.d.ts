import * as website from './main/website/index.js';

/** What the classic script leaves on the page: it has no exports. */
declare global {
  export import fw = website.fw;
  const offstage: typeof website;
}
