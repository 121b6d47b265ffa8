/** The page: questions, answers, and the documents that they come from. */
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Decision } from '../router/contracts.ts';
import { Api, type Collection, type Here, Refused } from './api.ts';
import { Memory } from './memory.tsx';
import { Operation } from './operation.tsx';
import { Queries } from './queries.tsx';
import { type Shown, Source } from './source.tsx';
import { Tickets } from './tickets.tsx';
import { type Asked, Turn } from './turn.tsx';
import { LANGUAGES, type Language, preferredLanguage } from './words.ts';

const KEY = 'pragaura.key';
/** Beside the conversation, by the hash of the address. */
const VIEWS = ['memory', 'queries', 'tickets', 'operation'] as const;
type View = (typeof VIEWS)[number] | 'ask';

/** `one`: what is looked at there. */
function viewNow(): { view: View; one: string | undefined } {
  const [name, one] = location.hash.slice(1).split('/');
  return { view: VIEWS.find((view) => view === name) ?? 'ask', one };
}

function Page() {
  const [language, setLanguage] = useState<Language>(preferredLanguage);
  const words = LANGUAGES[language];
  const [key, setKey] = useState(() => sessionStorage.getItem(KEY));
  const api = useMemo(() => new Api(key), [key]);
  /** Null: a key is wanted. */
  const [collections, setCollections] = useState<Collection[] | null>([]);
  const [collection, setCollection] = useState('');
  const [scopes, setScopes] = useState<Here['scopes']>([]);
  const [offers, setOffers] = useState<Here['offers']>([]);
  const [wanted, setWanted] = useState(viewNow);
  const [turns, setTurns] = useState<Asked[]>([]);
  const [shown, setShown] = useState<Shown | null>(null);
  const running = useRef<AbortController | null>(null);
  /** The collection that is asked unless another is chosen; a question may come before it is known. */
  const first = useRef<Promise<string>>(Promise.resolve(''));
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);

  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    const follow = () => setWanted(viewNow());
    addEventListener('hashchange', follow);
    // It may have changed before anybody listened.
    follow();
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    const loaded = api.collections();
    first.current = loaded.then((found) => found.collections[0]?.name ?? '').catch(() => '');
    loaded.then(
      (found) => {
        setCollections(found.collections);
        setScopes(found.scopes);
        setOffers(found.offers);
        const names = found.collections.map(({ name }) => name);
        setCollection((now) => (names.includes(now) ? now : (names[0] ?? '')));
      },
      (error: unknown) =>
        setCollections(error instanceof Refused && error.problem.status === 401 ? null : []),
    );
  }, [api]);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [turns]);

  const busy = turns.at(-1)?.state === 'running';
  const last = (change: (turn: Asked) => Asked) =>
    setTurns((now) => [...now.slice(0, -1), change(now.at(-1)!)]);

  async function ask(query: string) {
    if (query.trim() === '' || busy) return;
    const controller = new AbortController();
    running.current = controller;
    const history = turns.flatMap((turn) => [
      { role: 'user' as const, text: turn.query },
      ...(turn.decision === null ? [] : [{ role: 'assistant' as const, text: spoken(turn.decision) }]),
    ]);
    setTurns([
      ...turns,
      { query, collection, history, state: 'running', stages: [], decision: null, problem: null },
    ]);
    try {
      const asked = collection || (await first.current);
      last((turn) => ({ ...turn, collection: asked }));
      const decision = await api.decide(
        asked,
        { query, ...(history.length > 0 && { history }) },
        (stage) => last((turn) => ({ ...turn, stages: [...turn.stages, stage] })),
        controller.signal,
      );
      last((turn) => ({ ...turn, state: 'decided', decision }));
    } catch (error) {
      if (error instanceof Refused && error.problem.status === 401) setCollections(null);
      const problem = controller.signal.aborted
        ? words.stopped
        : error instanceof Refused
          ? [error.problem.detail, error.problem.hint].filter(Boolean).join(' ')
          : words.broke;
      last((turn) => ({ ...turn, state: 'failed', problem }));
    }
    field.current?.focus();
  }

  function submit(event: Event) {
    event.preventDefault();
    const query = field.current!.value;
    field.current!.value = '';
    void ask(query);
  }

  const operated = collections?.find(({ name }) => name === collection);
  const views: Partial<Record<View, string>> = {
    ask: words.ask,
    ...(offers.includes('memory') && { memory: words.memory }),
    ...(offers.includes('queries') && { queries: words.queries }),
    ...(offers.includes('tickets') && operated && { tickets: words.tickets }),
    ...(scopes.includes('operate') && operated && { operation: words.operate }),
  };
  const view = wanted.view in views ? wanted.view : 'ask';
  return (
    <>
      <header>
        <h1>PragAURA</h1>
        {Object.keys(views).length > 1 && (
          <nav aria-label={words.views}>
            {Object.entries(views).map(([name, text]) => (
              <a key={name} href={`#${name}`} aria-current={name === view ? 'page' : undefined}>
                {text}
              </a>
            ))}
          </nav>
        )}
        {collections !== null && collections.length > 1 && (
          <label>
            {words.collection}{' '}
            <select value={collection} onChange={(event) => setCollection(event.currentTarget.value)}>
              {collections.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          {words.language}{' '}
          <select value={language} onChange={(event) => setLanguage(event.currentTarget.value as Language)}>
            <option value="en">English</option>
            <option value="de">Deutsch</option>
          </select>
        </label>
      </header>
      {collections === null ? (
        <main>
          <form
            class="key"
            onSubmit={(event) => {
              event.preventDefault();
              const given = String(new FormData(event.currentTarget).get('key')).trim();
              sessionStorage.setItem(KEY, given);
              setKey(given);
            }}
          >
            <p id="key-wanted">{words.keyWanted}</p>
            <label>
              {words.key}{' '}
              <input name="key" type="password" autocomplete="off" required aria-describedby="key-wanted" />
            </label>
            <button type="submit">{words.useKey}</button>
          </form>
        </main>
      ) : view === 'memory' ? (
        <Memory api={api} words={words} />
      ) : view === 'queries' ? (
        <Queries api={api} words={words} />
      ) : view === 'tickets' ? (
        <Tickets api={api} collection={collection} words={words} id={wanted.one} />
      ) : view === 'operation' ? (
        <Operation api={api} collection={operated!} words={words} />
      ) : (
        <main class={shown === null ? '' : 'with-source'}>
          <section class="conversation" aria-label={words.conversation}>
            <ol aria-live="polite" aria-relevant="additions text">
              {turns.map((turn, i) => (
                <li key={i}>
                  <Turn
                    turn={turn}
                    words={words}
                    isLast={i === turns.length - 1}
                    onAsk={(query) => void ask(query)}
                    onShow={(place) => setShown({ ...place, collection: turn.collection })}
                    onLabel={scopes.includes('label') ? (label) => api.label(turn.collection, label) : null}
                  />
                </li>
              ))}
            </ol>
            <div ref={end} />
            <form class="ask" onSubmit={submit}>
              <label for="question">{words.question}</label>
              <textarea
                id="question"
                ref={field}
                rows={2}
                placeholder={words.placeholder}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
                }}
              />
              <div class="buttons">
                {busy ? (
                  <button type="button" onClick={() => running.current?.abort()}>
                    {words.stop}
                  </button>
                ) : (
                  <button type="submit">{words.ask}</button>
                )}
                {turns.length > 0 && !busy && (
                  <button
                    type="button"
                    class="plain"
                    onClick={() => {
                      setTurns([]);
                      setShown(null);
                      field.current?.focus();
                    }}
                  >
                    {words.anew}
                  </button>
                )}
              </div>
            </form>
          </section>
          {shown !== null && <Source api={api} shown={shown} words={words} onClose={() => setShown(null)} />}
        </main>
      )}
    </>
  );
}

/** What a decision said, as it has to come back in the history of the next question. */
function spoken({ answer, clarification, abstention }: Decision): string {
  return answer?.text ?? (clarification ?? abstention)!.message;
}

render(<Page />, document.body);
