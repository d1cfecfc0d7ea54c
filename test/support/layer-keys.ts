import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../src/config.ts';

/** The keys of an answer's layers, in their order; test/unit/catalogue.test.ts says what they must be. */
export const layerKeys = readCatalogue(join(projectDir, 'layers')).answers.map(({ answer }) => answer.key);
