import { plainLine } from '../../common/index.ts';
import type { Spec } from './figures/theme.ts';

/**
 * The figure as SVG that needs nothing else: no script, no network. `prefix` goes before its ids, so that several fit
 * into one page. Loads the drawing library on first use.
 */
export async function svgOf(spec: Spec, prefix: string): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const compiled = vegaLite.compile(spec as never, { logger: silent(vega) });
  // Data come with the specification: nothing may be fetched.
  const loader = vega.loader();
  loader.load = () => Promise.reject(new Error('figures load nothing'));
  const view = new vega.View(vega.parse(compiled.spec), { renderer: 'none', loader, logger: silent(vega) });
  try {
    const svg = await view.toSVG();
    return plainLine(ownIds(svg, prefix));
  } finally {
    view.finalize();
  }
}

/** The library numbers ids through all drawings of a process; here they are numbered anew, behind the prefix. */
function ownIds(svg: string, prefix: string): string {
  const ids = new Map<string, string>();
  return svg.replace(/(\bid="|url\(#)(\w+)/g, (_, before: string, id: string) => {
    if (!ids.has(id)) ids.set(id, `${prefix}-${ids.size + 1}`);
    return before + ids.get(id)!;
  });
}

/** Remarks on a specification (a domain that is empty because nothing was answered) are no concern of the user's. */
function silent(vega: typeof import('vega')) {
  return vega.logger(vega.None);
}
