import { ENCRYPT } from '../../shared/engine.ts';
import type { LoadFunctions } from '../../shared/engine.ts';
import { isToken } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import { HOST_CHOICES } from '../hosts/choose.ts';
import type { HostChoice } from '../hosts/choose.ts';
import { assertOptions } from '../resource/action.ts';
import {
  aFlag,
  aFunction,
  aListOf,
  aText,
  anObject,
  assertIs,
  assertRules,
  oneOf,
} from '../resource/option-checks.ts';
import type { Rules } from '../resource/option-checks.ts';
import type { ConnectionSettings } from '../resource/prepare.ts';
import type { CredentialsOptions, CredentialsProvider } from './credentials.ts';
import type { PendingWrites } from '../../shared/protocol.ts';
import { inDevelopment } from '../development.ts';

/** The options of `connect`. */
export interface ConnectOptions {
  /** URL of the worker's script (default `/service-worker.js`). */
  readonly serviceWorker?: string;
  /** The worker's scope (default: the folder of its script). */
  readonly scope?: string;
  /** How the worker's script is loaded (default `classic`, which fits the ready-made worker). */
  readonly type?: 'classic' | 'module';
  /**
   * Where the engine runs: in a `service-worker`, or in the `page` itself (or Node). With `auto` it runs in a service
   * worker if one is active within 3 s, else in the page until one answers (default `auto`).
   */
  readonly host?: HostChoice;
  /**
   * What sends the first calls of a page whose worker has yet to be installed: the `page` itself, or the `worker`, for
   * which they wait (default `page`). A worker's own `configureRequest` does not see what the page sends.
   */
  readonly firstVisit?: 'page' | 'worker';
  /** Origins that redirects may reach, besides the page's own and those of templates and base URLs (default none). */
  readonly origins?: readonly string[];
  /** As in fetch (default `same-origin`). */
  readonly credentials?: RequestCredentials;
  /** As in fetch (default `cors`). */
  readonly mode?: 'cors' | 'same-origin';
  /**
   * Names of headers that are never stored, and of requests never shown, in addition to Authorization, Cookie and
   * Proxy-Authorization.
   */
  readonly secretHeaders?: readonly string[];
  /**
   * Loads the functions that actions and windows name, where the engine runs in the page: `() =>
   * import('./functions.js')`. An app's own worker gets them by `install(self, { functions })`.
   */
  readonly functions?: LoadFunctions;
  /**
   * True: what is stored on the device is encrypted (default false). It takes effect with the next worker; what was
   * stored in the clear is deleted then.
   */
  readonly encrypt?: boolean;
  /** Milliseconds from a call to the last byte of its answer (default 30,000). */
  readonly timeout?: number;
  /** How often a safe or idempotent request is repeated on network failure, 408, 425, 429 and 5xx (default 0). */
  readonly retry?: number;
  readonly limits?: Limits;
}

/** Limits for the calls and loops of a connection. */
export interface Limits {
  /** Bytes of one answer, decompressed (default 64 MiB): the worker reads no more, and it fails with code `limit`. */
  readonly answerSize?: number;
}

/** The options with all defaults filled in. */
export interface ConnectionOptions extends ConnectionSettings {
  readonly script: string;
  readonly scope: string | null;
  readonly type: 'classic' | 'module';
  readonly host: HostChoice;
  readonly firstVisit: 'page' | 'worker';
  readonly encrypt: boolean;
}

function connectRules(): Rules<ConnectOptions> {
  return {
    serviceWorker: aText(),
    scope: aText(),
    type: oneOf('classic', 'module'),
    host: oneOf(...HOST_CHOICES),
    firstVisit: oneOf('page', 'worker'),
    origins: aListOf('strings', () => true),
    credentials: oneOf('omit', 'same-origin', 'include'),
    mode: oneOf('cors', 'same-origin'),
    secretHeaders: aListOf('HTTP tokens', isToken),
    functions: aFunction(),
    encrypt: aFlag(),
    timeout: null,
    retry: null,
    limits: anObject(),
  };
}

function limitRules(): Rules<Limits> {
  return { answerSize: null };
}

