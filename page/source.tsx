/** A document beside the conversation, with what is quoted of it marked. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Api, type DocumentText, Refused } from './api.ts';
import type { Words } from './words.ts';

/** A passage and what of it is quoted. */
export interface Place {
  docId: string;
  passageId: string;
  title: string;
  source: string;
  position: string;
  text: string;
  quotes: string[];
}

export interface Shown extends Place {
  collection: string;
}

interface Props {
  api: Api;
  shown: Shown;
  words: Words;
  onClose: () => void;
}

export function Source({ api, shown, words, onClose }: Props) {
  const { collection, docId, passageId, quotes } = shown;
  const [whole, setWhole] = useState<DocumentText | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const marked = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let isCurrent = true;
    setWhole(null);
    setProblem(null);
    api.document(collection, docId).then(
      (document) => isCurrent && setWhole(document),
      // Who may not read documents sees the passage that the answer is from.
      (error: unknown) =>
        isCurrent && setProblem(error instanceof Refused ? error.problem.detail : words.broke),
    );
    return () => {
      isCurrent = false;
    };
  }, [api, collection, docId]);
  useLayoutEffect(() => heading.current?.focus(), [collection, docId]);
  useEffect(() => marked.current?.scrollIntoView({ block: 'center' }), [whole, passageId]);

  const passages = whole?.passages ?? [{ passageId, start: 0, end: shown.text.length, text: shown.text }];
  return (
    <aside
      aria-label={words.source}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <header>
        <h2 tabIndex={-1} ref={heading}>
          {whole?.title ?? shown.title}
        </h2>
        <button type="button" class="plain" aria-label={words.closeSource} onClick={onClose}>
          {words.close}
        </button>
      </header>
      <p class="position">{shown.source}</p>
      {problem !== null && (
        <p class="certainty">
          {words.passage}. {problem}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
      <section class="document" tabIndex={0} aria-label={shown.title}>
        {withoutOverlap(passages).map((passage) =>
          passage.passageId === passageId ? (
            <div key={passage.passageId} class="quoted" ref={marked}>
              {pieces(passage.text, quotes).map(({ text, isQuoted }, i) =>
                isQuoted ? <mark key={i}>{text}</mark> : text,
              )}
            </div>
          ) : (
            <div key={passage.passageId}>{passage.text}</div>
          ),
        )}
      </section>
    </aside>
  );
}

/** What a passage repeats of the one before is left out there. */
function withoutOverlap(passages: DocumentText['passages']): DocumentText['passages'] {
  let end = 0;
  return passages.flatMap((passage) => {
    const repeated = Math.max(0, end - passage.start);
    end = Math.max(end, passage.end);
    return repeated >= passage.text.length ? [] : [{ ...passage, text: passage.text.slice(repeated) }];
  });
}

/** A text in pieces, those that are quoted apart. */
function pieces(text: string, quotes: readonly string[]): { text: string; isQuoted: boolean }[] {
  const inside = new Uint8Array(text.length);
  for (const quote of quotes) {
    const at = text.indexOf(quote);
    if (at !== -1) inside.fill(1, at, at + quote.length);
  }
  const found: { text: string; isQuoted: boolean }[] = [];
  for (let start = 0, at = 1; at <= text.length; at += 1) {
    if (at < text.length && inside[at] === inside[start]) continue;
    found.push({ text: text.slice(start, at), isQuoted: inside[start] === 1 });
    start = at;
  }
  return found;
}
