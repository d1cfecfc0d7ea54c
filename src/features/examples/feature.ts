import { type ServedFeature, partOf } from '../../feature.ts';
import { answeredAddresses } from '../../core/http/service-documents.ts';
import { briefOf } from './brief.ts';
import { examplesPageRoute } from './examples-page-route.ts';
import { examplesRoutes } from './examples-route.ts';
import { bodyOf, examplesPart, StoredExamples } from './stored-examples.ts';

/** Stored answers that anybody may see. */
export const examples: ServedFeature = {
  routes: examplesRoutes,
  about: () => ({ forSearch: ['/examples'] }),
  pages: (services) => [examplesPageRoute(services)],
  part: partOf(examplesPart, (services, opened) => {
    const examples = opened.use(new StoredExamples(services));
    services.parts.set(answeredAddresses, examples);
    return examples;
  }),
  page: ({ parts, snapshots, catalogue }) => {
    const { all } = parts.of(examplesPart);
    return {
      of: [snapshots.manifest, all],
      make: () => ({
        examples: all.map(({ outcome, address }) => ({ outcome, address })),
        // The first one is the most telling.
        brief: all[0] === undefined ? null : briefOf(catalogue, bodyOf(all[0])),
      }),
    };
  },
};
