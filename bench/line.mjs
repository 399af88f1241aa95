// A line to the server that is as slow as wanted: all answers of a browser share it, as they share a phone's.

import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';

/** Milliseconds of the line that one part of an answer takes: no timer counts finer. */
const PART = 4;

/** @typedef {object} Speed
 * @property {number} latency Milliseconds there and back.
 * @property {number} rate Bytes a millisecond.
 */

export class Line {
  #speed;
  /** When the line has sent all that it was given, by `performance.now()`. */
  #freeAt = 0;

  /** @param {Speed} speed */
  constructor(speed) {
    this.#speed = speed;
  }

  /**
   * Answers over the line. A connection that has just been opened has cost one way there and back more.
   *
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {number} status
   * @param {object} headers
   * @param {string | Buffer} body
   */
  async send(request, response, status, headers, body = '') {
    const isNew = !('seen' in request.socket);
    Object.assign(request.socket, { seen: true });
    await sleep(this.#speed.latency * (isNew ? 2 : 1));
    const sent = compressed(request, headers['Content-Type'], Buffer.from(body));
    const encoding = sent.length < body.length ? { 'Content-Encoding': 'br' } : {};
    response.writeHead(status, { ...headers, ...encoding, 'Content-Length': sent.length });
    const part = this.#speed.rate * PART;
    for (let from = 0; from < sent.length; from += part) {
      const some = sent.subarray(from, from + part);
      const now = performance.now();
      this.#freeAt = Math.max(now, this.#freeAt) + some.length / this.#speed.rate;
      await sleep(this.#freeAt - now);
      response.write(some);
    }
    response.end();
  }
}

/** By URL and length. @type {Map<string, Buffer>} */
const known = new Map();

/**
 * Scripts are compressed once, as well as can be; data as servers compress what they make.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {string} type
 * @param {Buffer} body
 */
function compressed({ url = '', headers }, type, body) {
  if (!headers['accept-encoding']?.includes('br') || body.length < 200) return body;
  const key = `${url} ${body.length}`;
  const quality = type === 'application/json' ? 4 : constants.BROTLI_MAX_QUALITY;
  const made =
    known.get(key) ?? brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  known.set(key, made);
  return made;
}
