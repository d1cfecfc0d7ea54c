/** Vintages: published snapshots, asked for by their id or by a day. A vintage is the day of this machine's record of the data, not the day from which a law holds. */
import { join } from 'node:path';
import { missingLayers, readManifest } from '../../core/snapshots/current.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { readPruned, storedIds } from '../../core/snapshots/vintages.ts';
import { isSnapshotId } from '../../messages/manifest.ts';
import { AppError, badRequest } from '../../messages/problems.ts';
import { dayOf, isDay } from '../../messages/time.ts';
import { licenceLink } from '../../messages/wire/licences.ts';

/**
 * Returns the id of the snapshot with this id, or of the one in service at the end of a day (UTC): today the one in service, and of a day that has passed the last that was
 * published by then. Nothing records that an operator went back to an earlier one: ask for that by its id.
 * @param inService id of the snapshot in service.
 * @throws AppError NOT_FOUND where this machine never had it, GONE where it was pruned, BAD_REQUEST for what is neither id nor day.
 */
export function vintageOf(
  asked: string,
  { dataDir, inService, nowMs = Date.now() }: { dataDir: string; inService: string; nowMs?: number },
): string {
  if (isSnapshotId(asked)) {
    if (isServable(dataDir, asked)) return asked;
    throw readPruned(dataDir).includes(asked) ? pruned(asked, inService) : unknown(`there is no snapshot ${asked}`);
  }
  if (!isDay(asked))
    throw badRequest('the query parameter "vintage" takes the id of a snapshot, or a day as YYYY-MM-DD', {
      param: 'vintage',
    });
  if (asked > dayOf(nowMs)) throw unknown(`the day ${asked} is still to come`);
  if (asked === dayOf(nowMs)) return inService;
  const end = `${asked.replaceAll('-', '')}T235959Z~`;
  const gone = new Set(readPruned(dataDir));
  const known = [...new Set([...storedIds(dataDir), ...gone])]
    .filter((id) => id < end)
    .sort()
    .reverse();
  for (const id of known) {
    if (isServable(dataDir, id)) return id;
    if (gone.has(id)) throw pruned(id, inService);
  }
  throw unknown(`this machine has no snapshot of ${asked} or before`);
}

/** A snapshot without layers was never in service, and of one that cannot be read nobody knows it. */
function isServable(dataDir: string, id: string): boolean {
  try {
    return missingLayers(readManifest(join(snapshotsFolder(dataDir), id))) === null;
  } catch {
    return false;
  }
}

function unknown(detail: string): AppError {
  return new AppError('NOT_FOUND', detail, {
    extras: { param: 'vintage' },
  });
}

function pruned(id: string, inService: string): AppError {
  const latest = `</api/batches?vintage=${inService}>; rel="latest-version"`;
  return new AppError('GONE', `the snapshot ${id} was deleted from this machine`, {
    extras: { param: 'vintage' },
    headers: { Link: `${licenceLink}, ${latest}` },
  });
}
