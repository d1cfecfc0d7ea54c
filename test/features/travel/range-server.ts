import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with a request; numbers are statuses. `cut`: the connection ends in the middle; `stall`: it stays open and brings nothing more. */
export type RangeFault = 'none' | 'cut' | 'stall' | 'whole file' | 'replaced' | 'no range said' | 'other part' | number;

/** Serves one file in parts, on a port of its own. */
export class RangeServer implements AsyncDisposable {
  /** Parts that were asked for, from first to last byte. */
  readonly parts: [from: number, to: number][] = [];
  fault: (request: number) => RangeFault = () => 'none';
  file: Buffer;
  readonly #server: Server;
  #requests = 0;

  private constructor(file: Buffer) {
    this.file = file;
    this.#server = createServer((req, res) => {
      this.#answer(req, res, this.fault(++this.#requests));
    });
  }

  static async start(file: Buffer): Promise<RangeServer> {
    const server = new RangeServer(file);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/202606.zip`;
  }

  get requests(): number {
    return this.#requests;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(req: IncomingMessage, res: ServerResponse, fault: RangeFault): void {
    const size = this.file.length;
    if (typeof fault === 'number') return void res.writeHead(fault).end('no');
    if (fault === 'whole file') return void res.writeHead(200, { 'content-length': size }).end(this.file);
    const [from, to] = rangeOf(req.headers.range ?? '', size);
    this.parts.push([from, to]);
    const part = this.file.subarray(from, to + 1);
    const said = fault === 'other part' ? from + 1 : from;
    res.writeHead(206, {
      'content-length': part.length,
      etag: fault === 'replaced' ? '"2"' : '"1"',
      ...(fault === 'no range said' ? {} : { 'content-range': `bytes ${said}-${to}/${size}` }),
    });
    if (fault !== 'cut' && fault !== 'stall') return void res.end(part);
    res.write(part.subarray(0, part.length / 2), () => {
      if (fault === 'cut') req.socket.destroy();
    });
  }
}

function rangeOf(header: string, size: number): [from: number, to: number] {
  const last = /^bytes=-(\d+)$/.exec(header);
  if (last) return [Math.max(0, size - Number(last[1])), size - 1];
  const both = /^bytes=(\d+)-(\d+)$/.exec(header);
  if (!both) throw new Error(`not a range: ${header}`);
  return [Number(both[1]), Math.min(size - 1, Number(both[2]))];
}
