// Ask the geocoder questions with known answers, and measure it on real addresses (REGISTER=drawn, real or hold CLASS='A4' COUNT=N SAMPLES=N)
/**
 * How good and how fast the embedded geocoder is: `make bench NAME=geocoder-report`. Asks questions with known answers on three registers, and every
 * row of the sets of addresses beside the extract (SHARED_DIR as in the tests). Fails when a figure that does not depend on the machine is
 * missed.
 *
 * REGISTER=drawn|real|hold asks the questions on that register alone, CLASS='A4|unit' those of the classes whose names match,
 * COUNT=300 so many of each; with any of them, the sets are left out. SAMPLES=5 prints so many of the wrong and the lost questions of a class.
 */
import { join } from 'node:path';
import { registerNames } from '../support/material/questions/open-registers.ts';
import { sharedData } from '../support/material/shared-data.ts';
import { reportAddressSets } from './parts/address-set-report.ts';
import { reportQuestions } from './parts/question-report.ts';

const { REGISTER, CLASS = '', COUNT, SAMPLES = '5' } = process.env;

const extract = sharedData === null ? null : join(sharedData, 'nar');
const registers = registerNames.filter((name) => REGISTER === undefined || REGISTER === name);
if (registers.length === 0) throw new Error(`REGISTER is one of ${registerNames.join(', ')}`);
for (const register of registers) {
  if (extract === null && register !== 'drawn') console.log(`${register} skipped: no real data`);
  else
    await reportQuestions(register, extract, {
      pattern: new RegExp(CLASS, 'i'),
      count: Number(COUNT ?? 2000),
      samples: Number(SAMPLES),
    });
}
if (sharedData !== null && REGISTER === undefined && CLASS === '' && COUNT === undefined) {
  await reportAddressSets(sharedData);
}
