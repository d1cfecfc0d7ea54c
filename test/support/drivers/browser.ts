/** A real Chromium, the distribution's build that has no windows: those cost more than its pages. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { lendContext, newContext, type ContextOptions } from './kept-contexts.ts';
import { oncePerProcess } from './process-end.ts';

const EXECUTABLE = '/usr/bin/chromium-headless-shell';

/** Offline, and drawing WebGL in software, but not the page too: that would take twice the time of the processor. */
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-unsafe-swiftshader',
];

/** A page of a test ends before code that the JavaScript engine has optimised repays the time of optimising. What measures times does without this. */
const UNOPTIMISED = '--js-flags=--no-opt,--no-maglev';

/** For what measures nothing: one process for the tabs of a context, and none that waits for a page which may come. */
export const FRUGAL = [UNOPTIMISED, '--renderer-process-limit=1', '--disable-site-isolation-trials'] as const;

/** Longer than anything takes on a slow machine: whoever waits in vain has found a fault. */
const MOST_WAIT_MS = 600_000;

/** Of a canvas that is drawn in software: no fault of the page. */
const DRIVER_WARNING = 'GPU stall due to ReadPixels';

export const hasBrowser = (): boolean => existsSync(EXECUTABLE);

export const openBrowser = (flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, args: [...FLAGS, ...flags] });

/** The browser that the tests of this process share; each visit has a context to itself. */
export const sharedBrowser = oncePerProcess(
  () => openBrowser(FRUGAL),
  (browser) => browser.close(),
);

/** As people have it: for tests that measure times, and for pages that compute for seconds. */
export const quickBrowser = oncePerProcess(openBrowser, (browser) => browser.close());

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Console errors, uncaught exceptions, CSP reports, failed requests, and requests to other hosts. */
  readonly complaints: readonly string[];
}

export interface VisitOptions {
  readonly url: string;
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  readonly hasTouch?: boolean;
  /** False for a browser that draws no WebGL, so that the map is its first picture: drawn in software, the map costs more than the rest of a visit. */
  readonly hasWebGl?: boolean;
  /** Pixels of the screen for each of the page's, to a side. Layout is the same with any number; what is drawn in software costs as its square. */
  readonly deviceScaleFactor?: number;
  /** For somebody who wants no movement: the map is at once where a key or a button takes it, and is drawn once in place of twenty times. */
  readonly isStill?: boolean;
  /** True for a browser that has never been here: nothing of the page is in its cache. */
  readonly isNew?: boolean;
  /** Statuses that the visit is there to provoke; the browser logs them as errors. */
  readonly expectedStatus?: number;
}

/** Opens a page in a context that it has to itself and notes whatever goes wrong there. */
export async function visit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const wanted = contextFor(options);
  const lent = options.isNew ? null : await lendContext(browser, wanted);
  const context = lent?.context ?? (await newContext(browser, wanted));
  context.setDefaultTimeout(MOST_WAIT_MS);
  const page = await context.newPage();
  const complaints = watch(context, page, options);
  await page.goto(options.url + (options.path ?? '/'));
  return { page, complaints, [Symbol.asyncDispose]: () => (lent ? lent.giveBack() : context.close()) };
}

function contextFor(options: VisitOptions): ContextOptions {
  const { url, width = 1280, height = 900, locale = 'en-CA', hasTouch = false, hasWebGl = true } = options;
  const { deviceScaleFactor = 1, isStill = false } = options;
  const reducedMotion = isStill ? 'reduce' : 'no-preference';
  const settings = { viewport: { width, height }, locale, hasTouch, deviceScaleFactor, reducedMotion } as const;
  return { url, settings, initially: hasWebGl ? [] : [refuseWebGl] };
}

/** Runs in the page, before its own scripts. */
export function refuseWebGl(): void {
  const canvas = (globalThis as unknown as { HTMLCanvasElement: { prototype: CanvasOfPage } }).HTMLCanvasElement
    .prototype;
  const getContext = Reflect.get(canvas, 'getContext');
  canvas.getContext = function (kind, ...options) {
    return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...options);
  };
}

interface CanvasOfPage {
  getContext: (this: CanvasOfPage, kind: string, ...options: unknown[]) => unknown;
}

function watch(context: BrowserContext, page: Page, { url, expectedStatus }: VisitOptions): readonly string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (message.text().includes(DRIVER_WARNING)) return;
    if (expectedStatus !== undefined && message.text().includes(`status of ${expectedStatus}`)) return;
    complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  context.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url()) && !request.url().startsWith(url))
      complaints.push(`outside: ${request.url()}`);
  });
  return complaints;
}
