import type { Request, RequestHandler, Response, CookieOptions } from 'express';
import { AppError, badRequest } from '../../messages/problems.ts';
import type { OpenSignups } from './open-signups.ts';
import { isSignupId, newSecret, signupIdOf, isSecret } from './signup-record.ts';
import type { Claim } from './signup-keys.ts';
import { acceptedType } from '../../core/http/accepted-type.ts';
import { browserHeaders } from '../../core/http/browser-headers.ts';
import { clientNetwork } from '../../core/settings/networks.ts';
import { exampleRequest } from '../../core/http/service-documents.ts';
import { requestContextOf } from '../../core/http/request-context.ts';
import { type OpenHandle, type Route, openRoute } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import { counted, type Limited } from '../../core/limits/limit-words.ts';
import type { Services } from '../../core/http/services.ts';
import { type SignupSettings, signupPage } from './signup-page.ts';

/** Per network and hour: an office behind one address has room, and a script fills no list of customers. */
const SIGNUPS_PER_HOUR = 10;
/** Of all networks, per hour: each is a session at the processor, and a record that is looked at each minute until it ends. */
const ALL_SIGNUPS_PER_HOUR = 300;
const CLAIMS_PER_HOUR = 600;

const beginSignups = (limit: number): string => `begin ${counted(limit, 'sign-up')}`;

const signupLimit: Limited = { name: 'signups', may: beginSignups, holder: 'network' };

const allSignupsLimit: Limited = { name: 'all-signups', may: beginSignups, holder: 'service' };

const claimLimit: Limited = {
  name: 'claims',
  may: (limit) => `ask for a new key ${counted(limit, 'time')}`,
  holder: 'network',
};

/** What its routes get, which are there only with sign-ups. */
interface SignupServices extends Services {
  readonly signup: OpenSignups;
  readonly writePage: ReturnType<typeof signupPage>;
}

/** Where browsers come back to from the payment processor. */
const DONE = '/signup/done';

/**
 * `/signup`: the page, the way to the payment processor's page, and back to the key. No answer may be kept by anybody, and no address has
 * a session or a secret in it.
 */
export function signupRoutes(parts: Services, signup: OpenSignups): readonly Route[] {
  const services: SignupServices = { ...parts, signup, writePage: signupPage(parts.config) };
  // The processor's pages may have a domain of the operator's own, and browsers hold the redirect that follows a form against this list.
  const headers = [browserHeaders({ formTargets: formTargets(signup) }), noStore];
  const own = [noStore, sameOriginOnly(signup.origin)];
  const posted = {
    method: 'post',
    changes: 'no: it has no key, and each step is decided by the record of the sign-up in the store',
  } as const;
  return [
    openRoute('/signup', headers, page(services)),
    { ...openRoute('/signup', [...headers, ...own], begin(services)), ...posted },
    openRoute(DONE, [...headers, notForSearch], page(services)),
    { ...openRoute('/signup/key', own, claim(services)), ...posted },
    { ...openRoute('/signup/shown', own, acknowledge(services)), ...posted },
  ];
}

/** The page to which a browser comes back is for that browser alone. */
const notForSearch: RequestHandler = (_req, res, next) => {
  res.set('X-Robots-Tag', 'noindex');
  next();
};

const noStore: RequestHandler = (_req, res, next) => {
  res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' });
  next();
};

/** In tests, the page of the processor's stand-in has no https. */
function formTargets({ isLive }: OpenSignups): readonly string[] {
  return isLive ? ['https:'] : ['https:', 'http:'];
}

function page(services: SignupServices): OpenHandle {
  return async ({ req, res }) => {
    const cookie = new SignupCookie(services.signup.origin());
    // Before the button, so that two presses of it are of one sign-up.
    if (req.path !== DONE) cookie.write(res, cookie.read(req) ?? newSecret());
    await sendPage(services, res, { status: 200, problem: null });
  };
}

function begin(services: SignupServices): OpenHandle {
  return async ({ req, res }) => {
    try {
      const url = await beginOf(services, req, res);
      res.redirect(303, url ?? DONE);
    } catch (cause) {
      const error = AppError.from(cause);
      const problem = PROBLEMS[error.code];
      if (!problem || acceptedType(req, ['json', 'html']) !== 'html') throw cause;
      requestContextOf(res).error = error;
      await sendPage(services, res.set(error.headers), { status: error.status, problem });
    }
  };
}

