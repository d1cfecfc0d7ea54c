/** Imports in a process of its own, to be killed: argument is a task as JSON. Says `rows` when the first features are read. */
import type { ImportLayersTask } from '../../src/contract/import.ts';
import { importLayers } from '../../workers/import/import-layers.ts';

const task = JSON.parse(process.argv[2]!) as Extract<ImportLayersTask, { kind: 'import' }>;
await importLayers(task, (progress) => {
  if (progress.kind === 'rows' && progress.done === 1000) console.log('rows');
});
console.log('done');
