import { problems, publicMembers, type AppError, type ProblemCode } from '../../shared/problems.ts';

/** What an agent does next, where that differs from the help for programmers. */
const nextSteps: Partial<Readonly<Record<ProblemCode, string>>> = {
  BAD_REQUEST: 'Correct the arguments: the same ones would fail again. The call cost nothing.',
  ADDRESS_NOT_FOUND:
    'Nothing is known about this place: report no layer as present or absent. Ask the person about `suggestions`, complete the address with suggest_address, or call lookup_point with coordinates.',
  OUTSIDE_ONTARIO:
    'This service has data of Ontario only: report no layer as present or absent. Another spelling of the same address will not help.',
};

/** Codes after which the same call may succeed. */
const passing: readonly ProblemCode[] = ['RATE_LIMITED', 'DB_ERROR'];

/** Returns a failure as an agent reads it, with what to do next. Details of a 5xx stay in the log. */
export function describeFailure(error: AppError, requestId: string): object {
  const { code, status, message, extras, headers } = error;
  const said = { detail: problems[code].title, ...publicMembers({ code, detail: message, extras }) };
  const next = passing.includes(code) ? waitFor(headers) : (nextSteps[code] ?? problems[code].help);
  return { code, ...said, ...(status < 500 ? {} : { requestId }), next };
}

function waitFor(headers: Readonly<Record<string, string>>): string {
  const seconds = headers['Retry-After'];
  return `Wait ${seconds === undefined ? 'a moment' : `${seconds} seconds`}, then make the same call again.`;
}
