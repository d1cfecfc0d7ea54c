/** Steps of ending a chunk, in their order, after which its process may be killed or lose its journal. */
export const ENDING_STEPS = [
  ...(['stored', 'put in place', 'claimed', 'the journal fails', 'billed in part'] as const),
  ...(['the journal fails in between', 'billed', 'shown, and not committed', 'shown'] as const),
];
export type EndingStep = (typeof ENDING_STEPS)[number];
