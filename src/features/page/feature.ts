import { partOf, type ServedFeature } from '../../feature.ts';
import { kept } from '../../core/http/content.ts';
import type { Services } from '../../core/http/services.ts';
import type { PageFacts } from '../../core/http/pages.ts';
import { partKey } from '../../core/parts/parts.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { readBaseMap } from './base-map.ts';
import { namedOnPage, type PageContent } from './page-document.ts';
import { pageFolders, pageRoutes } from './page-route.ts';
import { pageSettings } from './settings.ts';

/** What the page must know now. The same object until it changes. */
const pagePart = partKey<() => PageContent>('page');

/** The page at `/`, for people with a key. */
export const page: ServedFeature = {
  guides: ['page'],
  about: () => ({ forSearch: ['/'] }),
  part: partOf(pagePart, openPage),
  pages: ({ parts }) => pageRoutes(parts.of(pagePart)),
  folders: ({ parts }) => pageFolders(parts.of(pagePart)()),
};

/** @throws Error when the base map cannot be used. */
function openPage(services: Services, _opened: unknown, features: readonly ServedFeature[]): () => PageContent {
  const { config, catalogue, snapshots } = services;
  const { baseMap, tileUrl, tileAttribution } = settingsOf(config, pageSettings);
  const isThere = (name: string): boolean => !config.leftOut.includes(name);
  const ground = isThere('maps')
    ? { tileUrl, tileAttribution, baseMap: baseMap === null ? null : readBaseMap(baseMap) }
    : { tileUrl: null, tileAttribution: '', baseMap: null };
  const members = () => features.flatMap((feature) => feature.page?.(services) ?? []);
  return kept(
    () => [snapshots.manifest, ...members().flatMap(({ of }) => of)],
    () => {
      const given = Object.assign({}, ...members().map(({ make }) => make())) as Partial<PageFacts>;
      const { signup = false, examples = [], brief = null, price = null, feedbackUrl = null } = given;
      const named = namedOnPage.filter((name) => isThere(name) && (name !== 'signup' || signup));
      const { sample } = snapshots.manifest;
      const { contact } = config;
      const layers = catalogue.answers.length;
      return { ...ground, examples, brief, price, feedbackUrl, contact, features: named, layers, sample };
    },
  );
}
