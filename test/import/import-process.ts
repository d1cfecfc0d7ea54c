/** Imports in a process of its own, to be killed: arguments are a run's folder and a data set. Says `rows` when the first features are read. */
import { importWritten } from '../support/drivers/import-run.ts';

const [, , folder, dataSet] = process.argv;
await importWritten({ folder: folder!, only: [dataSet!] }, (progress) => {
  if (progress.kind === 'rows' && progress.done === 1000) console.log('rows');
});
console.log('done');
