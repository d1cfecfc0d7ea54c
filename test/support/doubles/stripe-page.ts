/** The payment processor's hosted page, as a browser sees it: an address for mail, a card and a button. */
import type { StripeCheckout } from './stripe-checkout.ts';

export interface PageReply {
  readonly status: number;
  readonly html?: string;
  readonly location?: string;
}

/** A card that the processor's documentation gives for a payment that is declined. */
const DECLINED = '4000000000000002';

/** Null: the path is not that of the page. */
export function hostedPage(
  checkout: StripeCheckout,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: URLSearchParams },
): PageReply | null {
  const id = /^\/c\/pay\/(\w+)$/.exec(path)?.[1];
  if (id === undefined) return null;
  const session = checkout.sessions.get(id);
  if (session?.status !== 'open')
    return { status: 200, html: document('<h1>This checkout session has expired or is complete</h1>') };
  if (method !== 'POST') return { status: 200, html: document(form('')) };
  const card = (body.get('cardNumber') ?? '').replaceAll(' ', '');
  if (card === DECLINED || card.length !== 16) return { status: 200, html: document(form('Your card was declined.')) };
  const location = checkout.complete(id, body.get('email') ?? '');
  return location === null ? { status: 400, html: document('<h1>Not possible</h1>') } : { status: 303, location };
}

function form(problem: string): string {
  return `<h1>Subscribe</h1><p role="alert">${problem}</p><form method="post">
    <label>Email <input id="email" name="email" type="email" required></label>
    <label>Card number <input id="cardNumber" name="cardNumber" inputmode="numeric" required></label>
    <button type="submit" id="pay">Subscribe</button></form>`;
}

function document(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Checkout</title><link rel="icon" href="data:,"></head><body><main>${body}</main></body></html>`;
}
