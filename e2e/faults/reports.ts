import { sendJson } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import { until } from './until.ts';

/** What a page that nobody drives posts to `/report`. */
export class Reports<T> {
  readonly all: T[] = [];

  constructor(server: FixtureServer) {
    server.on('POST /report', (exchange) => {
      const report: T = JSON.parse(exchange.body.toString());
      this.all.push(report);
      sendJson(exchange, {});
    });
  }

  /** Resolves once there are so many. */
  async count(wanted: number, patience: number): Promise<void> {
    await until(`${wanted} reports of a page`, () => this.all.length >= wanted, patience);
  }
}
