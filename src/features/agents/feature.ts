import { partOf, type ServedFeature, type Tool } from '../../feature.ts';
import { mcpRoute } from './route.ts';
import { toolsPart, toolsWith } from './tools.ts';
import { MCP_PATH, rpcAnswerSchema, rpcMessageSchema } from './operation.ts';

/** Lookups as tools, by the Model Context Protocol, for programs that reason. */
export const agents: ServedFeature = {
  guides: ['agents'],
  routes: [mcpRoute],
  schemas: { RpcMessage: rpcMessageSchema, RpcAnswer: rpcAnswerSchema },
  part: partOf(toolsPart, ({ members }, _opened, features) =>
    toolsWith(
      features.flatMap(({ tools }) => tools ?? []),
      members,
    ),
  ),
  about: ({ parts }) => ({ section: toolsSection(parts.of(toolsPart).tools) }),
};

function toolsSection(tools: readonly Tool[]): string {
  const lines = tools.map(
    ({ name, title, isFree }) => `- [${name}](${MCP_PATH}): ${title}${isFree ? ' (needs no key)' : ''}`,
  );
  return `## Tools for agents (Model Context Protocol, Streamable HTTP, no sessions)\n\nTheir answers have the states too.\n\n${lines.join('\n')}`;
}