const PROBLEMS: Readonly<Partial<Record<string, NonNullable<SignupSettings['problem']>>>> = {
  RATE_LIMITED: 'limit',
  DB_ERROR: 'busy',
};

async function beginOf(
  { signup: { signups, origin }, quotas }: SignupServices,
  req: Request,
  res: Response,
): Promise<string | null> {
  const cookie = new SignupCookie(origin());
  const spent = [await quotas.of(signupLimit).spend(clientNetwork(req.ip), SIGNUPS_PER_HOUR)];
  const sent = cookie.read(req);
  if (sent === null)
    throw badRequest('open /signup first, in a browser that keeps the cookie of this page', { param: 'Cookie' });
  const secret = (await signups.isFinished(sent)) ? newSecret() : sent;
  cookie.write(res, secret);
  try {
    spent.push(await quotas.of(allSignupsLimit).spend('all', ALL_SIGNUPS_PER_HOUR));
    return await signups.begin(secret);
  } catch (cause) {
    for (const spending of spent) await spending.giveBack();
    throw cause;
  }
}

function claim({ signup: { signups, origin }, quotas }: SignupServices): OpenHandle {
  return async ({ req, res }) => {
    await quotas.of(claimLimit).spend(clientNetwork(req.ip), CLAIMS_PER_HOUR);
    const secret = new SignupCookie(origin()).read(req);
    sendJson(res, JSON.stringify(await claimOf(signups, secret, req.query['of'])));
  };
}

/** @param of the sign-up whose page brought the browser back. */
function claimOf(signups: OpenSignups['signups'], secret: string | null, of: unknown): Promise<Claim> {
  const own = secret === null ? null : signupIdOf(secret);
  if (typeof of === 'string' && isSignupId(of) && of !== own) return signups.filledElsewhere(of);
  return secret === null ? Promise.resolve({ state: 'unknown' }) : signups.claim(secret);
}

function acknowledge({ signup: { signups, origin }, quotas }: SignupServices): OpenHandle {
  return async ({ req, res }) => {
    await quotas.of(claimLimit).spend(clientNetwork(req.ip), CLAIMS_PER_HOUR);
    const secret = new SignupCookie(origin()).read(req);
    if (secret !== null) await signups.acknowledge(secret);
    res.status(204).end();
  };
}

async function sendPage(
  services: SignupServices,
  res: Response,
  { status, problem }: Pick<SignupSettings, 'problem'> & { readonly status: number },
): Promise<void> {
  const { config, writePage } = services;
  const { price, termsUrl, isLive } = services.signup;
  const html = writePage({
    price: await price.read(),
    request: exampleRequest(services),
    termsUrl,
    isLive,
    lookupsPerHour: config.rateLimitPerHour,
    problem,
  });
  res.status(status).type('html').send(html);
}

/**
 * Refuses requests that a page of another site makes a visitor's browser send. A browser says so in `Sec-Fetch-Site`; an older one names the
 * page in `Origin`, which is `null` for a form of a page that sends no referrer.
 */
function sameOriginOnly(origin: () => string): RequestHandler {
  return (req, _res, next) => {
    const site = req.get('sec-fetch-site');
    const from = req.get('origin');
    const isOwn = site === 'same-origin' && (from === undefined || from === 'null' || from === origin());
    if (!isOwn && !(site === undefined && from === origin()))
      throw new AppError('FORBIDDEN', 'this request must come from the sign-up page of this service', {
        log: { reason: 'OTHER_SITE' },
      });
    next();
  };
}

/** Longer than a session and the day in which its key can be claimed. */
const KEPT_MS = 48 * 3_600_000;

/**
 * The cookie that binds a sign-up to the browser that began it. By https it has the prefix with which a browser takes it from this very host alone;
 * without https, on the machine itself, browsers would refuse that.
 */
class SignupCookie {
  readonly #name: string;
  readonly #options: CookieOptions;

  constructor(origin: string) {
    const secure = origin.startsWith('https:');
    this.#name = secure ? '__Host-signup' : 'signup';
    // Lax, because the browser comes back from the payment processor's page.
    this.#options = { path: '/', httpOnly: true, sameSite: 'lax', secure };
  }

  /** Returns the secret that a browser sent; null for none, and for what is not one of ours. */
  read(req: Request): string | null {
    const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
    const found = pairs.find(([name]) => name === this.#name)?.[1];
    return isSecret(found) ? found : null;
  }

  write(res: Response, secret: string): void {
    res.cookie(this.#name, secret, { ...this.#options, maxAge: KEPT_MS });
  }
}
