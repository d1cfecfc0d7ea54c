import type { CookieOptions, Request, Response } from 'express';
import { isSecret } from './secret.ts';

/** Longer than a session and the day in which its key can be claimed. */
const KEPT_MS = 48 * 3_600_000;

/**
 * The cookie that binds a sign-up to the browser that began it. By https it has the prefix with which a browser takes it from this very host alone;
 * without https, on the machine itself, browsers would refuse that.
 */
export class SignupCookie {
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
