import { type Registry, type MetricObjectWithValues, type MetricValueWithName, Counter, Histogram } from 'prom-client';
import { stages } from '../../messages/lookup.ts';
import type { EndedRequest } from './request-context.ts';

/**
 * Counts the requests of the app and those that are refused before it. The registry gets them when it is read: finding a series by its labels takes
 * longer than counting.
 */
export class RequestCounts {
  readonly #uncounted = new Map<
    string,
    {
      readonly labels: { readonly route: string; readonly status: number; readonly code: string };
      requests: number;
    }
  >();

  constructor(registry: Registry) {
    const uncounted = this.#uncounted;
    new Counter({
      name: 'land_lookup_requests_total',
      help: 'Requests that ended, by route, status and problem code (OK when there is none).',
      labelNames: ['route', 'status', 'code'],
      registers: [registry],
      collect() {
        for (const { labels, requests } of uncounted.values()) this.inc(labels, requests);
        uncounted.clear();
      },
    });
  }

  count(route: string, status: number, code: string): void {
    const series = `${route} ${status} ${code}`;
    const known = this.#uncounted.get(series);
    if (known) known.requests++;
    else this.#uncounted.set(series, { labels: { route, status, code }, requests: 1 });
  }
}

/** Counts and times every request of the app, by route pattern and code. */
export function measureRequests(registry: Registry, requests: RequestCounts): (ended: EndedRequest) => void {
  const times = new TimeHistogram({
    name: 'land_lookup_request_seconds',
    help: 'Time from the header of a request to the end of its answer.',
    label: 'route',
    registry,
  });
  const stageTimes = new TimeHistogram({
    name: 'land_lookup_stage_seconds',
    help: 'Time of one stage of a lookup; "queue" is the wait for a thread and the way there and back.',
    label: 'stage',
    registry,
  });
  const members = stages.map((stage) => [stage, `${stage}Ms`] as const);
  return ({ context, route, status, ms }) => {
    const pattern = route ?? 'none';
    requests.count(pattern, status, context.error?.code ?? (status < 400 ? 'OK' : String(status)));
    times.add(pattern, ms);
    for (const [stage, member] of members) {
      const stageMs = context[member];
      if (stageMs !== undefined) stageTimes.add(stage, stageMs);
    }
  };
}

/** In seconds. A lookup takes about a millisecond; the default deadline is 2 s. */
export const BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Times of one value of the label. */
interface Series {
  /** For each bucket, those that it has and the one before has not. */
  readonly counts: number[];
  count: number;
  sumS: number;
}

type Exported = MetricObjectWithValues<MetricValueWithName<string>>;

/**
 * A histogram with one label that counts by itself: prom-client's finds its series by a text of all labels for each value, and a lookup has seven
 * values. What the registry reads is the same.
 */
export class TimeHistogram extends Histogram {
  readonly #label: string;
  readonly #series = new Map<string, Series>();
  /** Has no values, and says all else that is exported. */
  readonly #empty: Histogram;

  constructor({ label, registry, ...described }: { name: string; help: string; label: string; registry: Registry }) {
    const options = { ...described, labelNames: [label], buckets: BUCKETS };
    super({ ...options, registers: [registry] });
    this.#empty = new Histogram({ ...options, registers: [] });
    this.#label = label;
  }

  /** Counts a time of the series whose label has this value. */
  add(value: string, ms: number): void {
    let series = this.#series.get(value);
    if (!series) this.#series.set(value, (series = { counts: BUCKETS.map(() => 0), count: 0, sumS: 0 }));
    const s = ms / 1000;
    series.count++;
    series.sumS += s;
    let bucket = 0;
    while (bucket < BUCKETS.length && s > BUCKETS[bucket]!) bucket++;
    if (bucket < BUCKETS.length) series.counts[bucket]!++;
  }

  override async get(): Promise<Exported> {
    const exported = await this.#empty.get();
    const values = [...this.#series].flatMap(([value, series]) =>
      valuesOf(series, exported.name, { [this.#label]: value }),
    );
    return { ...exported, values };
  }

  /** What the registry asks for where a metric has it. */
  getForPromString(): Promise<Exported> {
    return this.get();
  }
}

function valuesOf({ counts, count, sumS }: Series, name: string, labels: Record<string, string>): Exported['values'] {
  let atMost = 0;
  const buckets: [le: number | string, value: number][] = counts.map((more, i) => [BUCKETS[i]!, (atMost += more)]);
  buckets.push(['+Inf', count]);
  return [
    ...buckets.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { le, ...labels }, value })),
    { metricName: `${name}_sum`, labels, value: sumS },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
