import { fileGroups } from './file-groups.ts';

/** The place of a part that pages share: `<!-- part: key-field -->`. */
const PART = /<!-- part: ([\w-]+) -->/g;

/** Returns a page of `web/` with the parts from `web/parts/` in it, and with the versioned names of its files. */
export function webPage(path: string): string {
  const { web } = fileGroups();
  const whole = web.text(path).replaceAll(PART, (_, part: string) => web.text(`/parts/${part}.html`));
  return whole.replaceAll('"/web/', `"${web.url}/`);
}
