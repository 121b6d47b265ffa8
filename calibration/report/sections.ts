/** What a report says, whether it is printed as text or as a page. */
import type { Abstentions, Evaluation } from '../evaluation/types.ts';
import { digits, overDocuments, VERDICTS, withCounts, withInterval } from './numbers.ts';
import { figuresOf } from './tables.ts';

export interface Section {
  /** Null: it goes on with what the section before is about. */
  title: string | null;
  /** Of its heading; left out: 2. */
  level?: 2 | 3;
  /** Above the table. */
  text: string[];
  table: {
    /** What it shows; left out where the title says it. */
    caption?: string;
    /** Cells are sentences, not figures. */
    words?: boolean;
    head: string[];
    rows: string[][];
  } | null;
  /** Below the table: what the columns mean. */
  notes: string[];
  /** Names of the figures that belong here. */
  figures: string[];
}

export function sectionsOf(evaluation: Evaluation): Section[] {
  return [
    figureSection(evaluation),
    rankingSection(evaluation),
    selectiveSection(evaluation),
    guaranteeSection(evaluation),
    actSection(evaluation),
    abstentionSection(evaluation),
    reliabilitySection(evaluation),
    decisionSection(evaluation),
    spentSection(evaluation),
  ].filter((section) => section !== null);
}

/** One sentence: on what, and by which thresholds. */
export function headline({ counts, thresholds }: Evaluation): string {
  const { examples, groups, documents, actions, errors } = counts;
  const rule =
    thresholds.status === 'CALIBRATED'
      ? `calibrated thresholds${thresholds.hash === null ? '' : ` ${thresholds.hash.slice(0, 12)}`}`
      : 'the provisional rule (NOT_CALIBRATED: nothing is promised)';
  const failed = errors === 0 ? '' : `, ${errors} could not be decided`;
  const tied = documents === groups ? '' : ` (${documents} that share no document or question)`;
  const { ANSWER = 0, ASK = 0, ABSTAIN = 0 } = actions;
  return `${examples} labelled queries of ${groups} groups${tied}, by ${rule}: ${ANSWER} answered, ${ASK} asked back, ${ABSTAIN} abstained${failed}.`;
}

function figureSection(evaluation: Evaluation): Section {
  const { settings, errorCauses, everything } = evaluation;
  const rule = settings.rule.kind === 'em' ? 'no exact match' : `F1 below ${settings.rule.least}`;
  const causes = [
    ['nothing answers the query', errorCauses.unanswerable],
    ['no passage with the answer was read', errorCauses.notRead],
    ['no candidate was found', errorCauses.noCandidate],
    ['it was read and another span chosen', errorCauses.misread],
    ['wrong, and no passages are labelled', errorCauses.untold],
  ] as const;
  const parts = causes.filter(([, share]) => share !== null && share > 0);
  const why =
    parts.length === 0
      ? []
      : [
          `Risk of every candidate, ${digits(everything.risk.value)}, is the sum of: ${parts.map(([cause, share]) => `${digits(share)} ${cause}`).join(', ')}.`,
        ];
  return {
    title: 'Figures',
    text: why,
    table: {
      head: ['', 'n', `value [${settings.level * 100} % interval]`],
      rows: figuresOf(evaluation).map(({ name, estimate }) => [
        name,
        String(estimate.n),
        withInterval(estimate),
      ]),
    },
    notes: [
      `An answer is wrong with ${rule}, and whenever nothing should be answered. Intervals: percentile bootstrap by group, ${settings.resamples} resamples.`,
      '1 - SCR: share of the words of the claim that its passage does not hold. E is the entailment of the claim weighed by how good the answer is, so that 1 - E is strict and no probability.',
    ],
    figures: [],
  };
}

function rankingSection({ rankings, settings }: Evaluation): Section {
  const own = rankings[0]?.losses.wrong;
  const gap =
    own?.aurc.value == null
      ? []
      : [
          `AURC ${digits(own.aurc.value)} = ${digits(own.oracle.value)} that the errors of the candidates cost in the best order possible + ${digits(own.excess.value)} that the ranking costs.`,
        ];
  return {
    title: 'In which order to answer',
    text: gap,
    table: {
      head: ['order', 'AURC', '= reader', '+ ranking (E-AURC)', 'AUGRC', 'AURC less the first'],
      rows: rankings.map(({ name, losses: { wrong }, againstFirst }) => [
        name,
        withInterval(wrong.aurc),
        digits(wrong.oracle.value),
        withInterval(wrong.excess),
        withInterval(wrong.augrc),
        againstFirst === null ? '' : withInterval({ ...againstFirst.aurc, unscored: 0 }),
      ]),
    },
    notes: [
      ...rankings.map(({ name, about }) => `${name}: ${about}.`),
      `Loss: wrong or not. AURC: mean risk over all coverages. E-AURC: AURC less that of the best order. AUGRC: mean chance, over coverages, that a query is answered wrongly. Last column: paired on the same resamples, ${settings.level * 100} % interval; not corrected for the number of orders.`,
    ],
    figures: ['risk-coverage', 'ablation'],
  };
}

function selectiveSection({ rankings }: Evaluation): Section {
  return {
    title: 'The least uncertain answered',
    text: [],
    table: {
      head: ['coverage', 'EM', 'best EM', 'F1', 'best F1', '1 - SCR', '1 - E', 'U at most'],
      rows: (rankings[0]?.selective ?? []).map((at) => [
        at.coverage.toFixed(2),
        withInterval(at.em),
        digits(at.bestEm),
        withInterval(at.f1),
        digits(at.bestF1),
        digits(at.unsupportedTokens),
        digits(at.unsupportedEntailment),
        at.threshold === null ? 'none' : digits(at.threshold),
      ]),
    },
    notes: [
      'Best: the same candidates in the best order possible. 1 - SCR and 1 - E: unsupported by tokens and by entailment. "none": the share reaches into closed gates.',
    ],
    figures: ['selective-accuracy', 'unsupported'],
  };
}

