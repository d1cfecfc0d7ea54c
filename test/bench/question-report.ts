/** Questions with known answers, asked of the geocoder: a table in Markdown, and what was answered wrongly. */
import { ask, type Tally } from '../support/questions/ask.ts';
import { questionClasses } from '../support/questions/classes/all.ts';
import { openRegister, type RegisterName } from '../support/questions/open-registers.ts';

const SEED = 1;

/** Most wrong answers of a class. */
const WRONG_SHARE = 0.0005;

/** Least refusals that suggest the right address, of those where the register has it. */
const SUGGESTED_SHARE = 0.95;

interface ReportOptions {
  /** Classes whose name begins so. */
  readonly beginning: string;
  /** Questions of a class. */
  readonly count: number;
  readonly samples: number;
}

/** Asks the questions on a register. Fails the process when too many answers are wrong, or too few refusals helpful. */
export async function reportQuestions(
  name: RegisterName,
  extract: string | null,
  { beginning, count, samples }: ReportOptions,
): Promise<void> {
  const classes = questionClasses.filter((questionClass) => questionClass.name.startsWith(beginning));
  if (classes.length === 0) throw new Error(`no class begins with ${beginning}`);
  using register = await openRegister(name, extract);
  const tallies = classes.map((questionClass) =>
    ask(questionClass, register.known, register.gazetteer, { count, seed: SEED }),
  );
  const asked = tallies.filter((tally) => tally.asked > 0);
  console.log(`\n### Questions on the ${name} register\n`);
  printTable(asked);
  printSamples(asked, samples);
  const lost = sum(asked, 'lost');
  const suggested = sum(asked, 'suggested');
  console.log(`\n${suggested} of ${lost} refusals of known addresses suggest the address`);
  if (asked.some((tally) => tally.farWrong > 0 || tally.wrong > tally.asked * WRONG_SHARE)) process.exitCode = 1;
  if (suggested < lost * SUGGESTED_SHARE) process.exitCode = 1;
}

function printTable(tallies: readonly Tally[]): void {
  const rows = tallies.map(({ name, asked, right, refused, lost, suggested, wrong, farWrong }) => [
    ...[name, asked, right, refused, lost, lost === 0 ? '' : `${((100 * suggested) / lost).toFixed(0)} %`],
    ...[wrong === 0 ? 0 : `**${wrong}**`, farWrong],
  ]);
  const total = (['asked', 'right', 'refused', 'lost', 'suggested', 'wrong', 'farWrong'] as const).map((column) =>
    sum(tallies, column),
  );
  const head = ['class', 'asked', 'right', 'refused rightly', 'lost', 'of them suggested', 'wrong', 'over 2 km'];
  for (const row of [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows, ['all', ...total]]) {
    console.log(`| ${row.join(' | ')} |`);
  }
}

function printSamples(tallies: readonly Tally[], most: number): void {
  for (const { name, shows, wrongSamples, lostSamples } of tallies) {
    if (most === 0 || wrongSamples.length + lostSamples.length === 0) continue;
    console.log(`\n${name}: ${shows}`);
    for (const sample of wrongSamples.slice(0, most)) console.log(`  wrong: ${sample}`);
    for (const sample of lostSamples.slice(0, most)) console.log(`  lost: ${sample}`);
  }
}

function sum(
  tallies: readonly Tally[],
  column: 'asked' | 'right' | 'refused' | 'lost' | 'suggested' | 'wrong' | 'farWrong',
): number {
  return tallies.reduce((total, tally) => total + tally[column], 0);
}
