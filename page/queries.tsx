/** What is kept of what the person who looks asked about: theirs to agree to, see and erase. */
import type { KeptQueries } from './api.ts';
import { type OwnProps, OwnView } from './own.tsx';
import { Table, Time } from './table.tsx';

export function Queries({ api, words }: OwnProps) {
  return (
    <OwnView
      api={api}
      words={words}
      title={words.queries}
      about={words.queriesAre}
      load={(from) => from.queries()}
    >
      {({ consent, queries }: KeptQueries, act) => (
        <>
          <p>
            {consent === null ? (
              words.notKept
            ) : (
              <>
                {words.keptSince} <Time at={consent} />
              </>
            )}
          </p>
          <Table
            caption={words.queries}
            head={[words.askedAt, words.things]}
            rows={queries.map(({ at, things }) => [<Time key="at" at={at} />, things.join(', ')])}
          />
          <div class="buttons">
            {consent === null ? (
              <button
                type="button"
                onClick={() => void act(() => api.agreeToQueries(), words.agreedToQueries)}
              >
                {words.keepQueries}
              </button>
            ) : (
              <button
                type="button"
                class="plain"
                onClick={() => void act(() => api.eraseQueries(), words.queriesErased)}
              >
                {words.eraseQueries}
              </button>
            )}
          </div>
        </>
      )}
    </OwnView>
  );
}
