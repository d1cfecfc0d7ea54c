/** Questions with known answers, asked of the geocoder: a table in Markdown, and what was answered wrongly. */
import {
  ask,
  isWay,
  SUGGESTED_SHARE,
  total,
  WAYS_FOUND_SHARE,
  type Tally,
} from '../../support/material/questions/ask.ts';
import { questionClasses } from '../../support/material/questions/classes/all.ts';
import { openRegister, type RegisterName } from '../../support/material/questions/open-registers.ts';

const SEED = 1;

/** Most wrong answers of a class. */
const WRONG_SHARE = 0.0005;

/** Of ways of writing, which are many, so many questions are enough. */
const MOST_OF_WAY = 300;

interface ReportOptions {
  /** Of the names of classes. */
  readonly pattern: RegExp;
  /** Questions of a class. */
  readonly count: number;
  /** Wrong and lost questions of a class that are printed. */
  readonly samples: number;
}

/** Asks the questions on a register. Fails the process when too many answers are wrong, too few right, or too few refusals helpful. */
export async function reportQuestions(
  name: RegisterName,
  extract: string | null,
  { pattern, count, samples }: ReportOptions,
): Promise<void> {
  const classes = questionClasses.filter((questionClass) => pattern.test(questionClass.name));
  if (classes.length === 0) throw new Error(`no class is called ${pattern.source}`);
  using register = await openRegister(name, extract);
  const tallies = classes
    .map((questionClass) => {
      const most = isWay(questionClass) ? Math.min(count, MOST_OF_WAY) : count;
      return ask(questionClass, register.known, register.gazetteer, { count: most, seed: SEED });
    })
    .filter(({ asked }) => asked > 0);
  console.log(`\n### Questions on the ${name} register\n`);
  printTable(tallies);
  printSamples(tallies, samples);
  judge(tallies);
}

function judge(tallies: readonly Tally[]): void {
  const ways = tallies.filter(isWay);
  const losing = tallies.filter(({ lost }) => lost > 0);
  const [asked, right] = [total(ways, 'asked'), total(ways, 'right')];
  const [lost, suggested] = [total(losing, 'lost'), total(losing, 'suggested')];
  console.log(
    `\n${right} of ${asked} addresses written in ${ways.length} ways are found, ${total(ways, 'wrong')} wrongly answered`,
  );
  console.log(`${suggested} of ${lost} refusals of known addresses suggest the address`);
  const isWrong = tallies.some((tally) => tally.farWrong > 0 || tally.wrong > tally.asked * WRONG_SHARE);
  if (isWrong || right < asked * WAYS_FOUND_SHARE || suggested < lost * SUGGESTED_SHARE) process.exitCode = 1;
}

function printTable(tallies: readonly Tally[]): void {
  const head = ['class', 'asked', 'right', 'refused rightly', 'lost', 'refusals that suggest it', 'wrong', 'over 2 km'];
  const columns = ['asked', 'right', 'refused', 'lost', 'suggested', 'wrong', 'farWrong'] as const;
  const all = columns.map((column) => total(tallies, column));
  const rows = tallies.map((tally) => [tally.name, ...columns.map((column) => tally[column])]);
  for (const row of [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows, ['all', ...all]]) {
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
