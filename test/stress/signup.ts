// Kill the server 50 times while people sign up, and compare keys with customers (KILLS=N SEED=N)
/**
 * Kills the server at random moments while people sign up, with a payment processor that fails a third of the calls and sends webhooks late, twice
 * or never: `make stress NAME=signup`. KILLS (default 50) and SEED from the environment.
 */
import { killDuringSignups } from '../support/drivers/signup-kills.ts';

const kills = Number(process.env['KILLS'] ?? 50);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
console.log(`${kills} kills, SEED=${seed}`);
const { faults, ...figures } = await killDuringSignups({
  ...{ kills, seed, people: 4 },
  onKill: (kill) => {
    if (kill % 10 === 0) console.log(`${kill} kills`);
  },
});
console.log(figures);
for (const fault of faults.slice(0, 50)) console.error(fault);
console.log(
  faults.length === 0
    ? 'each key has its customer, and each customer its key or its money back'
    : `${faults.length} faults`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
