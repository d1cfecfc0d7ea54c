/**
 * Contexts of a browser that visits use in turn: a process of the browser for a new context, and to compile a page's programs anew, cost more than most
 * visits do. A visit has a context to itself, in a tab of its own, and leaves no cookie, nothing stored and no listener behind; what stays is the cache.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

export interface ContextOptions {
  /** The origin that the context is for. */
  readonly url: string;
  readonly settings: BrowserContextOptions;
  /** Runs in each page of the context, before its own scripts. */
  readonly initially: readonly (() => void)[];
}

export interface LentContext {
  readonly context: BrowserContext;
  /** Gives it to the next visit; once. */
  readonly giveBack: () => Promise<void>;
}

interface Made {
  readonly context: BrowserContext;
  readonly name: string;
  readonly url: string;
  /** A tab of the origin that keeps the process between visits: made after the first. */
  keeper: Page | null;
  isLent: boolean;
  isClosed: boolean;
}

const madeIn = new WeakMap<Browser, Made[]>();

/** Gives a context that no visit uses, or a new one. */
export async function lendContext(browser: Browser, options: ContextOptions): Promise<LentContext> {
  const name = JSON.stringify({ ...options, initially: options.initially.map(String) });
  const all = madeIn.get(browser) ?? [];
  madeIn.set(browser, all);
  const idle = all.find((one) => one.name === name && !one.isLent);
  if (idle) idle.isLent = true;
  const made = idle ?? {
    ...{ context: await newContext(browser, options), name, url: options.url },
    ...{ keeper: null, isLent: true, isClosed: false },
  };
  if (!idle) all.push(made);
  let isBack = false;
  return {
    context: made.context,
    giveBack: async () => {
      // Once given back, it may be somebody else's.
      if (isBack || made.isClosed) return;
      isBack = true;
      made.keeper ??= await openKeeper(made.context, made.url);
      await leaveNothing(made.context, made.keeper);
      made.isLent = false;
    },
  };
}

/** Closes what was made for an origin that ends, also what is lent. */
export async function closeContexts(browser: Browser, url: string): Promise<void> {
  const all = madeIn.get(browser) ?? [];
  const theirs = all.filter((one) => one.url === url);
  madeIn.set(
    browser,
    all.filter((one) => one.url !== url),
  );
  for (const one of theirs) {
    one.isClosed = true;
    await one.context.close();
  }
}

/** Makes a context that is nobody else's before or after. */
export async function newContext(
  browser: Browser,
  { url, settings, initially }: ContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(settings);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  for (const script of initially) await context.addInitScript(script);
  return context;
}

async function openKeeper(context: BrowserContext, url: string): Promise<Page> {
  await context.setOffline(false);
  const keeper = await context.newPage();
  // An empty page of the origin, without a request to the service.
  await keeper.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await keeper.goto(url);
  return keeper;
}

async function leaveNothing(context: BrowserContext, keeper: Page): Promise<void> {
  context.removeAllListeners('request');
  await Promise.all(context.pages().flatMap((page) => (page === keeper ? [] : [page.close()])));
  await context.setOffline(false);
  await context.unrouteAll();
  await context.clearCookies();
  await keeper.evaluate(() => {
    localStorage.clear();
  });
}
