/** What is remembered of the person who looks: theirs to agree to, see, correct, take along and erase. */
import { useState } from 'preact/hooks';
import type { Api, MemoryEntry, MemoryRecord } from './api.ts';
import { download } from './download.ts';
import { type Act, type OwnProps, OwnView } from './own.tsx';
import { Table, Time } from './table.tsx';
import type { Words } from './words.ts';

const TYPES = ['fact', 'preference', 'summary'] as const;

export function Memory({ api, words }: OwnProps) {
  return (
    <OwnView
      api={api}
      words={words}
      title={words.memory}
      about={words.memoryIs}
      load={(from) => from.memory()}
    >
      {(record, act) =>
        record !== null ? (
          <Remembered api={api} record={record} words={words} act={act} />
        ) : (
          <>
            <p>{words.notRemembered}</p>
            <button type="button" onClick={() => void act(() => api.agreeToMemory(), words.agreed)}>
              {words.agree}
            </button>
          </>
        )
      }
    </OwnView>
  );
}

/** Of what appears. */
const focus = (element: HTMLElement | null) => element?.focus();

interface RememberedProps extends OwnProps {
  record: MemoryRecord;
  act: Act;
}

function Remembered({ api, record, words, act }: RememberedProps) {
  const { person, consent, entries } = record;
  return (
    <>
      <p>
        {words.agreedAs} {person}, <Time at={consent} />
      </p>
      {entries.length === 0 && <p>{words.nothingYet}</p>}
      {TYPES.map((type) => (
        <Table
          key={type}
          caption={words[type]}
          head={[words.name, words.value, words.saidIn, words.since, words.until, words.yours]}
          rows={entries
            .filter((entry) => entry.type === type)
            .map((entry) => [
              entry.name,
              <Value key={entry.id} api={api} entry={entry} words={words} act={act} />,
              entry.source === null
                ? words.noTurn
                : `${entry.source.session}, ${words.turn} ${entry.source.turn}`,
              <Time key="since" at={entry.since} />,
              entry.until === null ? words.untilForgotten : <Time key="until" at={entry.until} />,
              <button
                key="forget"
                type="button"
                class="plain"
                aria-label={`${words.forget}: ${entry.name}`}
                onClick={() => void act(() => api.forget(entry.id), words.forgotten)}
              >
                {words.forget}
              </button>,
            ])}
        />
      ))}
      <NewFact api={api} words={words} act={act} />
      <div class="buttons">
        <button type="button" class="plain" onClick={() => void act(() => taken(api), words.taken)}>
          {words.take}
        </button>
        <Everything forget={() => void act(() => api.forget(), words.allForgotten)} words={words} />
      </div>
    </>
  );
}

interface ValueProps extends Omit<RememberedProps, 'record'> {
  entry: MemoryEntry;
}

function Value({ api, entry, words, act }: ValueProps) {
  const { id, name, value } = entry;
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <>
        {value}{' '}
        <button
          type="button"
          class="plain"
          aria-label={`${words.correct}: ${name}`}
          onClick={() => setOpen(true)}
        >
          {words.correct}
        </button>
      </>
    );
  }
  return (
    <form
      class="buttons"
      onSubmit={(event) => {
        event.preventDefault();
        const given = String(new FormData(event.currentTarget).get('value')).trim();
        void act(() => api.correct(id, given), words.corrected).then((done) => setOpen(!done));
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false);
      }}
    >
      <input name="value" defaultValue={value} required aria-label={`${words.value}: ${name}`} ref={focus} />
      <button type="submit">{words.save}</button>
    </form>
  );
}

function NewFact({ api, words, act }: Omit<RememberedProps, 'record'>) {
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const given = new FormData(form);
        const [name, value] = [given.get('name'), given.get('fact')].map((each) => String(each).trim());
        void act(async () => {
          await api.remember({ type: 'fact', name: name!, value: value! });
          form.reset();
        }, words.nowRemembered);
      }}
    >
      <label>
        {words.newName} <input name="name" required />
      </label>
      <label>
        {words.newValue} <input name="fact" required />
      </label>
      <button type="submit">{words.remember}</button>
    </form>
  );
}

/** Asked twice. */
function Everything({ forget, words }: { forget: () => void; words: Words }) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <button type="button" class="plain" onClick={() => setAsking(true)}>
        {words.forgetAll}
      </button>
    );
  }
  return (
    <fieldset>
      <legend>{words.forgetAll}</legend>
      <p id="for-good">{words.forGood}</p>
      <div class="buttons">
        <button
          type="button"
          class="plain"
          aria-describedby="for-good"
          ref={focus}
          onClick={() => setAsking(false)}
        >
          {words.keepIt}
        </button>
        <button type="button" aria-describedby="for-good" onClick={forget}>
          {words.forgetAllNow}
        </button>
      </div>
    </fieldset>
  );
}

/** What there is by now, as a file. */
async function taken(api: Api): Promise<void> {
  const text = `${JSON.stringify(await api.memory(), null, 2)}\n`;
  download('memory.json', new Blob([text], { type: 'application/json' }));
}
