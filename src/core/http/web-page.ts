/** What the pages of `web/` have in common. */
import type { RequestHandler } from 'express';
import { fileGroups } from './file-groups.ts';

/** An address whose answer anybody may see. */
interface PageExample {
  readonly outcome: 'hazard' | 'restriction' | 'close' | 'unknown' | 'clear';
  readonly address: string;
}

/** Such an answer, told in a few lines. */
export interface BriefAnswer extends PageExample {
  readonly lines: Readonly<Record<'en' | 'fr', readonly string[]>>;
}

/** What features say of themselves on the page. */
export interface PageFacts {
  /** In the snapshot in service. */
  readonly examples: readonly PageExample[];
  /** One of them, for a page on which nobody has asked yet. Null: there is none. */
  readonly brief: BriefAnswer | null;
  /** True when visitors can sign up for a key and open its account. */
  readonly signup: boolean;
  /** Of a lookup with a key that visitors get, in whole units of the currency. Null: none is known. */
  readonly price: { readonly amount: number; readonly currency: string } | null;
  /** Where readers say that a finding is wrong; null: nowhere. */
  readonly feedbackUrl: string | null;
}

/** What one of them says, made anew when one of the values that it is made of is another. */
export interface PageMembers {
  readonly of: readonly unknown[];
  readonly make: () => Partial<PageFacts>;
}

/** The place of a part that pages share: `<!-- part: key-field -->`. */
const PART = /<!-- part: ([\w-]+) -->/g;

/** The start of an element that belongs to features. */
const OF_FEATURES = /<([a-z][\w-]*)\b[^>]*?(\sdata-feature="([^"]*)")[^>]*>/;

/**
 * Returns a page of `web/` with its parts in it, which are files of their own, and with the versioned names of its files. An element with `data-feature="batches maps"`
 * stands in it only where both features are there, and one with `data-feature="!maps"` only where that one is not.
 */
export function webPage(path: string, isThere: (feature: string) => boolean): string {
  const { web } = fileGroups();
  const whole = web.text(path).replaceAll(PART, (_, part: string) => web.text(`/${part}.html`));
  return withFeatures(whole, isThere).replaceAll('"/web/', `"${web.url}/`);
}

function withFeatures(html: string, isThere: (feature: string) => boolean): string {
  let [done, rest] = ['', html];
  for (let found = OF_FEATURES.exec(rest); found !== null; found = OF_FEATURES.exec(rest)) {
    const [start, tag, attribute, names] = found;
    const from = found.index;
    const isWanted = names!
      .split(' ')
      .every((name) => (name.startsWith('!') ? !isThere(name.slice(1)) : isThere(name)));
    done += rest.slice(0, from) + (isWanted ? start.replace(attribute!, '') : '');
    rest = rest.slice(isWanted ? from + start.length : endOf(rest, from, tag!));
  }
  return done + rest;
}

/** Where the element ends that begins at a place. @throws Error when it does not. */
function endOf(html: string, from: number, tag: string): number {
  const tags = new RegExp(`<(/?)${tag}\\b[^>]*>`, 'g');
  tags.lastIndex = from;
  let depth = 0;
  for (let found = tags.exec(html); found !== null; found = tags.exec(html)) {
    depth += found[1] === '' ? 1 : -1;
    if (depth === 0) return tags.lastIndex;
  }
  throw new Error(`a <${tag}> of a page in web/ has no end`);
}

/**
 * Leads a browser with a key in its address to the same address without it, so that the key does not stay in the address bar and in the history.
 * No page of ours makes such an address; a page of an earlier version did, and people try.
 */
export const withoutKey: RequestHandler = (req, res, next) => {
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  if (!query.has('key')) {
    next();
    return;
  }
  query.delete('key');
  res.setHeader('Cache-Control', 'no-store');
  res.redirect(303, query.size === 0 ? req.path : `${req.path}?${query.toString()}`);
};
