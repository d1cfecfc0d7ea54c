/**
 * `npm run test:static` runs this: types and lint of the whole project. The compiler and the linter compute the same types, which is most of what each
 * of them takes, so that here they share them. `npm run types` and `npm run lint` find the same, each by itself.
 */
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { projectDir } from '../../src/project.ts';

interface Project {
  readonly program: ts.Program;
  readonly ownFiles: ReadonlySet<string>;
}

const formatHost: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => projectDir,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

const parsed = new Map<string, ts.SourceFile | undefined>();

/** A host that reads a file once for all projects that read it in the same way. */
function sharingHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, how, ...rest) => {
    const { languageVersion, impliedNodeFormat = '' } = typeof how === 'object' ? how : { languageVersion: how };
    const key = `${options.module} ${languageVersion} ${impliedNodeFormat} ${name}`;
    if (!parsed.has(key)) parsed.set(key, read(name, how, ...rest));
    return parsed.get(key);
  };
  return host;
}

/** Opens what the tsconfig.json of a folder describes. @throws Error when that has a fault. */
function open(folder: string): Project {
  const file = join(projectDir, folder, 'tsconfig.json');
  const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(
    file,
    { noEmit: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (fault) => {
        throw new Error(ts.formatDiagnostic(fault, formatHost));
      },
    },
  )!;
  if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, formatHost));
  const program = ts.createProgram(fileNames, options, sharingHost(options));
  return { program, ownFiles: new Set(fileNames) };
}

/** The faults that the compiler finds in a project, in its own files alone: those of another project are checked there. */
function typeFaults({ program, ownFiles }: Project): readonly ts.Diagnostic[] {
  const files = program.getSourceFiles().filter(({ fileName }) => ownFiles.has(fileName));
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
}

/** Lints all files, with the types of these projects. Returns the report; empty: there is no fault. */
async function lint(main: Project, page: Project): Promise<string> {
  const typed = (files: string, { program }: Project) => ({
    files: [files],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  });
  const eslint = new ESLint({
    cwd: projectDir,
    overrideConfig: [typed('**/*.ts', main), typed('test/page/*.ts', page)],
  });
  const results = await eslint.lintFiles(['.']);
  return (await eslint.loadFormatter('stylish')).format(results);
}

const [main, page, web] = [open('.'), open('test/page'), open('web')];
const faults = [main, page, web].flatMap(typeFaults);
process.stdout.write(ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(faults), formatHost));
const report = await lint(main, page);
process.stdout.write(report);
if (faults.length > 0 || report.trim() !== '') process.exitCode = 1;
