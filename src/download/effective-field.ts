/** A record's date of validity: where a layer has it, the newest one dates the data set. */
export const effectiveField = 'EFFECTIVE_DATETIME';
