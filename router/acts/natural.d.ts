/**
 * Types of the three files of natural that are imported one by one. The package's front door is not used: it
 * prints to standard output, reads `.env` and loads database clients.
 */
declare module 'natural/lib/natural/classifiers/classifier.js' {
  export interface Engine<Features> {
    addExample(features: Features, label: string): void;
    train(): void;
    getClassifications(features: Features): { label: string; value: number }[];
    classify(features: Features): string;
  }

  class Classifier<Observation, Features> {
    constructor(engine: Engine<Features>, stemmer: { tokenizeAndStem(text: string): string[] });
    readonly classifier: Engine<Features>;
    docs: { label: string; text: Observation }[];
    addDocument(observation: Observation, label: string): void;
    textToFeatures(observation: Observation): Features;
    train(): void;
    getClassifications(observation: Observation): { label: string; value: number }[];
    classify(observation: Observation): string;
  }
  export default Classifier;
}

declare module 'natural/lib/natural/ngrams/ngrams.js' {
  const grams: {
    ngrams(sequence: readonly string[], n: number, start?: string, end?: string): string[][];
  };
  export default grams;
}

declare module 'natural/lib/natural/tokenizers/regexp_tokenizer.js' {
  const tokenizers: {
    RegexpTokenizer: new (options: {
      pattern: RegExp;
      gaps: boolean;
    }) => {
      tokenize(text: string): string[] | null;
    };
  };
  export default tokenizers;
}
