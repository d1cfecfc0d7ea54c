/** What the tests of the page share: services on the sample, one browser, and how a person uses them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSHandle, Page } from 'playwright-core';
import type { ExamplesBody } from '../../../src/features/examples/wire.ts';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import { chosenFeatures } from '../../support/drivers/chosen-features.ts';
import {
  hasBrowser,
  refuseWebGl,
  sharedBrowser,
  visit,
  type Visit,
  type VisitOptions,
} from '../../support/drivers/browser.ts';
import { closeContexts } from '../../support/drivers/kept-contexts.ts';
import { oncePerProcess } from '../../support/drivers/process-end.ts';
import {
  startSampleService,
  type SampleService,
  type SampleServiceOptions,
} from '../../support/drivers/sample-service.ts';
import { untilPriced } from '../../support/drivers/signup.ts';
import { StripeServer } from '../../support/doubles/stripe-server.ts';

export const COUNTRY = '1209 Concession 4, Fiddlehead Corners, ON';
export const NORTH = '14 rue Principale, Petit-Échantillon, ON';

/** False where the service that is tested has no map. */
export const HAS_MAP = chosenFeatures.includes('maps');

/** For a visit whose map is looked at: it costs three times as much as one that has the first picture alone. */
export const WITH_MAP = { hasWebGl: true } as const;

/** For a visit whose map is looked at as people have it. */
export const WITH_FINE_MAP = { hasWebGl: true, deviceScaleFactor: 1 } as const;

/** For a visit whose pixels are counted: lines and numbers can be told from their ground with a quarter of them. */
export const WITH_CLEAR_MAP = { hasWebGl: true, deviceScaleFactor: 0.5 } as const;

/** Enough for all other visits, and a sixteenth of the pixels. */
const COARSE = 0.25;

/** For a visit that nothing is drawn for. */
export const WITHOUT_MAP = { hasWebGl: false, deviceScaleFactor: COARSE, isStill: true } as const;

/** The accessibility checker, to be evaluated in a page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serves the suites that ask for nothing special, each with a key of its own. */
export const plainService = oncePerProcess(startSampleService, async (service) => service[Symbol.asyncDispose]());

async function plainServiceWithKey(): Promise<SampleService> {
  const service = await plainService();
  const key = await service.issueKey(1_000_000);
  return { ...service, key, [Symbol.asyncDispose]: () => Promise.resolve() };
}

interface PageTools {
  /** Opens the page and waits until it can be used. It is closed at the end of the suite, if not before. */
  readonly open: (options?: Partial<VisitOptions>) => Promise<Visit>;
  readonly service: () => SampleService;
}

/**
 * Gives a suite a browser and a service: the one that suites share, or with `options` one of its own, until its end. Without a browser the suite is
 * skipped. Visits draw no map unless they say `WITH_MAP`, or their suite does.
 */
export function withPage(
  suite: Mocha.Suite,
  options?: SampleServiceOptions | (() => Promise<SampleServiceOptions>),
  { browser = sharedBrowser, hasWebGl = false, deviceScaleFactor = COARSE } = {},
): PageTools {
  let service: SampleService;
  const visits: Visit[] = [];
  suite.beforeAll(async function () {
    if (!hasBrowser()) {
      console.log('skipped: no Chromium');
      this.skip();
    }
    if (options === undefined) service = await plainServiceWithKey();
    else service = await startSampleService(typeof options === 'function' ? await options() : options);
    if (!service.leftOut.includes('examples')) await examplesMade(service.url);
  });
  suite.afterAll(async () => {
    if (!hasBrowser()) return;
    if (options !== undefined) await closeContexts(await browser(), service.url);
    await Promise.all(visits.map((one) => one[Symbol.asyncDispose]()));
    await service[Symbol.asyncDispose]();
  });
  return {
    service: () => service,
    open: async (options = {}) => {
      const drawn = { hasWebGl, deviceScaleFactor, isStill: true };
      const opened = await visit(await browser(), { url: service.url, ...drawn, ...options });
      visits.push(opened);
      if ((options.path ?? '/') === '/') await opened.page.waitForSelector('html[data-ready]');
      return opened;
    },
  };
}

/** The page has examples some moments after the start. */
async function examplesMade(url: string): Promise<void> {
  for (;;) {
    const { examples } = (await (await fetch(`${url}/api/examples`)).json()) as ExamplesBody;
    if (examples.length > 0) return;
    await sleep(20);
  }
}

interface SignupPageTools extends PageTools {
  readonly processor: () => StripeServer;
}