function guaranteeSection({ checks, thresholds: { promised } }: Evaluation): Section | null {
  if (promised === null) return null;
  const delta = promised.delta === null ? '' : `, with chance ${promised.delta} of failing over calibrations`;
  return {
    title: 'Promised and realised',
    text: [`Target ${promised.target}, level ${promised.level}${delta}.`],
    table:
      checks.length === 0
        ? null
        : {
            head: ['queries', 'promise', 'tau', 'realised', 'by document', ''],
            rows: checks.map(({ pool, about, level, tau, realised, byDocument, verdict }) => [
              pool,
              `${about} ${about === 'coverage' ? 'at least' : 'at most'} ${level}`,
              digits(tau),
              withCounts(realised),
              byDocument === null ? '–' : overDocuments(byDocument),
              VERDICTS[verdict],
            ]),
          },
    notes:
      checks.length === 0
        ? ['No threshold reached the level: nothing is answered and nothing is promised.']
        : [
            'Each row holds all queries of its acts to its own threshold. Realised: Clopper and Pearson intervals, queries counted as independent.',
            ...(promised.exchangeable === 'documents'
              ? [
                  'Promised is the mean over documents, each counting alike; its interval holds at any number of them, and the verdict is about it.',
                ]
              : []),
            ...(promised.target === 'coverage'
              ? [
                  'Coverage is promised on average over calibrations: one threshold is within noise while one calibration in forty would answer so few, also where the interval, which is about this threshold, misses the level.',
                ]
              : []),
          ],
    figures: [],
  };
}

function actSection({ acts }: Evaluation): Section | null {
  if (acts.length === 0) return null;
  return {
    title: 'By predicted act',
    text: [],
    table: {
      head: ['act', 'n', 'tau', 'ask', 'abstain', 'answered', 'wrong of answered', 'EM', 'F1', 'AURC'],
      rows: acts.map(({ act, n, tau, actions, coverage, risk, em, f1, aurc }) => [
        act,
        String(n),
        digits(tau),
        String(actions.ASK ?? 0),
        String(actions.ABSTAIN ?? 0),
        withCounts(coverage),
        withCounts(risk),
        digits(em.value),
        digits(f1.value),
        withInterval(aurc),
      ]),
    },
    notes: ['Answered and wrong: exact intervals. EM and F1: of the answers given.'],
    figures: ['uncertainty-by-act'],
  };
}

function abstentionSection({ abstentions: { all, byAction, byReason } }: Evaluation): Section {
  const row = (name: string, counts: Abstentions) => [
    name,
    String(counts.n),
    String(counts.unanswerable),
    String(counts.prevented),
    String(counts.withoutCandidate),
    String(counts.needless),
    String(counts.unknown),
  ];
  return {
    title: 'Not answered',
    text: [],
    table: {
      head: ['', 'n', 'nothing to answer', 'would be wrong', 'no candidate', 'would be right', 'not known'],
      rows: [
        row('all', all),
        row('ASK', byAction.ASK),
        row('ABSTAIN', byAction.ABSTAIN),
        ...Object.entries(byReason).map(([reason, counts]) => row(reason, counts)),
      ],
    },
    notes: ['"Would be right" are needless: the candidate that was held back equals the label.'],
    figures: [],
  };
}

function reliabilitySection({ reliability, settings }: Evaluation): Section {
  const row = (
    name: string,
    { brier, brierOfConstant, ece, eceByChance }: Evaluation['reliability']['measured'],
  ) => [
    name,
    String(brier.n),
    withInterval(brier),
    digits(brierOfConstant),
    withInterval(ece),
    digits(eceByChance),
  ];
  return {
    title: 'Does 1 - U say how often it is right?',
    text: [reliability.about],
    table: {
      head: ['', 'n', 'Brier', 'Brier of the mean', 'ECE', 'ECE by chance'],
      rows: [row('open gates', reliability.measured), row('answered', reliability.answered)],
    },
    notes: [
      `ECE: at most ${settings.bins} bins of equal mass. By chance: what it would be on average were every stated probability exact; only what lies above that is miscalibration. Brier of the mean: of always stating the share right.`,
    ],
    figures: ['reliability'],
  };
}

function decisionSection({ decisions }: Evaluation): Section | null {
  if (decisions === null) return null;
  const decided = ['ANSWER', 'ASK', 'ABSTAIN', 'ERROR'];
  return {
    title: 'Against labelled decisions',
    text: [`Accuracy ${withInterval(decisions.accuracy)} of ${decisions.accuracy.n}.`],
    table: {
      head: ['labelled', ...decided],
      rows: Object.entries(decisions.confusion).map(([label, counts]) => [
        label,
        ...decided.map((name) => String(counts[name] ?? 0)),
      ]),
    },
    notes: [],
    figures: [],
  };
}

function spentSection({ spent }: Evaluation): Section | null {
  if (spent === null) return null;
  return {
    title: 'Spent on a query',
    text: [],
    table: {
      head: ['', 'mean', '95th percentile', 'budget'],
      rows: Object.entries(spent).map(([unit, { mean, p95, budget }]) => [
        unit,
        mean.toFixed(1),
        p95.toFixed(0),
        budget === null ? 'differs' : String(budget),
      ]),
    },
    notes: [],
    figures: [],
  };
}
