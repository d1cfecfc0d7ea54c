import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { projectDir } from '../../../src/project/project.ts';

/** What starts a file by its name: the folder of the name, where it is not beside the file that starts it. */
const STARTERS: ReadonlyMap<string, string | null> = new Map([
  ...([
    ['workerFile', 'workers/threads'],
    ['runWorker', 'workers/threads'],
    ['threadFile', 'workers/threads'],
    ['webModule', 'web'],
  ] as const),
  ...([
    ['URL', null],
    ['programFile', null],
    ['import', null],
  ] as const),
]);

/**
 * Returns the files of the project that a file loads when it runs: those that it imports, not for types alone, and the programs and threads that it
 * starts by their name. Paths are those of the sources, from the folder of the project.
 */
export function importsOf(file: string): readonly string[] {
  if (!/\.(ts|js|mjs)$/.test(file)) return [];
  const source = ts.createSourceFile(file, readFileSync(join(projectDir, file), 'utf8'), ts.ScriptTarget.Latest);
  const found = new Set<string>();
  const add = (name: string, folder: string | null): void => {
    if (folder === null && !name.startsWith('.')) return;
    const path = normalize(join(folder ?? dirname(file), name));
    const existing = [path, `${path}.ts`].find((one) => /\.\w+$/.test(one) && existsSync(join(projectDir, one)));
    if (existing !== undefined) found.add(existing);
  };
  const visit = (node: ts.Node): void => {
    if (isLoading(node) && node.moduleSpecifier) add(nameIn(node.moduleSpecifier), null);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const folder = STARTERS.get(node.expression.getText(source));
      if (folder !== undefined) add(nameIn(node.arguments?.[0]), folder);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

/** The text of a name, also of one whose ending is computed: `../threads/split${ending}`. Empty: it is no text. */
function nameIn(node: ts.Node | undefined): string {
  if (node && ts.isStringLiteralLike(node)) return node.text;
  return node && ts.isTemplateExpression(node) ? node.head.text : '';
}

/** An import or export that is still there when the types are gone. */
function isLoading(node: ts.Node): node is ts.ImportDeclaration | ts.ExportDeclaration {
  if (ts.isExportDeclaration(node)) return !node.isTypeOnly;
  return ts.isImportDeclaration(node) && node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword;
}
