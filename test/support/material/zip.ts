import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

const DEFLATE = 8;

/** Writes a zip file with these members (PKWARE APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16). */
export function writeZip(
  file: string,
  members: Readonly<Record<string, Buffer>>,
  { isStored = false }: { readonly isStored?: boolean } = {},
): void {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  // Members with the same content are packed once.
  const packed = new Map<Buffer, { readonly bytes: Buffer; readonly sum: number }>();
  let offset = 0;
  for (const [name, content] of Object.entries(members)) {
    const { bytes, sum } = packed.get(content) ?? {
      bytes: isStored ? content : deflateRawSync(content, { level: 1 }),
      sum: crc32(content),
    };
    packed.set(content, { bytes, sum });
    const common = Buffer.alloc(26);
    [20, 0, isStored ? 0 : DEFLATE, 0, 0].forEach((value, i) => common.writeUInt16LE(value, i * 2));
    [sum, bytes.length, content.length].forEach((value, i) => common.writeUInt32LE(value, 10 + i * 4));
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), bytes]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  [8, 10].forEach((at) => end.writeUInt16LE(Object.keys(members).length, at));
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(file, Buffer.concat([...locals, directory, end]));
}

/** Zips a folder with its own name, as a FileGDB is handed out, and other members beside it. */
export function zipFolder(file: string, folder: string, others: Readonly<Record<string, Buffer>> = {}): void {
  const members: Record<string, Buffer> = { ...others };
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) members[relative(join(folder, '..'), path)] = readFileSync(path);
  }
  writeZip(file, members);
}
