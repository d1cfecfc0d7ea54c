import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { replaceFile, replaceFileSync } from '../../core/files/replace.ts';
import { type DownloadedFeature, chunkFile } from '../../messages/import.ts';
import { sha256 } from '../../core/files/sha256.ts';
import { makeFolder } from '../../core/files/make-folder.ts';

/** Content of a folder of chunks when the download is finished. */
export interface ChunkPlan {
  readonly format: 2;
  /** Of the layer. */
  readonly url: string;
  /** Of the coordinates: `EPSG:4269`, or WKT. */
  readonly crs: string;
  readonly fields: readonly string[];
  readonly featureCount: number;
  readonly idsPerChunk: number;
  /** SHA-256 over the object ids. */
  readonly ids: string;
  /** As `readContent` gives it. */
  readonly version: string | null;
  readonly editedMs: number | null;
  readonly startedAt: string;
  /** Null while chunks are missing. */
  readonly finishedAt: string | null;
  /** Number of ids that were listed but did not exist when requested one by one. */
  readonly vanished: number;
  /** Time at which an import that read it ended; null before. */
  readonly usedAt: string | null;
}

const compress = promisify(gzip);

/** Features per line of a chunk. Lines are parsed one at a time, so this limits the memory. */
const FEATURES_PER_LINE = 200;

/**
 * Chunks of a download in their own folder: `plan.json` and `00000.ndjson.gz`, `00001.ndjson.gz`, … A chunk file exists
 * only when it is complete, so a resumed run only needs the file names.
 */
export class ChunkStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  readPlan(): ChunkPlan | null {
    const file = join(this.folder, 'plan.json');
    if (!existsSync(file)) return null;
    try {
      const plan = JSON.parse(readFileSync(file, 'utf8')) as ChunkPlan;
      return (plan.format as number) === 2 ? plan : null;
    } catch {
      return null;
    }
  }

  /** Deletes the content of the folder and begins a new download. */
  begin(plan: ChunkPlan): void {
    rmSync(this.folder, { recursive: true, force: true });
    makeFolder(this.folder);
    this.writePlan(plan);
  }

  writePlan(plan: ChunkPlan): void {
    replaceFileSync(join(this.folder, 'plan.json'), JSON.stringify(plan, null, 2));
  }

  /** Notes that an import has read the chunks: they no longer belong to an interrupted run. */
  markUsed(): void {
    const plan = this.readPlan();
    if (plan) this.writePlan({ ...plan, usedAt: new Date().toISOString() });
  }

  has(chunk: number): boolean {
    return existsSync(chunkFile(this.folder, chunk));
  }

  /** Writes a chunk. Returns its bytes on the disk. */
  async write(chunk: number, features: readonly DownloadedFeature[]): Promise<number> {
    const lines: string[] = [];
    for (let i = 0; i < features.length; i += FEATURES_PER_LINE)
      lines.push(JSON.stringify(features.slice(i, i + FEATURES_PER_LINE)));
    const packed = await compress(lines.join('\n'), { level: 1 });
    await replaceFile(chunkFile(this.folder, chunk), (part) => part.writeFile(packed));
    return packed.length;
  }
}

export function hashIds(ids: readonly number[]): string {
  return sha256(ids.join(','));
}
