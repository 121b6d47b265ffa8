/** From a query to a distribution over speech acts. Pure and synchronous once the weights are there. */
import type { Engine } from 'natural/lib/natural/classifiers/classifier.js';
import { PragauraError } from '../../common/index.ts';
import { ACTS, type Act, type ActDistribution } from '../../profiles/index.ts';
import { ngramFeatures } from './features.ts';
import { type LinearWeights, logits, type Observation, softmax } from './linear.ts';
import { hashOf, type ModelHeader, type Tuning, type WeightSets } from './model-file.ts';
import { SpeechActClassifier } from './speech-act-classifier.ts';
import { type QueryText, readQuery } from './text.ts';

/** Trained weights as natural's classifier wants its engine; teaching it more is not what it is for. */
class FixedEngine implements Engine<Observation> {
  private readonly labels: readonly Act[];
  private readonly weights: LinearWeights;
  private readonly temperature: number;

  constructor(labels: readonly Act[], weights: LinearWeights, temperature: number) {
    this.labels = labels;
    this.weights = weights;
    this.temperature = temperature;
  }

  addExample(): void {
    throw new PragauraError('INTERNAL', 'The weights of the speech-act classifier are fixed.');
  }

  train(): void {
    this.addExample();
  }

  getClassifications(features: Observation): { label: Act; value: number }[] {
    const probabilities = softmax(logits(this.weights, features), this.temperature);
    return this.labels
      .map((label, c) => ({ label, value: probabilities[c]! }))
      .sort((a, b) => b.value - a.value);
  }

  classify(features: Observation): Act {
    return this.getClassifications(features)[0]!.label;
  }
}

export class ActClassifier {
  /** The embedder whose vectors `classify` expects. */
  readonly embedder: Readonly<ModelHeader['embedder']>;
  readonly name = 'speech-acts';
  /** sha256 over the header, which names the hash of the weights: what decisions depend on. */
  readonly hash: string;
  private readonly header: ModelHeader;
  private readonly withVector: SpeechActClassifier;
  private readonly textOnly: SpeechActClassifier;

  constructor(header: ModelHeader, weights: WeightSets) {
    this.header = header;
    this.embedder = header.embedder;
    this.hash = hashOf(Buffer.from(JSON.stringify(header)));
    const { labels } = header;
    this.withVector = new SpeechActClassifier(
      new FixedEngine(labels, weights.withVector, header.withVector.temperature),
    );
    this.textOnly = new SpeechActClassifier(
      new FixedEngine(labels, weights.textOnly, header.textOnly.temperature),
    );
  }

  /**
   * `vector`: the unit vector of the query from `embedder`; null when that embedder is not at hand, which uses a
   * second, somewhat weaker set of weights. `probabilities` sum to one. The label is the likeliest act, except that
   * NOT_A_QUESTION, which refuses to retrieve, needs a high probability, else the next act stands.
   * Throws INVALID_INPUT when the vector has another dimension or holds anything but finite numbers.
   */
  classify(query: string, vector: Float32Array | null): ActDistribution {
    if (vector !== null) this.check(vector);
    const text = readQuery(query);
    if (text.wordless) return certainly('NOT_A_QUESTION');
    const model = vector === null ? this.textOnly : this.withVector;
    const ranked = model.getClassifications({ sparse: ngramFeatures(text), vector: vector ?? undefined });
    const tuning = vector === null ? this.header.textOnly : this.header.withVector;
    return decide(ranked as { label: Act; value: number }[], tuning, text);
  }

  private check(vector: Float32Array): void {
    const { dimension } = this.embedder;
    if (vector.length !== dimension || !vector.every(Number.isFinite)) {
      throw new PragauraError(
        'INVALID_INPUT',
        `The query's vector is not one of ${dimension} finite numbers.`,
        {
          hint: `The classifier needs vectors of ${this.embedder.name}, or null.`,
        },
      );
    }
  }
}

/**
 * `confident` needs a top probability of at least `confidentAt`, no repetition or omission in the query, and a label
 * that is the likeliest act. NOT_A_QUESTION needs `refuseAt` and a text that has not the form of a question. `ranked`: acts by falling probability.
 */
export function decide(
  ranked: readonly { label: Act; value: number }[],
  tuning: Tuning,
  { degenerate, asks }: Pick<QueryText, 'degenerate' | 'asks'>,
): ActDistribution {
  const top = ranked[0]!;
  const refused = top.label === 'NOT_A_QUESTION' && (degenerate || asks || top.value < tuning.refuseAt);
  return {
    label: refused ? ranked[1]!.label : top.label,
    probabilities: distribution((act) => ranked.find(({ label }) => label === act)?.value ?? 0),
    confident: !refused && !degenerate && top.value >= tuning.confidentAt,
  };
}

function certainly(label: Act): ActDistribution {
  return { label, probabilities: distribution((act) => (act === label ? 1 : 0)), confident: true };
}

function distribution(of: (act: Act) => number): Record<Act, number> {
  return Object.fromEntries(ACTS.map((act) => [act, of(act)])) as Record<Act, number>;
}
