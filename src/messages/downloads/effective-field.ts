/** Field with a record's date of validity. If a layer has it, its newest value is the date of the data set. */
export const effectiveField = 'EFFECTIVE_DATETIME';

/** Date fields of the province's data, the best first; the others say when a record was changed. */
export const dateFields = [effectiveField, 'GEOMETRY_UPDATE_DATETIME', 'SYSTEM_DATETIME'] as const;
