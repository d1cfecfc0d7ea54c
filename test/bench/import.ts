// Measure the import of 1,000,000 polygons with 60 million vertices: minutes and memory (FEATURES=N)
/**
 * What an import of a large layer costs: `make bench NAME=import` writes a GeoPackage of 1,000,000 polygons with 60 million vertices, imports it
 * with the command that operators use, and fails when it takes 15 minutes, 2 GiB or more. FEATURES sets another count. With PACKAGE=1 the
 * source is a package of 3,600,000 wetlands on a web server instead: the command fetches it and reads it from the zip file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { cliArguments } from '../support/drivers/cli.ts';
import { FileHost } from '../support/doubles/file-server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { packagesRoot, publishPackage } from '../support/doubles/packages.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { zipFolder } from '../support/material/zip.ts';
import { provinceWetlands, southernWetlands, writeLargeSource } from './parts/large-source.ts';

const SAMPLE_MS = 200;

/** Lines of the command that begin a phase. */
const phasePattern = /^(cell index: [a-z ]*[a-z]|building the spatial index of wetland|verifying|wetland(?= {2}))/m;

const isPackage = process.env['PACKAGE'] === '1';
const count = Number(process.env['FEATURES'] ?? (isPackage ? 3_600_000 : 1_000_000));
using folder = temporaryFolder();
await using host = await FileHost.start();
const limits = { minutes: isPackage ? 60 : 15, peakMib: 2048 };
const command = isPackage ? preparePackage() : prepareFile();

const dataDir = join(folder.path, 'data');
const { seconds, cpuSeconds, peakMib, peakDiskMib, phases } = await measure('load-layers', ...command);
const snapshot = currentSnapshot(dataDir)!;
const { featureCount, vertexCount, repaired, dropped } = snapshot.manifest.dataSets['wetland']!;
const snapshotMib = mib(statSync(join(snapshot.dir, 'land.gpkg')).size);
console.table({ featureCount, vertexCount, repaired, snapshotMib, peakDiskMib, cpuSeconds: Math.round(cpuSeconds) });
if (Object.keys(dropped).length > 0) console.table(dropped);
console.table(
  phases.map(({ name, startMs, endMs, peakBytes }) => ({
    phase: name,
    seconds: Math.round((endMs - startMs) / 1000),
    peakMib: mib(peakBytes),
  })),
);
judge({ minutes: seconds / 60, peakMib });

function prepareFile(): string[] {
  const file = join(folder.path, 'wetland.gpkg');
  writeLargeSource(file, { count, ...southernWetlands });
  writeFileSync(join(folder.path, 'sources.json'), JSON.stringify({ wetland: { file: 'wetland.gpkg' } }));
  console.log(`${count} polygons in ${mib(statSync(file).size)} MiB; ${availableParallelism()} cores\n`);
  return ['--from', folder.path];
}

function preparePackage(): string[] {
  const file = join(folder.path, 'wetland.gpkg');
  writeLargeSource(file, { count, ...provinceWetlands });
  const [gdb, zip] = [join(folder.path, 'Non_Sensitive.gdb'), join(folder.path, 'WETLAND.zip')];
  ogr2ogr('-f', 'OpenFileGDB', gdb, file, 'wetland', '-nln', 'WETLAND', '-nlt', 'MULTIPOLYGON');
  rmSync(file);
  zipFolder(zip, gdb);
  const unpackedMib = mib(bytesIn(gdb));
  rmSync(gdb, { recursive: true });
  const content = readFileSync(zip);
  publishPackage(host, 'WETLAND', content, 'Mon, 05 Oct 2026 04:00:00 GMT');
  rmSync(zip);
  console.log(`${count} polygons in a package of ${mib(content.length)} MiB, unpacked ${unpackedMib} MiB`);
  console.log(`${availableParallelism()} cores\n`);
  return ['--only', 'wetland', '--packages', packagesRoot(host)];
}

interface Phase {
  readonly name: string;
  readonly startMs: number;
  endMs: number;
  peakBytes: number;
}

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
  /** Of the data folder. */
  readonly peakDiskMib: number;
  readonly phases: readonly Phase[];
}

/** Runs the command; memory is the resident memory of it and its children together, looked at several times a second. */
async function measure(...args: string[]): Promise<Measured> {
  const start = performance.now();
  const env = { ...process.env, DATA_DIR: dataDir };
  const child = spawn(process.execPath, [...cliArguments, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const first = isPackage ? 'fetching, inspecting' : 'reading, repairing, writing';
  const phases: Phase[] = [{ name: first, startMs: start, endMs: start, peakBytes: 0 }];
  child.stdout.pipe(process.stdout);
  child.stdout.on('data', (text: Buffer) => {
    const name = phasePattern.exec(text.toString())?.[0];
    if (name !== undefined && name !== phases.at(-1)!.name)
      phases.push({ name, startMs: performance.now(), endMs: performance.now(), peakBytes: 0 });
  });
  let [cpuSeconds, diskBytes] = [0, 0];
  const timer = setInterval(() => {
    const phase = phases.at(-1)!;
    phase.endMs = performance.now();
    phase.peakBytes = Math.max(phase.peakBytes, residentBytes(child.pid!));
    cpuSeconds = cpuSecondsOf(child.pid!) ?? cpuSeconds;
    diskBytes = Math.max(diskBytes, bytesIn(dataDir));
  }, SAMPLE_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ended with ${code ?? 'a signal'}`);
  const peakMib = mib(Math.max(...phases.map(({ peakBytes }) => peakBytes)));
  return { seconds: (performance.now() - start) / 1000, cpuSeconds, peakMib, peakDiskMib: mib(diskBytes), phases };
}

function bytesIn(path: string): number {
  if (!existsSync(path)) return 0;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
  return files.reduce((sum, file) => sum + (lstatSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function judge(figures: { minutes: number; peakMib: number }): void {
  const rows = Object.entries(limits).map(([figure, limit]) => {
    const value = figures[figure as keyof typeof limits];
    return { figure, value: Math.round(value * 100) / 100, limit, met: value < limit };
  });
  console.table(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}

/** Of a process and all that it started (proc(5)). */
function residentBytes(pid: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = /^PPid:\s+(\d+)$/m.exec(readOrEmpty(`/proc/${name}/status`))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isWithin = (candidate: number): boolean =>
    candidate === pid || (parents.has(candidate) && isWithin(parents.get(candidate)!));
  return [...parents.keys()].filter(isWithin).reduce((sum, candidate) => {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readOrEmpty(`/proc/${candidate}/status`))?.[1];
    return sum + Number(kib ?? 0) * 1024;
  }, 0);
}

/** User and system time, in ticks of 10 ms; null when the process has ended. */
function cpuSecondsOf(pid: number): number | null {
  const fields = readOrEmpty(`/proc/${pid}/stat`).split(') ')[1]?.split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) / 100 : null;
}

/** Empty when the process has ended meanwhile. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
