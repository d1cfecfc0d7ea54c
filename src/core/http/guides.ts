/** The written pages of the API, `/docs/NAME`. `npm run build` makes their HTML of the documents for clients (`src/build/build-static.ts`). */
import { fileGroups } from './file-groups.ts';

/** Of the document: `api` is `docs/api.md`. */
export type GuideName = string;

/** A written page. */
export interface Guide {
  readonly name: GuideName;
  readonly path: string;
  /** As HTML, as the rest. */
  readonly title: string;
  readonly html: string;
}

/** What has guides. */
interface Guided {
  readonly guides?: readonly GuideName[];
}

export const guidePath = (name: GuideName): string => `/docs/${name}`;

/** The file of a guide among those of the pages. */
export const guideFile = (name: GuideName): string => `guide-${name}.html`;

/** The guides that are there with these features, in the order in which they are listed. */
export function guidesOf(features: readonly Guided[]): readonly GuideName[] {
  return ['api', ...features.flatMap(({ guides }) => guides ?? []), 'changelog', 'security'];
}

/** Reads the guides that are there with these features. What they say of others stays, without a link. */
export function readGuides(features: readonly Guided[]): readonly Guide[] {
  const { web } = fileGroups();
  const names = guidesOf(features);
  const isThere = (href: string): boolean => {
    const name = /^\/docs\/([\w-]+)/.exec(href)?.[1];
    return name === undefined || names.includes(name);
  };
  return names.map((name) => {
    const html = linksIn(web.text(`/${guideFile(name)}`), isThere);
    return { name, path: guidePath(name), title: /<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? name, html };
  });
}

/** Takes away the links that lead nowhere; their words stay. */
export function linksIn(html: string, isThere: (href: string) => boolean): string {
  return html.replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (link, href: string, words: string) =>
    isThere(href) ? link : words,
  );
}
