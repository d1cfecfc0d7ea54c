import { Type } from 'typebox';
import type { ServedFeature, ToolCall } from '../../feature.ts';
import { suggestQuerySchema } from './wire.ts';
import type { Suggestion } from '../../messages/lookup.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { suggestibleOf, runSuggest, suggestRoute } from './suggest-route.ts';
import { suggestSettings } from './settings.ts';

/** Completes addresses while they are typed: a route, and a tool for agents. */
export const suggest: ServedFeature = {
  routes: [suggestRoute],
  about: ({ config }) => ({
    limits: `It may ask for suggestions ${settingsOf(config, suggestSettings).perHour} times per hour.`,
  }),
  tools: [
    {
      name: 'suggest_address',
      title: 'Complete an address',
      description:
        'Completes the beginning of an address: civic addresses, streets and municipalities of Ontario, the best first. Use it before lookup_address when an address is incomplete or was refused. Free, with an hourly limit of its own.',
      inputSchema: suggestQuerySchema,
      output: {
        suggestions: Type.Array(
          Type.Object({
            kind: Type.String(),
            text: Type.String(),
            lat: Type.Optional(Type.Number()),
            lon: Type.Optional(Type.Number()),
          }),
        ),
      },
      run: complete,
    },
  ],
};

async function complete(args: unknown, { services, res }: ToolCall) {
  const answer = await runSuggest(services, res, suggestibleOf(args));
  const { suggestions } = JSON.parse(answer) as { suggestions: readonly Suggestion[] };
  return () => ({ suggestions });
}
