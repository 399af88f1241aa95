import { LIMITS } from '../../shared/limits.ts';

/** Why no URL was made: thrown in this module only; `locate` makes a failure of it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: 'blocked-url' | 'url-too-long';

  constructor(code: 'blocked-url' | 'url-too-long', reason: string) {
    super(reason);
    this.code = code;
  }
}

export function tooLong(what: string): Refusal {
  return new Refusal(
    'url-too-long',
    `${what} the URL is longer than ${LIMITS.urlLength} characters; send long values in the body.`,
  );
}

/** Text for a message, which must not carry megabytes across threads. */
export function quote(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}
