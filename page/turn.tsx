/** A question and what became of it. */
import type { Decision, Query, StageReport } from '../router/contracts.ts';
import type { Label, LabelState } from './api.ts';
import { Judgment } from './judgment.tsx';
import type { Place } from './source.tsx';
import type { Words } from './words.ts';

export interface Asked {
  query: string;
  collection: string;
  history: NonNullable<Query['history']>;
  state: 'running' | 'decided' | 'failed';
  stages: StageReport[];
  /** Null until it is decided. */
  decision: Decision | null;
  /** Why there is none. */
  problem: string | null;
}

interface Props {
  turn: Asked;
  words: Words;
  /** Choices of earlier turns are over. */
  isLast: boolean;
  onAsk: (query: string) => void;
  onShow: (place: Place) => void;
  /** Null: labels are not kept. */
  onLabel: ((label: Label) => Promise<LabelState>) | null;
}

export function Turn({ turn, words, isLast, onAsk, onShow, onLabel }: Props) {
  const { query, decision, problem, stages } = turn;
  return (
    <article>
      <h2>
        <span class="hidden">{words.you}: </span>
        {query}
      </h2>
      {turn.state === 'running' && <Stages stages={stages} words={words} />}
      {problem !== null && <p class="problem">{problem}</p>}
      {decision !== null && (
        <>
          <Decided decision={decision} words={words} isLast={isLast} onAsk={onAsk} onShow={onShow} />
          {onLabel !== null && (
            <Judgment
              query={query}
              history={turn.history}
              decision={decision}
              words={words}
              onLabel={onLabel}
            />
          )}
        </>
      )}
    </article>
  );
}

function Stages({ stages, words }: { stages: StageReport[]; words: Words }) {
  const said = (report: StageReport) => {
    switch (report.stage) {
      case 'act':
        return `${words.act} ${report.act.label}`;
      case 'retrieval':
        return `${words.retrieval}: ${report.found}`;
      case 'signals':
        return `${words.signals}: ${(['D', 'C', 'E'] as const)
          .map((name) => `${name} ${report.signals[name]?.toFixed(2) ?? '–'}`)
          .join(', ')}`;
    }
  };
  return (
    <ul class="stages" aria-label={words.stages}>
      {stages.length === 0 && <li>{words.waiting} …</li>}
      {stages.map((report, i) => (
        <li key={i}>{said(report)}</li>
      ))}
    </ul>
  );
}

function Decided({
  decision,
  words,
  isLast,
  onAsk,
  onShow,
}: Omit<Props, 'turn' | 'onLabel'> & { decision: Decision }) {
  const { action, answer, parts, clarification, abstention, caveats } = decision;
  const refused = clarification ?? abstention;
  return (
    <div class={`decided ${action.toLowerCase()}`}>
      {answer !== undefined ? (
        <Answered answer={answer} words={words} decision={decision} onShow={onShow} />
      ) : (
        <>
          {parts.map(
            (part) =>
              part.answer !== undefined && (
                <section key={part.query}>
                  <h3>{part.query}</h3>
                  <Answered answer={part.answer} words={words} decision={decision} onShow={onShow} />
                </section>
              ),
          )}
          <p class="kind">{action === 'ASK' ? words.clarification : words.abstention}</p>
          <p class="message">{refused!.message}</p>
          {abstention?.conflict?.map((side) => (
            <Quote
              key={side.passageId}
              text={side.text}
              place={{ ...side, quotes: [side.text] }}
              words={words}
              onShow={onShow}
            />
          ))}
          <Choices decision={decision} words={words} isLast={isLast} onAsk={onAsk} />
        </>
      )}
      {caveats.length > 0 && (
        <>
          <p class="kind">{words.noted}</p>
          <ul>
            {caveats.map((caveat) => (
              <li key={caveat}>{caveat}</li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>{words.certainty}</summary>
        <p class="certainty">{decision.guarantee.sentence}</p>
      </details>
      <details>
        <summary>{words.details}</summary>
        <pre>{JSON.stringify(decision, null, 1)}</pre>
      </details>
    </div>
  );
}

/** Choices are asked; what can be answered instead is told. */
function Choices({
  decision: { action, clarification, abstention },
  words,
  isLast,
  onAsk,
}: Pick<Props, 'words' | 'isLast' | 'onAsk'> & { decision: Decision }) {
  const options = clarification?.question?.options ?? [];
  const suggested = ((clarification ?? abstention)?.suggestions ?? []).map((value) => ({ value }));
  const values: readonly { value: string; about?: string | undefined }[] =
    options.length > 0 ? options : suggested;
  if (values.length === 0) return null;
  return (
    <>
      <p class="kind">{action === 'ASK' ? words.choices : words.instead}</p>
      <ul class={action === 'ASK' ? 'choices' : ''}>
        {values.map(({ value, about }) => (
          <li key={value}>
            {action === 'ASK' ? (
              <button type="button" disabled={!isLast} onClick={() => onAsk(value)}>
                {value}
                {about !== undefined && <small> {about}</small>}
              </button>
            ) : (
              value
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

type Answer = NonNullable<Decision['answer']>;

function Answered({
  answer,
  decision,
  words,
  onShow,
}: Pick<Props, 'words' | 'onShow'> & { answer: Answer; decision: Decision }) {
  const { form, text, verdict, band, cut, quotes } = answer;
  const verdicts = { yes: words.yes, no: words.no, depends: words.depends } as Record<string, string>;
  const passages = [...new Set(quotes.map(({ passageId }) => passageId))];
  return (
    <>
      <p class="kind">{band === 'LOW' ? words.probably : words.answer}</p>
      {verdict !== null && <p class="verdict">{verdicts[verdict] ?? verdict}</p>}
      <Text form={form} text={text} isVerdict={verdict !== null} />
      {cut !== null && (
        <p class="certainty">
          {words.cut}: {cut}
        </p>
      )}
      <p class="kind">{words.sources}</p>
      <ul class="sources">
        {passages.map((passageId) => {
          const of = quotes.filter((quote) => quote.passageId === passageId);
          return (
            <li key={passageId}>
              <Quote
                text={of.find(({ role }) => role === 'context')?.text ?? of[0]!.text}
                place={placeOf(
                  decision,
                  passageId,
                  of.map((quote) => quote.text),
                )}
                words={words}
                onShow={onShow}
              />
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Lines of a list are its items; all else keeps its lines. */
function Text({ form, text, isVerdict }: { form: Answer['form']; text: string; isVerdict: boolean }) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (isVerdict && lines.length < 2) return null;
  if (form === 'list' && lines.length > 1) {
    return (
      <ul class="text">
        {lines.map((line, i) => (
          <li key={i}>{line.replace(/^[-*•] /, '')}</li>
        ))}
      </ul>
    );
  }
  return <p class="text">{text}</p>;
}

function Quote({
  text,
  place,
  words,
  onShow,
}: Pick<Props, 'words' | 'onShow'> & { text: string; place: Place | null }) {
  return (
    <figure>
      <blockquote>{text}</blockquote>
      {place !== null && (
        <figcaption>
          <button type="button" class="plain" onClick={() => onShow(place)}>
            <span class="hidden">{words.show}: </span>
            {place.title}
          </button>{' '}
          <span class="position">
            {place.source}, {place.position}
          </span>
        </figcaption>
      )}
    </figure>
  );
}

/** Where a passage stands, from the evidence; null for one that is not in it. */
function placeOf({ evidence }: Decision, passageId: string, quotes: string[]): Place | null {
  const passage = evidence.find((each) => each.passageId === passageId);
  return passage === undefined ? null : { ...passage, quotes };
}
