/** What a feature table holds in one column of one feature. */
export type Attribute = string | number | null;

export type Attributes = Readonly<Record<string, Attribute>>;
