/** Members that features add to the answers of lookups, for those who ask for them by a parameter of the query. */
import type { LookupDetail } from '../../messages/lookup.ts';
import { askingMembers, type DocumentedMember } from '../openapi/lookup-operations.ts';
import type { Parts } from '../parts/parts.ts';
import { queryRules, type QueryRules } from './query.ts';

export interface AnswerMember extends DocumentedMember {
  /** As FEATURES names it: in a lookup thread, the feature of this name writes the member. */
  readonly feature: string;
  /** What the parameter takes, in words. */
  readonly takes: string;
  /** Reads the value of the parameter as plain data, equal for requests that ask the same. @throws AppError BAD_REQUEST. */
  readonly read: (value: string, parts: Parts) => unknown;
  /** What tables of answers have of it. @param asked the result of `read`. */
  readonly columns: (asked: unknown) => readonly MemberColumn[];
}

/** A column with texts. */
export interface MemberColumn {
  readonly name: string;
  /** Null: the answer says nothing of it. @param member that of the answer. */
  readonly cell: (member: unknown) => string | null;
}

/** A service, as far as members need it. */
export interface WithMembers {
  readonly members: readonly AnswerMember[];
  readonly parts: Parts;
}

/** Reads which members a query asks for. @throws AppError BAD_REQUEST that names the parameter. */
export function membersOf(query: object, { members, parts }: WithMembers): Pick<LookupDetail, 'members'> {
  const asked: Record<string, unknown> = {};
  for (const { parameter, feature, read } of members) {
    const value = (query as Readonly<Record<string, string | undefined>>)[parameter];
    if (value !== undefined) asked[feature] = read(value, parts);
  }
  return Object.keys(asked).length === 0 ? {} : { members: asked };
}

/** Adds the parameters of members to the rules of a query. */
export function rulesWithMembers<Query>(
  { schema, takes, numbers = [] }: Omit<QueryRules<Query>, 'isValid'>,
  members: readonly AnswerMember[],
): QueryRules<Query> {
  const more = Object.fromEntries(members.map((member) => [member.parameter, member.takes]));
  return queryRules<Query>(askingMembers(schema, members), { takes: { ...takes, ...more }, numbers });
}

/** The columns of those members that were asked for. */
export function memberColumns(
  members: readonly AnswerMember[],
  asked: NonNullable<LookupDetail['members']>,
): readonly MemberColumn[] {
  return members.flatMap(({ feature, name, columns }) =>
    feature in asked
      ? columns(asked[feature]).map((column) => ({
          ...column,
          cell: (body: unknown) => column.cell((body as Readonly<Record<string, unknown>>)[name]),
        }))
      : [],
  );
}
