import type * as script from 'offstage/offstage.global.js';
import type * as worker from 'offstage/service-worker.js';

type HasExports<Module> = [keyof Module] extends [never] ? false : true;

export const scriptHasExports: HasExports<typeof script> = false;
export const workerHasExports: HasExports<typeof worker> = false;

/** What the classic script leaves on the page. */
export const connection: ReturnType<typeof offstage.connect> = offstage.connect();
export const photo: fw.io.rest.Resource = new fw.io.rest.Resource({});
