/** Many malformed requests over sockets that are kept, and what is wrong with the answers. */
import { readFileSync } from 'node:fs';
import { problems } from '../../../src/messages/problems.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { sampleAddresses } from '../../tools/draw-examples.ts';
import { malformedRequest } from '../material/malformed-requests.ts';
import { RawClient, type RawAnswer } from './raw-http.ts';
import { issueKeys, ownSampleFolder } from '../material/served-sample.ts';
import { ServiceProcess } from './service-process.ts';

export interface MalformedOptions {
  readonly requests: number;
  readonly clients: number;
  readonly seed: number;
  readonly onProgress?: (sent: number, rssMb: number) => void;
}

export interface MalformedReport {
  /**
   * Answers by status and code; "none" when the server closed without one: a caller that ends its side of the connection before its answer
   * is there has gone, for Node.
   */
  readonly answers: Readonly<Record<string, number>>;
  /** What must not be; nothing is right. */
  readonly faults: readonly string[];
  /** Resident memory of the server, measured a hundred times, evenly. */
  readonly rssMb: readonly number[];
  readonly requestsPerS: number;
}

const MEASUREMENTS = 100;

/** What a request that is not refused may get: an answer, a preflight's answer, "as you have it". */
const GOOD: readonly number[] = [200, 202, 204, 304];

export async function malformedLoad({
  requests,
  clients,
  seed,
  onProgress,
}: MalformedOptions): Promise<MalformedReport> {
  using folder = ownSampleFolder();
  const [key, other] = await issueKeys({ dataDir: folder.path }, { count: 2, limitPerHour: 1_000_000_000 });
  const env = { TRUST_PROXY_HOPS: '1' };
  await using service = await ServiceProcess.start(folder.path, env);
  const addresses = sampleAddresses();
  const answers: Record<string, number> = {};
  const faults: string[] = [];
  const rssMb: number[] = [];
  let sent = 0;
  const client = async (number: number): Promise<void> => {
    const random = seededRandom(seed + number);
    using raw = new RawClient(service.url);
    while (sent < requests) {
      if (sent++ % Math.ceil(requests / MEASUREMENTS) === 0) {
        rssMb.push(rssMbOf(service.pid));
        onProgress?.(sent, rssMb.at(-1)!);
      }
      const request = malformedRequest(random, key!, addresses);
      const got = await raw.send(request);
      const found = got.map((answer) => faultOf(answer, request.method === 'HEAD')).find((fault) => fault !== null);
      if (found !== undefined)
        faults.push(`${found}: ${JSON.stringify(request.bytes.toString('latin1').slice(0, 1000))}`);
      for (const label of got.length === 0 ? ['none'] : got.map(labelOf)) answers[label] = (answers[label] ?? 0) + 1;
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  const requestsPerS = Math.round((sent * 1000) / (performance.now() - start));
  // By another key: of the first one no body may be read for a moment, after what it has sent.
  if ((await service.lookup(other!, { address: addresses[0] })).status !== 200)
    faults.push('it does not answer any more');
  return { answers, faults, rssMb, requestsPerS };
}

/** Only what the table of problems has; none of it a failure of ours. */
function faultOf({ status, headers, body }: RawAnswer, isHead: boolean): string | null {
  if (GOOD.includes(status)) return null;
  if (status < 400 || status >= 500) return `status ${status}`;
  if (isRpcFailure(headers, body)) return null;
  if (headers.get('content-type') !== 'application/problem+json') return `${status} is no problem document`;
  if (isHead) return null;
  const problem = JSON.parse(body) as { code: string; status: number };
  const known = Object.entries(problems).find(([code]) => code === problem.code)?.[1];
  return known?.status === status && problem.status === status ? null : `${status} with ${problem.code}`;
}

/** A failure of the Model Context Protocol. Its body is in chunks. */
function isRpcFailure(headers: RawAnswer['headers'], body: string): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true && body.includes('"jsonrpc":"2.0"');
}

function labelOf({ status, body }: RawAnswer): string {
  const code = /"code":"([A-Z_]+)"/.exec(status < 400 ? '' : body)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

function rssMbOf(pid: number): number {
  const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
}
