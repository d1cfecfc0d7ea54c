/** Clients that send a body, each in the way of its library, and what they read of the answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { openSocket, readToEnd } from './client-socket.ts';
import { temporaryFolder } from './folder.ts';

export interface Upload {
  readonly url: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The certificate to trust. */
  readonly ca?: string;
}

export interface UploadAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends the body and reads the answer. @throws Error when there is no whole answer. */
export type UploadClient = (upload: Upload) => Promise<UploadAnswer>;

/** Reads while it sends, and leaves when the answer is there. */
const undici: UploadClient = async ({ url, method = 'POST', headers, body, ca }) => {
  await using agent = disposable(new Agent({ connect: { ca } }));
  const answer = await request(url, { method: method as 'POST', headers, body, dispatcher: agent.agent });
  return { status: answer.statusCode, body: await answer.body.text() };
};

function disposable(agent: Agent): AsyncDisposable & { readonly agent: Agent } {
  return { agent, [Symbol.asyncDispose]: () => agent.destroy() };
}

/** As most programs use it: sends the header, and the body after 100 or a second when the body is large. */
const curl: UploadClient = (upload) =>
  withFile(upload, ({ url, method = 'POST', headers }, file, caFile) => {
    const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const given = ['-sS', '--cacert', caFile, '-X', method, '--data-binary', `@${file}`, '-w', '\n%{http_code}', url];
    return run('curl', [...given, ...lines]);
  });

/** Sends everything before it reads; `http.client` keeps the connection, `urllib` says `Connection: close`. */
const HTTP_CLIENT = `
import http.client, json, ssl, sys, urllib.parse
url, method, headers, file, ca = json.loads(sys.argv[1])
parts = urllib.parse.urlsplit(url)
if parts.scheme == 'https':
    connection = http.client.HTTPSConnection(parts.netloc, context=ssl.create_default_context(cafile=ca))
else:
    connection = http.client.HTTPConnection(parts.netloc)
connection.request(method, parts.path, open(file, 'rb').read(), headers)
answer = connection.getresponse()
print(answer.read().decode() + '\\n' + str(answer.status))
`;

const URLLIB = `
import json, ssl, sys, urllib.error, urllib.request
url, method, headers, file, ca = json.loads(sys.argv[1])
context = ssl.create_default_context(cafile=ca) if url.startswith('https') else None
request = urllib.request.Request(url, open(file, 'rb').read(), headers, method=method)
try:
    answer = urllib.request.urlopen(request, context=context)
except urllib.error.HTTPError as error:
    answer = error
print(answer.read().decode() + '\\n' + str(answer.status))
`;

function python(program: string): UploadClient {
  return (upload) =>
    withFile(upload, ({ url, method = 'POST', headers }, file, caFile) =>
      run('python3', ['-c', program, JSON.stringify([url, method, headers, file, caFile])]),
    );
}

/** Sends the whole body before it reads a byte, as `HttpURLConnection` of Java does, and closes the connection after the answer. */
const wholeFirst: UploadClient = async ({ url, method = 'POST', headers, body, ca }) => {
  const { host, pathname, search } = new URL(url);
  const socket = await openSocket(url, ca === undefined ? {} : { ca });
  socket.pause();
  const lines = Object.entries({ Host: host, Connection: 'close', ...headers, 'Content-Length': String(body.length) });
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${fields}\r\n`);
  await new Promise((resolve, reject) => {
    socket.write(body, (error) => {
      if (error) reject(error);
      else resolve(null);
    });
  });
  const received = readToEnd(socket);
  socket.resume();
  const answer = await received;
  const [head = ''] = answer.split('\r\n\r\n', 1);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const bytes = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? (status === 204 ? 0 : NaN));
  const text = answer.slice(head.length + 4);
  if (text.length !== bytes) throw new Error(`no whole answer: ${JSON.stringify(answer.slice(0, 2000))}`);
  return { status, body: Buffer.from(text, 'latin1').toString() };
};

export const uploadClients: Readonly<Record<string, UploadClient>> = {
  curl,
  undici,
  'http.client of Python': python(HTTP_CLIENT),
  'urllib of Python': python(URLLIB),
  'a client that sends everything first': wholeFirst,
};

/** Puts the body and the certificate into files for a program. */
async function withFile(
  upload: Upload,
  use: (upload: Upload, file: string, caFile: string) => Promise<UploadAnswer>,
): Promise<UploadAnswer> {
  using folder = temporaryFolder();
  const [file, caFile] = [join(folder.path, 'body'), join(folder.path, 'ca.pem')];
  writeFileSync(file, upload.body);
  writeFileSync(caFile, upload.ca ?? '');
  return await use(upload, file, caFile);
}

/** Runs a program that prints a body, and the status in a line of its own. */
async function run(program: string, args: readonly string[]): Promise<UploadAnswer> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const [, body = '', status = ''] = /^([^]*)\n(\d{3})\n?$/.exec(printed) ?? [];
  if (child.exitCode !== 0) throw new Error(`${program}: ${complaints.trim().split('\n').at(-1) ?? ''}`);
  return { body, status: Number(status) };
}
