import { checkStatus, contentRange, readBody, send, type Answer } from '../../core/outbound/client.ts';
import { NotThere, type PlacePath, type SnapshotPlace } from './place.ts';

/** The admin port of a service (`http://host:18081/snapshots`), or a web server that serves a folder that `snapshot push` filled. */
export class UrlPlace implements SnapshotPlace {
  readonly name: string;
  readonly #idleMs: number;

  /**
   * @param idleMs longest silence of the server.
   * @throws Error when it is no URL, or has a password: a snapshot is public data, and URLs stand in logs.
   */
  constructor(url: string, { idleMs }: { idleMs: number }) {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (!parsed || parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
      throw new Error('the address of the snapshots must be http(s)://host/folder, without user, password and query');
    // The admin port itself is enough.
    this.name = parsed.pathname === '/' ? `${parsed.origin}/snapshots` : parsed.href.replace(/\/+$/, '');
    this.#idleMs = idleMs;
  }

  async readText(path: PlacePath, mostBytes: number): Promise<string> {
    const answer = await this.#get(path, {});
    return (await readBody(answer, mostBytes)).toString('utf8');
  }

  async *readPart(path: PlacePath, from: number, to: number): AsyncGenerator<Uint8Array> {
    const answer = await this.#get(path, { range: `bytes=${from}-${to - 1}` });
    if (answer.status !== 206 || contentRange(answer.headers)?.from !== from) {
      await answer.cancel();
      throw new Error('the server does not give parts of files (Range), which a pull needs');
    }
    yield* answer.body;
  }

  [Symbol.dispose](): void {
    // Connections are of the one client.
  }

  async #get(path: PlacePath, headers: Readonly<Record<string, string>>): Promise<Answer> {
    // Ranges count the bytes that are sent, so the server must not compress them.
    const encoding = { 'accept-encoding': 'identity' };
    const answer = await send({
      url: `${this.name}/${path}`,
      idleMs: this.#idleMs,
      headers: { ...encoding, ...headers },
      redirect: 'manual',
    });
    if (answer.status < 300) return answer;
    await answer.cancel();
    if (answer.status < 400) throw redirected(answer);
    if (answer.status === 404 || answer.status === 410) throw new NotThere(`there is no ${path}`);
    checkStatus(answer);
    return answer;
  }
}

/** Followed, it could lead to any host, also one of the operator's own network. */
function redirected({ status, headers }: Answer): Error {
  const to = headers.get('location') ?? 'nowhere';
  return new Error(`the server answered ${status}, a redirect to ${to}: give that address if you trust it`);
}
