import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

/** A line to a server that can be cut: a browser that says it is offline may send all the same as it starts. */
export class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(port: number) {
    this.#server = createServer((caller) => {
      if (this.#isCut) {
        caller.destroy();
        return;
      }
      const server = connect(port, '127.0.0.1');
      caller.pipe(server).pipe(caller);
      this.#tie(caller, server);
      this.#tie(server, caller);
    });
  }

  #tie(socket: Socket, other: Socket): void {
    this.#sockets.add(socket);
    // Its close follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      other.destroy();
    });
  }

  static async to(url: string): Promise<Line> {
    const line = new Line(Number(new URL(url).port));
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : ''}/`;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  end(): void {
    this.cut();
    this.#server.close();
  }
}
