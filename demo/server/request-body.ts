import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/** Photos are drawn, not uploaded: a title and a description never need more. */
const LIMIT = 64 * 1024;

/** A body as it came. */
export interface Body {
  /** Its media type in lower case, without parameters. */
  readonly type: string;
  readonly text: string;
}

export async function readBody(request: IncomingMessage): Promise<Body> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return { type, text: await readText(request) };
}

export async function readFields(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  return fieldsOf(await readBody(request));
}

/** The fields of a form or a JSON object. */
export function fieldsOf({ type, text }: Body): Readonly<Record<string, unknown>> {
  switch (type) {
    case 'application/json':
      return parseObject(text);
    case 'application/x-www-form-urlencoded':
      return Object.fromEntries(new URLSearchParams(text));
    default:
      throw new Problem(415, 'Send application/json or application/x-www-form-urlencoded.', {
        headers: { Accept: 'application/json, application/x-www-form-urlencoded' },
      });
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not destroy the socket: the answer still has to go out on it.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LIMIT) {
      request.resume();
      throw new Problem(413, `A body may have ${LIMIT} bytes.`, { headers: { Connection: 'close' } });
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem(400, 'The body has to be a JSON object.');
  }
  return Object.fromEntries(Object.entries(value));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
}
