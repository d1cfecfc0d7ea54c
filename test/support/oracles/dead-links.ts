import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Anchors of a page's headings, as GitHub names them. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Links of a page that lead nowhere, to a file or to a heading; links to other sites are not followed. */
export function deadLinks(page: string): string[] {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [path, anchor] = target.split('#') as [string, string | undefined];
    const file = path === '' ? page : join(dirname(page), path);
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
}