/** @throws TypeError or RangeError where an option is wrong. */
export function resolveOptions(options: ConnectOptions): ConnectionOptions {
  assertRules('connect', options, connectRules);
  const { timeout = LIMITS.timeout, retry = 0, secretHeaders = [], host = 'auto', limits = {} } = options;
  const { serviceWorker = '/service-worker.js', encrypt = false } = options;
  assertRules('limits', limits, limitRules);
  const { answerSize = LIMITS.answerSize } = limits;
  assertOptions('connect', { timeout, retry });
  if (!(answerSize > 0 && Number.isFinite(answerSize)))
    throw new RangeError(`answerSize of 'connect' must be a number of bytes above 0, got ${answerSize}`);
  return {
    script: encrypt ? `${serviceWorker}${serviceWorker.includes('?') ? '&' : '?'}${ENCRYPT}` : serviceWorker,
    scope: options.scope ?? null,
    type: options.type ?? 'classic',
    host,
    firstVisit: options.firstVisit ?? 'page',
    encrypt,
    origins: (options.origins ?? []).map(originOf),
    credentials: options.credentials ?? 'same-origin',
    mode: options.mode ?? 'cors',
    secretHeaders,
    timeout,
    retry,
    answerSize,
  };
}

/** @throws TypeError where that is no http(s) origin. */
export function originOf(origin: string): string {
  let cause: unknown;
  try {
    const { protocol, origin: normal, href } = new URL(origin);
    if (/^https?:$/.test(protocol) && href === `${normal}/`) return normal;
  } catch (error) {
    cause = error;
  }
  throw new TypeError(`'${origin}' in origins is no http(s) origin such as 'https://api.example.com'`, {
    cause,
  });
}

/**
 * The origins that a provider of credentials is for; the page's own without `origins`.
 * @throws TypeError where the provider is no function, or the connection does not let credentials go there.
 */
export function allowedOrigins(
  provider: CredentialsProvider,
  options: CredentialsOptions,
  settings: Pick<ConnectionSettings, 'origins' | 'credentials'>,
): readonly string[] {
  assertIs('A credentials provider', provider, aFunction());
  assertRules('credentials', options, () => ({ origins: aListOf('strings', () => true) }));
  if (settings.credentials === 'omit')
    throw new TypeError(
      "A connection with credentials: 'omit' sends none: leave that to the actions without",
    );
  const own = typeof document === 'undefined' ? null : new URL(document.baseURI).origin;
  const named = (options.origins ?? [own]).map((each) => originOf(each ?? ''));
  const foreign = named.find((each) => each !== own && !settings.origins.includes(each));
  if (foreign === undefined) return named;
  throw new TypeError(`Credentials for ${foreign}: name it in the option "origins" of connect(), too`);
}

/** Milliseconds after which a development build warns of calls that wait. */
const WARNED_AFTER = 5_000;

const WAITING =
  'Offstage: somebody was signed in here, so calls wait until this page says who is now: ' +
  'connection.signIn(name), or connection.signOut()';

/** The options of `signOut`. */
export interface SignOutOptions {
  /**
   * Has no effect yet, since no write waits to be sent later. Such writes will be kept until the same user signs in again
   * (`keep`, the default), or discarded.
   */
  readonly pendingWrites?: PendingWrites;
}

export function signOutRules(): Rules<SignOutOptions> {
  return { pendingWrites: oneOf('keep', 'discard') };
}

/** @throws TypeError where it is not a text, RangeError where it is too short or too long. */
export function assertIdentityName(name: unknown): void {
  if (typeof name !== 'string') throw new TypeError(`The name for signIn must be a text, got ${typeof name}`);
  const most = LIMITS.identityName;
  if (name.length < 1 || name.length > most)
    throw new RangeError(`The name for signIn must have 1 to ${most} characters, got ${name.length}`);
}

/** In development builds: after the first call, warns where the page still waits a while later. */
export function warnOnce(isWaiting: () => boolean): () => void {
  let hasBegun = false;
  const warn = (): void => {
    if (isWaiting()) console.warn(WAITING);
  };
  return () =>
    inDevelopment(() => {
      if (!hasBegun) setTimeout(warn, WARNED_AFTER);
      hasBegun = true;
    });
}
