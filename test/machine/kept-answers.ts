/** Questions about the sample that are asked again and again while a machine is upgraded and goes back, and what was answered to each. */
import { join } from 'node:path';
import fc from 'fast-check';
import { projectDir } from '../../src/project/project.ts';
import { registerRows, writtenAddress } from '../real/register.ts';
import { LoadClient } from '../stress/parts/load-client.ts';

export interface AskedService {
  readonly url: string;
  /** Certificate to trust. */
  readonly ca: string;
  readonly key: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** With one seed, so that each run asks the same. */
const SEED = 20_261_126;
/** Some two kilometres: a town of the sample, and the land around it. */
const AROUND_DEG = 0.02;
/** Fewer than a proxy lets one address have, and than a key may have under way. */
const MAX_CONNECTIONS = 8;

export class KeptAnswers {
  readonly #service: AskedService;
  readonly #requests: readonly Buffer[];
  readonly #kept = new Map<string, readonly Answer[]>();

  /** @param count of questions: the addresses of the sample first, then points around them. */
  constructor(service: AskedService, count: number) {
    this.#service = service;
    this.#requests = questions(service.key, count);
  }

  /** Asks all questions. Returns a line of what came, and what is other than under this name; the first time it keeps the answers under the name. */
  async compare(name: string): Promise<string> {
    const answers = await this.#ask();
    const first = this.#kept.get(name);
    if (!first) this.#kept.set(name, answers);
    const lost = answers.filter(({ status }) => status !== 200).length;
    const others = answers.flatMap((answer, i) => {
      const members = first ? otherMembers(first[i]!, answer) : [];
      return members.length === 0 ? [] : [members];
    });
    const members = [...new Set(others.flat())].sort();
    return [
      `${answers.length} questions, ${lost} not answered`,
      first ? [others.length, 'other than', name, ...members].join(' ') : `kept as ${name}`,
    ].join(', ');
  }

  async #ask(): Promise<readonly Answer[]> {
    const { url, ca } = this.#service;
    using client = new LoadClient(url, { ca, maxConnections: MAX_CONNECTIONS });
    const replies = await Promise.all(this.#requests.map((request) => client.ask(request)));
    return replies.map(({ status, body }) => ({ status, body }));
  }
}

function questions(key: string, count: number): readonly Buffer[] {
  const rows = registerRows(join(projectDir, 'layers', 'sample', 'addresses'));
  const addresses = [...new Set(rows.map(writtenAddress))].slice(0, Math.floor(count / 2));
  const away = fc.double({ min: -AROUND_DEG, max: AROUND_DEG, noNaN: true });
  const points = fc.sample(
    fc
      .tuple(fc.constantFrom(...rows), away, away)
      .map(([{ lat, lon }, north, east]) => ({ lat: lat + north, lon: lon + east })),
    { seed: SEED, numRuns: count - addresses.length },
  );
  return [
    ...addresses.map((address) => LoadClient.lookup(key, address)),
    ...points.map((point) => LoadClient.post('/api/lookup/point', key, point)),
  ];
}

/** The members of an answer, such as `layers.wetland`, that are other than before; the status counts as one. Equal bytes have none. */
function otherMembers(before: Answer, now: Answer): readonly string[] {
  if (before.status !== now.status) return ['status'];
  if (before.body === now.body) return [];
  const [old, young] = [before, now].map(({ body }) => leaves(body));
  const names = new Set([...old!.keys(), ...young!.keys()]);
  const others = [...names].filter((name) => old!.get(name) !== young!.get(name));
  return others.length > 0 ? others : ['order'];
}

function leaves(body: string): ReadonlyMap<string, string> {
  const flat = (value: unknown, path: string): readonly (readonly [string, string])[] =>
    typeof value === 'object' && value !== null && path.split('.').length < 3
      ? Object.entries(value).flatMap(([name, one]) => flat(one, path === '' ? name : `${path}.${name}`))
      : [[path, JSON.stringify(value)]];
  return new Map(flat(JSON.parse(body), ''));
}
