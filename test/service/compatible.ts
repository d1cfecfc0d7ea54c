/**
 * What would break a client of an OpenAPI document: a comparison of the published document with the present one. Additions
 * are fine for answers only where clients were told to expect them; the rules here err on the side of a failing test.
 */

type Json = Readonly<Record<string, unknown>>;

/** Breaking changes from `before` to `after`, in words. */
export function breakingChanges(before: Json, after: Json): string[] {
  return [...pathChanges(before, after), ...schemaChanges(before, after)];
}

function pathChanges(before: Json, after: Json): string[] {
  return Object.entries(at(before, 'paths')).flatMap(([path, operations]) =>
    Object.entries(operations as Json).flatMap(([method, operation]) => {
      const where = `${method} ${path}`;
      const now = at(after, 'paths', path, method);
      return Object.keys(now).length === 0 ? [`${where} is gone`] : operationChanges(where, operation as Json, now);
    }),
  );
}

function operationChanges(where: string, before: Json, after: Json): string[] {
  const statuses = (operation: Json): string[] => Object.keys(at(operation, 'responses'));
  const parameters = (operation: Json): unknown[] =>
    ((operation['parameters'] ?? []) as Json[]).map((one) => one['name']);
  return [
    ...missing(statuses(before), statuses(after)).map((status) => `${where} no longer documents ${String(status)}`),
    ...missing(parameters(before), parameters(after)).map((name) => `${where} no longer takes ${String(name)}`),
  ];
}

function schemaChanges(before: Json, after: Json): string[] {
  return Object.keys(at(before, 'components', 'schemas')).flatMap((name) => {
    const now = inlined(after, at(after, 'components', 'schemas', name));
    if (Object.keys(now).length === 0) return [`schema ${name} is gone`];
    const old = inlined(before, at(before, 'components', 'schemas', name));
    return compare(name, old, now, name === 'LookupRequest' ? 'request' : 'answer');
  });
}

/** By the schema, which is part of one document alone. */
const made = new WeakMap<Json, Json>();

/** A schema with what it refers to in its place. */
function inlined(document: Json, schema: Json): Json {
  let whole = made.get(schema);
  if (!whole) made.set(schema, (whole = inlinedAnew(document, schema)));
  return whole;
}

function inlinedAnew(document: Json, schema: Json): Json {
  const { $ref, ...own } = schema;
  const all =
    typeof $ref === 'string' ? { ...inlined(document, at(document, ...$ref.split('/').slice(1))), ...own } : own;
  const members = Object.entries(all).map(([name, member]) => {
    if (Array.isArray(member))
      return [name, member.map((one: unknown) => (isObject(one) ? inlined(document, one) : one))];
    return [name, isObject(member) ? inlined(document, member) : member];
  });
  return Object.fromEntries(members) as Json;
}

type Side = 'request' | 'answer';

function compare(where: string, before: Json, after: Json, side: Side): string[] {
  return [
    ...typeChanges(where, before, after, side),
    ...enumChanges(where, before['enum'], after['enum'], side),
    ...requiredChanges(where, before, after, side),
    ...innerChanges(where, before, after, side),
    ...(side === 'request' && Number(after['maxLength']) < Number(before['maxLength']) ? [`${where} takes less`] : []),
  ];
}

function typeChanges(where: string, before: Json, after: Json, side: Side): string[] {
  const types = (schema: Json): unknown[] => [schema['type'] ?? []].flat();
  const lost = side === 'answer' ? missing(types(after), types(before)) : missing(types(before), types(after));
  return lost.map((type) => `${where}: the type ${String(type)} is ${side === 'answer' ? 'new' : 'no longer taken'}`);
}

function requiredChanges(where: string, before: Json, after: Json, side: Side): string[] {
  const required = (schema: Json): unknown[] => (schema['required'] ?? []) as unknown[];
  return side === 'answer'
    ? missing(required(before), required(after)).map((name) => `${where}.${String(name)} is no longer sure`)
    : missing(required(after), required(before)).map((name) => `${where}.${String(name)} is now required`);
}

function innerChanges(where: string, before: Json, after: Json, side: Side): string[] {
  const properties = Object.entries(at(before, 'properties')).flatMap(([name, schema]) => {
    const now = at(after, 'properties', name);
    if (Object.keys(now).length === 0) return [`${where}.${name} is gone`];
    return compare(`${where}.${name}`, schema as Json, now, side);
  });
  const members = ['items', 'additionalProperties'].flatMap((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    return isObject(old) && isObject(now) ? compare(`${where}[]`, old, now, side) : [];
  });
  return [...properties, ...members];
}

/** An answer may lose values but never gain one that clients do not know; a request the other way round. */
function enumChanges(where: string, before: unknown, after: unknown, side: Side): string[] {
  if (!Array.isArray(before)) return [];
  if (!Array.isArray(after)) return side === 'answer' ? [`${where} can now be anything`] : [];
  const strange = side === 'answer' ? missing(after, before) : missing(before, after);
  return strange.map(
    (value) => `${where}: ${String(value)} ${side === 'answer' ? 'is a new value' : 'is no longer taken'}`,
  );
}

function missing(of: readonly unknown[], from: readonly unknown[]): unknown[] {
  return of.filter((value) => !from.includes(value));
}

function at(start: Json, ...names: readonly string[]): Json {
  return names.reduce<Json>((here, name) => (isObject(here[name]) ? here[name] : {}), start);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
