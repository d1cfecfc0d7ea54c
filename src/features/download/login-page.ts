import type { Answer } from '../../core/outbound/client.ts';
import { Refused } from '../../core/outbound/failures.ts';

/** Bytes of an answer in which a page shows that it is one to log in. */
export const LOGIN_BYTES = 64 * 1024;

/** A field for a password, or what pages to log in are called in English and French, and by the providers of accounts. */
const login =
  /<input[^>]+type\s*=\s*["']?password|<title>[^<]*\b(log ?[io]n|log ?in|sign ?[io]n|sign ?in|connexion|se connecter|authentification)\b|<form[^>]+action\s*=\s*["'][^"']*(login|signin|oauth|saml)/i;
const loginUrl = /\b(login|log-in|signin|sign-in|oauth2?|saml2?|sso|idp|adfs|authorize|authenticate|generateToken)\b/i;

/**
 * Checks that an answer is no page to log in: waiting does not change it.
 * @throws Refused
 */
export function checkLogin({ url, status }: Pick<Answer, 'url' | 'status'>, start: string): void {
  if (!/^\s*</.test(start)) return;
  if (status === 401 || status === 403) throw new Refused(`the server answered ${status}`, status);
  if (login.test(start) || loginUrl.test(new URL(url).pathname))
    throw new Refused('the answer is a page to log in: the server does not give this to everybody', 401);
}
