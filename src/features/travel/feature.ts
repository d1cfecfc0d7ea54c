import { Router } from 'express';
import { offeredSnapshots } from './offered-snapshots.ts';
import type { ServedFeature } from '../../feature.ts';

/** Snapshots between machines: the admin port offers those that are stored here. */
export const travel: ServedFeature = {
  admin: ({ config: { dataDir }, snapshots }) =>
    Router().use('/snapshots', offeredSnapshots({ dataDir, inService: () => snapshots.manifest.id })),
};
