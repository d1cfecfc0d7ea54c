/** Ends the process with a clear line on a Node.js that is too old, before a module fails on it. Imported first, for its effect. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../project/project.ts';

const { engines } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { engines: { node: string } };
const oldest = engines.node.replace('>=', '');

if (isOlder(process.versions.node, oldest)) {
  process.stderr.write(
    `land-lookup: needs Node.js ${oldest} or newer, but this is ${process.versions.node}; ` +
      'in a clone, run: export PATH="$PWD/.node/bin:$PATH" (make installs it there)\n',
  );
  process.exit(1);
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = than.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
