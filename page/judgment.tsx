/** What somebody says of a decision, as a label. */
import { useRef, useState } from 'preact/hooks';
import type { Decision, Query } from '../router/contracts.ts';
import { type Label, type LabelState, Refused } from './api.ts';
import type { Words } from './words.ts';

interface Props {
  query: string;
  history: NonNullable<Query['history']>;
  decision: Decision;
  words: Words;
  onLabel: (label: Label) => Promise<LabelState>;
}

export function Judgment({ query, history, decision, words, onLabel }: Props) {
  const [isWrong, setWrong] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const right = useRef<HTMLInputElement>(null);
  const group = decision.evidence[0]?.docId;
  // A label that names no document counts for no promise.
  if (group === undefined) return null;

  const base = {
    id: decision.id,
    query,
    ...(history.length > 0 && { history }),
    group,
  };
  async function keep(label: Label) {
    try {
      const { labels, documents, promises } = await onLabel(label);
      const next = promises.find((each) => each.documents > documents);
      const wanted =
        next === undefined ? [] : [`${words.promiseAt} ${Math.round(100 * next.risk)} %: ${next.documents}`];
      setSaid([`${words.kept}: ${labels}`, `${words.aboutDocuments}: ${documents}`, ...wanted].join('. '));
      setWrong(false);
    } catch (error) {
      setSaid(error instanceof Refused ? error.problem.detail : words.broke);
    }
  }

  return (
    <fieldset class="judgment">
      <legend>{words.judge}</legend>
      <div class="buttons">
        <button type="button" class="plain" onClick={() => keep({ ...base, ...rightAsItIs(decision) })}>
          {words.right}
        </button>
        <button
          type="button"
          class="plain"
          aria-expanded={isWrong}
          onClick={() => {
            setWrong(!isWrong);
            setTimeout(() => right.current?.focus());
          }}
        >
          {words.wrong}
        </button>
        <button type="button" class="plain" onClick={() => keep({ ...base, action: 'ASK' })}>
          {words.shouldAsk}
        </button>
        <button
          type="button"
          class="plain"
          onClick={() => keep({ ...base, action: 'ABSTAIN', answerable: false })}
        >
          {words.nothingAnswers}
        </button>
      </div>
      {isWrong && (
        <form
          class="buttons"
          onSubmit={(event) => {
            event.preventDefault();
            void keep({ ...base, action: 'ANSWER', answers: [right.current!.value.trim()] });
          }}
        >
          <label>
            {words.rightAnswer} <input ref={right} required autocomplete="off" />
          </label>
          <button type="submit">{words.keep}</button>
        </form>
      )}
      <p role="status" class="certainty">
        {said}
      </p>
    </fieldset>
  );
}

/** What a label says of a decision that is right. */
function rightAsItIs({ action, answer }: Decision): Pick<Label, 'action'> & Partial<Label> {
  if (answer === undefined) return action === 'ASK' ? { action } : { action: 'ABSTAIN', answerable: false };
  const { form, verdict, quotes } = answer;
  const values = quotes.filter(({ role }) => role === 'answer').map(({ text }) => text);
  const passages = [...new Set(quotes.map(({ passageId }) => passageId))];
  const span = form === 'span' || form === 'list' ? { answers: values } : {};
  return {
    action: 'ANSWER',
    group: quotes[0]!.docId,
    passages,
    ...span,
    ...(verdict !== null && { verdict }),
  };
}
