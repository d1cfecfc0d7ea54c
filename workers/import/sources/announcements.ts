/** What a JSON file says of itself: how many features there are, and whether more of them are elsewhere. */

/** Members that count the features that a query found or sent, of which the file may hold the first. */
const totals = /^(numberMatched|numMatched|numberReturned|totalFeatures|totalCount)$/i;
/** The same, in names that may also be a figure of the data. */
const plainTotals = /^(matched|total|count)$/i;
/** Members that say "there is more". */
const flags = /^(exceededTransferLimit|hasMore|has_more|moreFeatures|moreRecords)$/i;
/** Members that hold the address of what follows, or a token for it. */
const nexts = /^(next|next_?page|nextLink|next_url|next_?page_?token|next_?cursor|@odata\.nextLink|@iot\.nextLink)$/i;
/** Objects of the file whose members speak of the file, too. */
const about = /^(properties|metadata|context|links?|_links|pagination|paging|page|_?meta)$/i;

/** Deepest member that speaks of the whole: `links[].rel`. */
export const DEEPEST_LEVEL = 3;

/** Names of the members around a value, outermost first; null stands for a place in a list. */
export type Path = readonly (string | null)[];

/** Says whether a member of the root, or of an object in it that speaks of the file, announces something. */
export function isAnnouncement(path: Path): boolean {
  const [first, ...inner] = path;
  const name = path.at(-1) ?? '';
  if (inner.length === 0) return /^(type|error)$/i.test(name) || isTold(name) || plainTotals.test(name);
  if (!about.test(first ?? '')) return false;
  return /^rel$/i.test(name) || isTold(name) || (plainTotals.test(name) && !/^properties$/i.test(first ?? ''));
}

function isTold(name: string): boolean {
  return totals.test(name) || flags.test(name) || nexts.test(name);
}

/** Collects what a JSON text announces. */
export class Announcements {
  /** Of the root. */
  type: unknown = null;
  #error: unknown = null;
  #more: string | null = null;
  #total: { readonly name: string; readonly value: number } | null = null;

  note(path: Path, value: unknown): void {
    const name = path.at(-1) ?? '';
    const isOfRoot = path.length === 1;
    if (isOfRoot && /^type$/i.test(name)) this.type ??= value;
    else if (isOfRoot && /^error$/i.test(name)) this.#error ??= value;
    else if (totals.test(name) || plainTotals.test(name)) this.#noteTotal(name, numberOf(value));
    else this.#more ??= moreOf(name, value);
  }

  #noteTotal(name: string, value: number | null): void {
    if (value !== null && value > (this.#total?.value ?? -1)) this.#total = { name, value };
  }

  /** What a server has said instead of sending data; null when it has not. */
  get error(): string | null {
    if (this.#error === null || this.#error === undefined) return null;
    if (typeof this.#error !== 'object') return typeof this.#error === 'string' ? this.#error : 'no message';
    const { code, message } = this.#error as { readonly code?: unknown; readonly message?: unknown };
    return [code, message].filter((one) => ['string', 'number'].includes(typeof one)).join(' ') || 'no message';
  }

  /** The member that says that there are more features than these; null when none does. */
  moreThan(features: number): string | null {
    const { name, value } = this.#total ?? { name: '', value: 0 };
    return value > features ? `"${name}": ${value}` : this.#more;
  }
}

/** What a member says of features that are elsewhere; null when it says nothing. */
function moreOf(name: string, value: unknown): string | null {
  if (flags.test(name)) return isTrue(value) ? `"${name}": true` : null;
  if (/^rel$/i.test(name)) return value === 'next' ? 'a "next" link' : null;
  return isAddress(value) ? `a "${name}" link` : null;
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(true|1|yes)$/i.test(value));
}

/** A text, or an object with the address. */
function isAddress(value: unknown): boolean {
  return (
    (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null && 'href' in value)
  );
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
