import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A socket that nobody must connect to. It notes who does, and closes the connection. */
export class ListeningSocket implements AsyncDisposable {
  /** First line of what each connection sent; empty when it sent nothing. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#note(socket);
    });
  }

  static async listen(): Promise<ListeningSocket> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ListeningSocket(server);
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #note(socket: Socket): void {
    const at = this.asked.push('') - 1;
    socket.once('data', (bytes) => {
      this.asked[at] = bytes.toString('latin1').split('\r\n')[0]!;
      socket.destroy();
    });
    socket.on('error', () => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}
