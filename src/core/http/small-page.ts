import { fileGroups } from './file-groups.ts';
import type { PageLanguage } from './page-language.ts';

interface SmallPage {
  readonly language: PageLanguage;
  readonly title: string;
  /** More lines of the head. */
  readonly head?: string;
  /** Links above the page; none where absent. */
  readonly links?: string;
  readonly main: string;
}

/** A page without a program, in the style of the documents: the licences, the examples, the errors, a wrong address. All its texts are HTML. */
export function smallPage({ language, title, head = '', links, main }: SmallPage): string {
  const { url } = fileGroups().web;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}<link rel="icon" href="${url}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${url}/docs.css">
</head>
<body>
${links === undefined ? '' : `<nav class="back" aria-label="Site">${links}</nav>\n`}<main>
${main}
</main>
</body>
</html>
`;
}
