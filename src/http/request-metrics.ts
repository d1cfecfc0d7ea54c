import { Counter, Histogram, type Registry } from 'prom-client';
import { stages } from '../shared/contract/stages.ts';
import { requestContextOf } from './request-context.ts';
import { routeOf, statusOf, type NoteRequest } from './request-log.ts';

/** In seconds. A lookup takes about a millisecond; the default deadline is 2 s. */
const BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Requests of one series that the registry does not have yet. */
interface Uncounted {
  readonly labels: { readonly route: string; readonly status: number; readonly code: string };
  requests: number;
}

/**
 * Counts the requests of the app and those that are refused before it. The registry gets them when it is read: finding a series by its labels takes
 * longer than counting.
 */
export class RequestCounts {
  readonly #uncounted = new Map<string, Uncounted>();

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
export function measureRequests(registry: Registry, requests: RequestCounts): NoteRequest {
  const seconds = new Histogram({
    name: 'land_lookup_request_seconds',
    help: 'Time from the header of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const stageSeconds = new Histogram({
    name: 'land_lookup_stage_seconds',
    help: 'Time of one stage of a lookup; "queue" is the wait for a thread and the way there and back.',
    labelNames: ['stage'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // Looked up once: finding a series by its labels takes as long as counting in it.
  const series = stages.map((stage) => ({ member: `${stage}Ms` as const, seconds: stageSeconds.labels({ stage }) }));
  return (req, res, ms) => {
    const requestContext = requestContextOf(res);
    const route = routeOf(req) ?? 'none';
    const status = statusOf(res);
    requests.count(route, status, requestContext.error?.code ?? (status < 400 ? 'OK' : String(status)));
    seconds.observe({ route }, ms / 1000);
    for (const stage of series) {
      const stageMs = requestContext[stage.member];
      if (stageMs !== undefined) stage.seconds.observe(stageMs / 1000);
    }
  };
}
