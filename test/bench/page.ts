// Measure the page with Lighthouse as on a slow phone: the median of five visits
/** `make bench NAME=page` prints what Lighthouse finds on the page: the median of five visits with a slow phone, and the weight. */
import lighthouse from 'lighthouse';
import { openBrowser } from '../support/drivers/browser.ts';
import { startSampleService } from '../support/drivers/sample-service.ts';
import { freePort } from '../support/drivers/free-port.ts';

const VISITS = 5;
const MOST_FAILURES = 3;

/** What the median must be. */
const LEAST = { performance: 0.95, accessibility: 1, 'best-practices': 1, seo: 1 } as const;
type Category = keyof typeof LEAST;
const categories = Object.keys(LEAST) as Category[];

/** Figures of a visit that explain the scores. */
const audits = {
  'first-contentful-paint': 'first paint, ms',
  'largest-contentful-paint': 'largest paint, ms',
  'total-blocking-time': 'blocked, ms',
  'cumulative-layout-shift': 'shift',
  'total-byte-weight': 'bytes',
} as const;

interface Visit {
  readonly scores: Readonly<Record<Category, number>>;
  readonly figures: readonly number[];
}

async function measure(url: string, port: number): Promise<Visit> {
  const result = await lighthouse(url, { port, output: 'json', logLevel: 'error', onlyCategories: categories });
  if (!result) throw new Error('Lighthouse gave no result');
  const { lhr } = result;
  if (lhr.runtimeError) throw new Error(`Lighthouse failed: ${lhr.runtimeError.message}`);
  const scores = categories.map((name) => [name, lhr.categories[name]?.score ?? 0]);
  for (const { id, title, score } of Object.values(lhr.audits)) {
    if (score !== null && score < 0.9) console.log(`  ${id}: ${score} ${title}`);
  }
  return {
    scores: Object.fromEntries(scores) as Record<Category, number>,
    figures: Object.keys(audits).map((name) => lhr.audits[name]?.numericValue ?? NaN),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function benchPage(): Promise<void> {
  await using service = await startSampleService();
  const port = await freePort();
  const browser = await openBrowser([`--remote-debugging-port=${port}`]);
  const visits: Visit[] = [];
  for (let failures = 0; visits.length < VISITS;) {
    try {
      visits.push(await measure(service.url, port));
    } catch (cause) {
      // A busy machine may not paint in time.
      if (failures++ === MOST_FAILURES) throw cause;
      console.log(`  ${String(cause)}`);
    }
  }
  await browser.close();
  const names = Object.values(audits);
  console.log(`| ${[...categories, ...names].join(' | ')} |`);
  for (const { scores, figures } of visits) {
    console.log(
      `| ${[...categories.map((name) => scores[name]), ...figures.map((value) => Number(value.toFixed(3)))].join(' | ')} |`,
    );
  }
  const medians = categories.map((name) => [name, median(visits.map(({ scores }) => scores[name]))] as const);
  console.log(`median of ${VISITS}: ${medians.map(([name, score]) => `${name} ${score}`).join(', ')}`);
  if (medians.some(([name, score]) => score < LEAST[name])) process.exitCode = 1;
}

await benchPage();
