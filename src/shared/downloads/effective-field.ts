/** A record's date of validity: where a layer has it, the newest one dates the data set. */
export const effectiveField = 'EFFECTIVE_DATETIME';

/** Fields that date the province's data, the best first: the others say when a record was changed. */
export const dateFields = [effectiveField, 'GEOMETRY_UPDATE_DATETIME', 'SYSTEM_DATETIME'] as const;
