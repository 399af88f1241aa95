import type { Failure } from '../../shared/failure.ts';
import { assertSettable, headerValue, withHeader, withoutHeader } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';

/** A request as the worker's own hook sees it, after all that the page has set. */
export interface WorkerRequest {
  readonly action: string;
  readonly method: string;
  /** Absolute and expanded. */
  readonly url: string;
  getRequestHeader(name: string): string | null;
  /** @throws TypeError where the name or the value cannot be sent. */
  setRequestHeader(name: string, value: string): void;
  removeRequestHeader(name: string): void;
}

/**
 * Looks at every request right before it is sent, and may change it. It may be asynchronous; its time counts towards
 * the `timeout` of the call.
 */
export type ConfigureWorkerRequest = (request: WorkerRequest) => void | Promise<void>;

export type Configured =
  | { readonly kind: 'configured'; readonly invocation: Invocation }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Runs the hook of an app's own worker; what it throws is a failure of the call. */
export async function configure(
  hook: ConfigureWorkerRequest,
  invocation: Invocation,
  url: string,
): Promise<Configured> {
  const { action, method } = invocation;
  let { headers } = invocation;
  try {
    await hook({
      action,
      method,
      url,
      getRequestHeader: (name) => headerValue(headers, name),
      setRequestHeader: (name, value) => {
        assertSettable(name, value);
        headers = withHeader(headers, name, value.trim());
      },
      removeRequestHeader: (name) => {
        // Without it, fetch asks for any type, and what is stored for the default of pages is no answer to that.
        const isAccept = name.toLowerCase() === 'accept';
        headers = isAccept ? withHeader(headers, name, '*/*') : withoutHeader(headers, name);
      },
    });
    return { kind: 'configured', invocation: { ...invocation, headers } };
  } catch (error) {
    const message = `The worker's configureRequest refused '${action}': ${String(error)}`;
    return { kind: 'refused', failure: { code: 'protocol', message } };
  }
}
