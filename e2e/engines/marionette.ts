import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { within } from './patience.ts';

const COMMAND_LIMIT = 30_000;

/**
 * A client of Marionette, the remote protocol in every Firefox: WebDriver's commands over a socket, each message with
 * its length before it. It needs neither geckodriver nor a WebSocket.
 */
export class Marionette {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #received: Buffer = Buffer.alloc(0);
  #count = 0;
  /** One command at a time: they all concern the window that was switched to. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => this.#receive(bytes));
    // The commands that are never answered for it have their own limit.
    socket.on('error', () => undefined);
  }

  static async to(port: number): Promise<Marionette> {
    const socket = connect(port, '127.0.0.1');
    await within(COMMAND_LIMIT, 'The connection to Marionette', once(socket, 'connect'));
    return new Marionette(socket);
  }

  /** Sends commands that belong together, with none of another caller between; resolves to the last one's value. */
  send(...commands: readonly (readonly [name: string, parameters?: object])[]): Promise<unknown> {
    const run = async (): Promise<unknown> => {
      let value: unknown;
      for (const [name, parameters] of commands) value = await this.#command(name, parameters ?? {});
      return value;
    };
    const result = this.#turn.then(run);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #command(name: string, parameters: object): Promise<unknown> {
    const id = (this.#count += 1);
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    const message = JSON.stringify([0, id, name, parameters]);
    this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    const [, , error, value] = await within(COMMAND_LIMIT, name, answered);
    if (error !== null) throw new Error(`${name}: ${JSON.stringify(error)}`);
    return value;
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let message = this.#take(); message !== null; message = this.#take()) {
      const answer: unknown = JSON.parse(message);
      // The first message is a greeting, no answer.
      if (isAnswer(answer)) this.#waiting.get(answer[1])?.(answer);
    }
  }

  #take(): string | null {
    const colon = this.#received.indexOf(':');
    if (colon < 0) return null;
    const end = colon + 1 + Number(this.#received.toString('utf8', 0, colon));
    if (this.#received.length < end) return null;
    const message = this.#received.toString('utf8', colon + 1, end);
    this.#received = this.#received.subarray(end);
    return message;
  }
}

type Answer = readonly [type: 1, id: number, error: unknown, value: unknown];

function isAnswer(message: unknown): message is Answer {
  return Array.isArray(message) && message[0] === 1 && message.length === 4;
}
