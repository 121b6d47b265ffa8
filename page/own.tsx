/** A view of what is kept of the person who looks: what is seen, what became of what they did, and why not. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import { told, type Words } from './words.ts';

/** `done`: what is said once it is. What had the focus may be gone by then. Gives whether it was done. */
export type Act = (work: () => Promise<unknown>, done: string) => Promise<boolean>;

export interface OwnProps {
  api: Api;
  words: Words;
}

interface Props<T> extends OwnProps {
  title: string;
  /** What is seen here, in words. */
  about: string;
  load: (api: Api) => Promise<T>;
  children: (found: T, act: Act) => ComponentChildren;
}

export function OwnView<T>({ api, words, title, about, load, children }: Props<T>) {
  const [seen, setSeen] = useState<{ found: T } | { refusal: string } | null>(null);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  const act: Act = async (work, done) => {
    setSaid('');
    setProblem(null);
    try {
      await work();
      setSeen({ found: await load(api) });
      setSaid(done);
      heading.current?.focus();
      return true;
    } catch (error) {
      setProblem(told(error, words));
      return false;
    }
  };
  useEffect(() => {
    let isCurrent = true;
    setSeen(null);
    load(api).then(
      (found) => isCurrent && setSeen({ found }),
      (error: unknown) => isCurrent && setSeen({ refusal: told(error, words) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [api]);

  return (
    <main class="wide">
      <h2 tabIndex={-1} ref={heading}>
        {title}
      </h2>
      <p>{about}</p>
      <p role="status">{said}</p>
      <p role="alert" class="problem">
        {problem}
      </p>
      {seen !== null && 'refusal' in seen ? (
        <p class="problem">{seen.refusal}</p>
      ) : (
        seen !== null && children(seen.found, act)
      )}
    </main>
  );
}
