import type { AnswerDefinition, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { AnswerKind } from '../kinds/kind.ts';
import { answerKinds, kindOf } from '../kinds/kinds.ts';
import type { PlaceView } from '../views/view.ts';
import { answerLayer } from './answer-layer.ts';
import type { SaidOfLayers } from './answer-members.ts';
import { evidenceJson, evidenceOf } from './evidence.ts';

/** Two JSON objects by layer key, in the order of the catalogue. */
export interface ExplainedLayers {
  readonly layers: string;
  readonly evidence: string;
}

interface Member {
  /** The key with its punctuation. Keys need no escapes (layers/schema). */
  readonly name: string;
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
  readonly kind: AnswerKind<AnswerDefinition>;
}

interface ExplainedPlace {
  readonly uncertaintyM: number;
  readonly sourceUntil?: ReadonlyMap<string, string> | undefined;
  /** Takes what is said of each layer, in their order. */
  readonly said?: SaidOfLayers | undefined;
}

/** Writes every layer's value at a place as JSON. It joins texts, most of which exist, instead of building objects first. */
export class LayersWriter {
  readonly #members: readonly Member[];

  constructor(answers: Catalogue['answers'], kinds = answerKinds) {
    this.#members = answers.map(({ dataSet, answer }, i) => ({
      ...{ dataSet, answer, kind: kindOf(answer, kinds) },
      name: `${i === 0 ? '' : ','}"${answer.key}":`,
    }));
  }

  plain(view: PlaceView): string {
    let json = '{';
    for (const { name, dataSet, answer, kind } of this.#members)
      json += name + answerLayer(view, dataSet, answer, kind).json;
    return `${json}}`;
  }

  /** `uncertaintyM`: expected error of the position, metres. */
  explained(view: PlaceView, { uncertaintyM, sourceUntil, said }: ExplainedPlace): ExplainedLayers {
    let [layers, evidence] = ['{', '{'];
    for (const { name, dataSet, answer, kind } of this.#members) {
      const given = answerLayer(view, dataSet, answer, kind);
      const rests = evidenceOf(view, { dataSet, answer, kind, given, uncertaintyM, sourceUntil });
      layers += name + given.json;
      evidence += name + evidenceJson(rests);
      said?.given.push(given);
      said?.evidence.push(rests);
    }
    return { layers: `${layers}}`, evidence: `${evidence}}` };
  }
}
