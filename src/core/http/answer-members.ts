/** Members that features add to the answers of lookups, for those who ask for them by a parameter of the query. */
import { Type, type TObject } from 'typebox';
import type { LookupDetail } from '../../messages/lookup.ts';
import { badRequest } from '../../messages/problems.ts';
import { closed } from '../../schema.ts';
import { askingMembers, type DocumentedMember } from '../openapi/lookup-operations.ts';
import type { Parts } from '../parts/parts.ts';
import { queryRules, type QueryRules } from './query.ts';

export interface AnswerMember extends DocumentedMember {
  /** As FEATURES names it: in a lookup thread, the feature of this name writes the member. */
  readonly feature: string;
  /** What the parameter takes, in words. */
  readonly takes: string;
  /** The same for the argument of the tools for agents, which know no routes; absent: as `takes`. */
  readonly argument?: string;
  /** Reads the value of the parameter as plain data, equal for requests that ask the same. @throws AppError BAD_REQUEST, about `param` where that is given. */
  readonly read: (value: string, parts: Parts, param?: string) => unknown;
  /** Where the tools for agents take the parameter as an argument: what they tell of the member, with its texts cut to a length in characters. */
  readonly tell?: (member: unknown, longest: number) => unknown;
  /** The value of the parameter with which the tools for agents always ask; absent: only an argument asks. */
  readonly forTools?: string;
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

/** The arguments of a tool with those of members that tools take. They are short, because every agent reads them. */
export function withMemberArguments({ properties }: TObject, members: readonly AnswerMember[]): TObject {
  const more = members.flatMap(({ parameter, takes, argument = takes, tell }) =>
    tell ? [[parameter, Type.Optional(Type.String({ description: argument }))] as const] : [],
  );
  return closed({ ...properties, ...Object.fromEntries(more) });
}

/**
 * Takes the arguments of members out of those of a tool; the rest is the tool's own. Some members are asked for always (`forTools`).
 * @throws AppError BAD_REQUEST.
 */
export function splitMembers(
  args: unknown,
  { members, parts }: WithMembers,
): { readonly rest: unknown; readonly asked: Pick<LookupDetail, 'members'> } {
  const always = membersOf(
    Object.fromEntries(members.flatMap(({ parameter, forTools }) => (forTools ? [[parameter, forTools]] : []))),
    { members, parts },
  );
  if (typeof args !== 'object' || args === null) return { rest: args, asked: always };
  const given = members.filter(({ parameter, tell }) => tell && parameter in args);
  const asked = given.map(({ parameter, feature, read }) => {
    const { [parameter]: value } = args as Readonly<Record<string, unknown>>;
    if (typeof value === 'string') return [feature, read(value, parts, `/${parameter}`)] as const;
    throw badRequest(`the argument "${parameter}" must be a text`, { param: `/${parameter}` });
  });
  if (asked.length === 0) return { rest: args, asked: always };
  const own = Object.entries(args).filter(([name]) => !given.some(({ parameter }) => parameter === name));
  return { rest: Object.fromEntries(own), asked: { members: { ...always.members, ...Object.fromEntries(asked) } } };
}

/** What tools tell of the members of an answer. */
export function toldMembers(body: object, { members }: Pick<WithMembers, 'members'>, longest: number): object {
  const told = members.flatMap(({ name, tell }) => {
    const { [name]: member } = body as Readonly<Record<string, unknown>>;
    return tell && member !== undefined ? [[name, tell(member, longest)] as const] : [];
  });
  return Object.fromEntries(told);
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
