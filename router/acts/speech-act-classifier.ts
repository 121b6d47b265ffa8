/** natural's classifier over observations of a query: its words, and what the embedder made of it. */
import Classifier, { type Engine } from 'natural/lib/natural/classifiers/classifier.js';
import { ngramFeatures } from './features.ts';
import type { Observation } from './linear.ts';
import { readQuery } from './text.ts';

/**
 * natural keeps the documents, hands them to the engine and asks it for classifications. Its own way from text to
 * features (stems without stop words, one 0 or 1 for each word ever seen) is replaced: stop words are what tells
 * acts apart, and a dense row for each of 40,000 n-grams would not fit.
 */
export class SpeechActClassifier<O extends Observation = Observation> extends Classifier<O, O> {
  constructor(engine: Engine<O>) {
    super(engine, { tokenizeAndStem: (text) => readQuery(text).tokens });
  }

  override addDocument(observation: O, label: string): void {
    this.docs.push({ label, text: observation });
  }

  override textToFeatures(observation: O): O {
    return observation;
  }
}

/** What the classifier sees of a text; `vector` only for models that use it. */
export function observe(text: string, vector?: Float32Array): Observation {
  return { sparse: ngramFeatures(readQuery(text)), vector };
}
