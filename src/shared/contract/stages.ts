/** Stages of a lookup that are timed; "queue" is the wait for a thread and the way there and back. */
export const stages = ['auth', 'quota', 'queue', 'geocode', 'layers', 'journal'] as const;

/** Milliseconds of the stages that a request went through. */
export type StageTimes = Partial<Record<`${(typeof stages)[number]}Ms`, number>>;
