import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';

/** In seconds. A lookup takes about a millisecond; the default deadline is 2 s. */
export const BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

export interface TimeHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly registry: Registry;
}

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

  constructor({ label, registry, ...described }: TimeHistogramOptions) {
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
