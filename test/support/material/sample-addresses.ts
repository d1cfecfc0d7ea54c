import { join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';
import { registerRows, writtenAddress } from '../../real/register.ts';

/** The addresses of the bundled sample, as people write them. */
export function sampleAddresses(): string[] {
  return registerRows(join(projectDir, 'layers', 'sample', 'addresses')).map(writtenAddress);
}
