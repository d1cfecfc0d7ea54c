import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Sent {
  readonly status: number;
  readonly encoding: string | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly bytes: Buffer;
  /** The body, decompressed. */
  readonly text: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer as it is on the wire: `fetch` would decompress it, and sends an `Accept-Encoding` of its own. */
export function asSent(url: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const encoding = response.headers['content-encoding'];
        const bytes = Buffer.concat(chunks);
        const text = decompressed(bytes, encoding).toString();
        resolve({ status: response.statusCode!, encoding, headers: response.headers, bytes, text });
      });
    });
    asked.on('error', reject).end(body);
  });
}

function decompressed(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
}
