import { join } from 'node:path';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';

const { answers, further } = readCatalogue(join(projectDir, 'layers'));

/** The keys of an answer's layers, in their order; test/unit/catalogue.test.ts says what they must be. */
export const layerKeys = answers.map(({ answer }) => answer.key);
/** The keys of the answers that are given to those alone who ask for them. */
export const furtherKeys = further.map(({ answer }) => answer.key);