/** Does as `withPage`, with sign-ups over the payment processor's stand-in, for the page at `path`. */
export function withSignups(
  suite: Mocha.Suite,
  path: string,
  env: Readonly<Record<string, string>> = {},
): SignupPageTools {
  let processor: StripeServer;
  const withProcessor = async (): Promise<SampleServiceOptions> => {
    processor = await StripeServer.start();
    return { env: { ...processor.signupEnv, ...env } };
  };
  const { service, open } = withPage(suite, withProcessor);
  suite.beforeAll(async () => {
    if (hasBrowser()) await untilPriced(service().url);
  });
  suite.afterAll(async () => {
    if (hasBrowser()) await processor[Symbol.asyncDispose]();
  });
  return {
    service,
    processor: () => processor,
    open: async (options = {}) => {
      const opened = await open({ path, ...options });
      await opened.page.waitForSelector('html[data-ready]');
      return opened;
    },
  };
}

/** Types an address and a key, presses Enter, and waits for what should come. */
export async function search(
  page: Page,
  address: string,
  key: string,
  outcome = '#result:not([hidden]):not(.old)',
): Promise<void> {
  await page.fill('#address', address);
  // Folded once it was accepted.
  if (await page.isVisible('#key')) await page.fill('#key', key);
  await page.press('#address', 'Enter');
  await page.waitForSelector(outcome);
}

/** From its next load on, a page has the first picture of its map alone. */
export const drawNoMap = (page: Page): Promise<unknown> => page.addInitScript(refuseWebGl);

/** Waits until the map is drawn, where there is one. */
export async function mapDrawn(page: Page): Promise<void> {
  if (HAS_MAP) await page.waitForSelector('#map[data-ready]');
}

/** Does something that draws the map anew, and waits until it is drawn: on a page that has a map, that costs a quarter of a new one. */
export async function drawAgain(page: Page, act: () => Promise<unknown>): Promise<void> {
  if (await page.locator('#map canvas').isVisible()) await mapDrawn(page);
  await page.evaluate(() => {
    document.querySelector('#map')?.removeAttribute('data-ready');
  });
  await act();
  await mapDrawn(page);
}

/** Opens what is folded. */
export const openFolds = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>('.fold')) fold.open = true;
  });

/** Time between two looks at the map. */
const LOOK_MS = 250;

/** Does something that changes the map's picture, and waits until the picture has changed and rests, where there is a map. */
export async function changeMap(page: Page, act: () => Promise<unknown>): Promise<void> {
  if (!HAS_MAP) {
    await act();
    return;
  }
  await mapDrawn(page);
  const look = (): Promise<string> =>
    page.evaluate(() => (document.querySelector('#map canvas') as HTMLCanvasElement).toDataURL());
  const before = await look();
  await act();
  for (let last = before, now = before; now === before || now !== last;) {
    await page.waitForTimeout(LOOK_MS);
    [last, now] = [now, await look()];
  }
}

/** From here on, the paths of the lookups that the page sends. */
export function lookupsOf(page: Page): readonly string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/lookup')) paths.push(pathname);
  });
  return paths;
}

