/** Timed stages of a lookup; "queue" is the wait for a thread and the time to the thread and back. */
export const stages = ['auth', 'quota', 'queue', 'geocode', 'suggest', 'layers', 'journal'] as const;

/** Milliseconds of the stages that a request went through. */
export type StageTimes = Partial<Record<`${(typeof stages)[number]}Ms`, number>>;
