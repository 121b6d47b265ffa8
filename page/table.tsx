/** What is shown in rows, and moments in time. */
import type { ComponentChildren } from 'preact';

export type Cell = ComponentChildren;

/** The first column names its row. Nothing is shown of a table without rows. */
export function Table({ caption, head, rows }: { caption: string; head: string[]; rows: Cell[][] }) {
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class="table" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...rest], i) => (
            <tr key={i}>
              <th scope="row">{first}</th>
              {rest.map((cell, j) => (
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Time({ at }: { at: string }) {
  return <time dateTime={at}>{new Date(at).toLocaleString(document.documentElement.lang)}</time>;
}
