import { Router, type Response } from 'express';
import type { ServedFeature } from '../../feature.ts';
import { isSnapshotId } from '../../messages/manifest.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { currentText, snapshotFiles } from './place.ts';
import { join } from 'node:path';

/** Snapshots between machines: the admin port offers those that are stored here. */
export const travel: ServedFeature = {
  admin: ({ config: { dataDir }, snapshots }) =>
    Router().use('/snapshots', offeredSnapshots({ dataDir, inService: () => snapshots.manifest.id })),
};

/** Files under way at once: each takes disk and time of the main thread from lookups. */
const MOST_TRANSFERS = 4;

/** A client that takes nothing for so long is cut off. */
const IDLE_MS = 60_000;

/**
 * The stored snapshots, to read: `/current` names the one in service, `/<id>/<file>` is a file of one, by `Range` also a part (decision 0155).
 * @param inService id of the snapshot that this process answers from.
 */
function offeredSnapshots({ dataDir, inService }: { dataDir: string; inService: () => string }): Router {
  const router = Router({ strict: true, caseSensitive: true });
  let transfers = 0;
  router.get('/current', (_req, res) => {
    res.type('application/json').send(currentText(inService()));
  });
  router.get('/:id/:file', (req, res, next) => {
    const { id, file } = req.params;
    const name = snapshotFiles.find((one) => one === file);
    if (!isSnapshotId(id) || name === undefined) {
      next();
      return;
    }
    if (transfers >= MOST_TRANSFERS) {
      res.writeHead(503, { 'Retry-After': '10' }).end();
      return;
    }
    transfers++;
    res.once('close', () => transfers--);
    sendFile(res, join(snapshotsFolder(dataDir), id), name);
  });
  return router;
}

function sendFile(res: Response, root: string, file: string): void {
  res.setTimeout(IDLE_MS, () => res.destroy());
  // Published files never change.
  res.sendFile(file, { root, immutable: true, maxAge: '1y' }, (cause?: Error & { readonly status?: number }) => {
    // 416 for a part beyond the end; otherwise there is no such file.
    if (cause && !res.headersSent) res.writeHead(cause.status === 416 ? 416 : 404).end();
  });
}