/** Opens a page whose program does not come before `arrive` is called: a slow network brings it seconds after the form. */
export async function openLate(
  url: string,
  program: string,
  options: Partial<VisitOptions> = {},
): Promise<Visit & { readonly arrive: () => Promise<void>; readonly asked: readonly string[] }> {
  const opened = await visit(await sharedBrowser(), {
    url,
    ...WITHOUT_MAP,
    ...options,
    path: '/healthz',
  });
  const { page } = opened;
  let release = (): void => undefined;
  const arrival = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**/${program}`, async (route) => {
    await arrival;
    await route.continue();
  });
  const asked = lookupsOf(page);
  await page.goto(url + (options.path ?? '/'), { waitUntil: 'commit' });
  // What keeps what is typed stands behind the fields: before it has run, Enter would load the page anew.
  await page.waitForFunction(() => document.readyState !== 'loading');
  return {
    ...opened,
    asked,
    arrive: async () => {
      release();
      await page.waitForSelector('html[data-ready]');
    },
  };
}

/** What the accessibility checker finds in a page as it stands: in the light, and of contrasts in the dark. */
export async function violationsOf(page: Page): Promise<string[]> {
  await transitionsOver(page);
  // Half a megabyte: once for each page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`${AXE}; undefined`);
  return [...(await violationsIn(page, null, {})), ...(await contrastsInTheDark(page))];
}

/** Texts that had contrast in the dark, by what decides it: most of them are on each page. */
const readInTheDark = new Set<string>();

async function contrastsInTheDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await transitionsOver(page);
  const found = await page.evaluateHandle(textsOf);
  const texts = await found.evaluate((all) => all.map(({ look }) => look));
  const unread = texts.map((look) => look === null || !readInTheDark.has(look));
  const include = await found.evaluateHandle(
    (all, isUnread) => all.flatMap(({ element }, i) => (isUnread[i] ? [element] : [])),
    unread,
  );
  const dark = unread.includes(true) ? await violationsIn(page, include, { runOnly: ['color-contrast'] }) : [];
  await page.emulateMedia({ colorScheme: null });
  if (dark.length === 0) for (const look of texts) if (look !== null) readInTheDark.add(look);
  return dark.map((one) => `in the dark: ${one}`);
}

interface TextOfPage {
  readonly element: Element;
  /** What decides its contrast: its letters, and the ground of its parents. Null: it may lie on something else. */
  readonly look: string | null;
}

/** Runs in the page: elements that have a text, one of each look. */
function textsOf(): readonly TextOfPage[] {
  interface Ground {
    readonly look: string | null;
    /** True where it is mixed with what is beneath, with all that stands on it. */
    readonly isVeiled: boolean;
  }
  const grounds = new Map<Element | null, Ground>([[null, { look: '', isVeiled: false }]]);
  const groundOf = (element: Element | null): Ground => {
    const known = grounds.get(element);
    if (known || element === null) return known!;
    const style = getComputedStyle(element);
    const below = groundOf(element.parentElement);
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode, textShadow, margin, inset } = style;
    const isVeiled = below.isVeiled || [opacity, filter, mixBlendMode].join() !== '1,none,normal';
    const isMoved =
      /absolute|fixed/.test(style.position) ||
      [style.float, style.transform, style.translate].join() !== 'none,none,none' ||
      /-\d/.test(`${margin} ${inset}`);
    const own = [backgroundColor, backgroundImage, textShadow].join();
    const seen = own === 'rgba(0, 0, 0, 0),none,none' ? below.look : `${below.look}/${own}`;
    // What is beneath an opaque ground is not seen.
    const look = backgroundColor.startsWith('rgb(') ? own : isMoved || below.look === null ? null : seen;
    const ground = { look: isVeiled ? null : look, isVeiled };
    grounds.set(element, ground);
    return ground;
  };
  const texts = [...document.body.querySelectorAll('*')].filter(
    (element) =>
      element.checkVisibility() &&
      (element.matches('input, select, textarea') ||
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== '')),
  );
  const found = new Map<string, TextOfPage>();
  for (const element of texts) {
    const ground = groundOf(element).look;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = ground === null ? null : [ground, color, fontSize, fontWeight].join();
    found.set(look ?? `a text by itself: ${found.size}`, { element, look });
  }
  return [...found.values()];
}

/** The ground of every page where the browser prefers the dark. */
export const DARK = 'rgb(20, 25, 28)';

export const backgroundOf = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** Waits until a change of colours has been noticed, and is over. */
function transitionsOver(page: Page): Promise<unknown> {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await Promise.allSettled(
      document.getAnimations().flatMap((one) => (one instanceof CSSTransition ? [one.finished] : [])),
    );
  });
}

/** `include`: elements in the page, each with what is in it; null: all. */
function violationsIn(page: Page, include: JSHandle<Element[]> | null, options: object): Promise<string[]> {
  return page.evaluate(
    async ([elements, more]) => {
      interface Axe {
        readonly run: (
          context: Document | { readonly include: readonly Element[] },
          options: object,
        ) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      }
      if (elements?.length === 0) return [];
      // How to find what has no fault in a page is computed for nobody.
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(
        elements ? { include: elements } : document,
        { resultTypes: ['violations'], selectors: false, ...more },
      );
      return violations.map(({ id, nodes }) => {
        const found = nodes.map((node) => node.html).join(' ');
        return `${id}: ${found.slice(0, 300)}`;
      });
    },
    [include, options] as const,
  );
}

/** What the API answers to the page's own request. */
export async function answerOf({ url, key }: SampleService, address: string): Promise<FullLookupBody> {
  const response = await fetch(`${url}/api/lookup?detail=full${HAS_MAP ? '&geometry=near' : ''}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ address }),
  });
  return (await response.json()) as FullLookupBody;
}

/** Presses the button of the other language, and waits for its texts: they come from the server. */
export async function switchLanguage(page: Page): Promise<void> {
  const before = await page.getAttribute('html', 'lang');
  await page.click('#language');
  await page.waitForSelector(`html:not([lang="${before}"])`);
}
