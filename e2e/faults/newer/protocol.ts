import { PROTOCOL as SHIPPED } from '../../../src/shared/protocol.ts';

export * from '../../../src/shared/protocol.ts';

/** That of a release to come, which still speaks the present one. */
export const PROTOCOL: number = SHIPPED + 1;
