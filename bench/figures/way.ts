/** The picture of the way of a query, drawn from the vocabularies that the code decides by. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { instance } from '@viz-js/viz';
import { isSystemError, writeWholeFile } from '../../common/index.ts';
import { ACTS, BRANCHES } from '../../profiles/index.ts';
import { LAYERS } from '../../router/index.ts';
import type { Stale } from './pages.ts';

/** Where it stands in the repository. */
export const WAY = 'docs/way-of-a-query.svg';

/** Characters of a line. */
const WIDEST = 64;
/** Fonts differ from machine to machine: the size that room is made for, and the one that is shown. */
const RECKONED = 14;
const SHOWN = 12;

/** The way in the DOT language, from top to bottom. */
function dot(): string {
  const acts = ACTS.filter((act) => act !== 'NOT_A_QUESTION');
  return `digraph {
    bgcolor="white" ranksep=0.3 nodesep=0.2 ordering=out
    node [shape=box style="rounded,filled" fillcolor="#f4f6f8" color="#5b6770" fontname="Helvetica" fontsize=${RECKONED} margin="0.2,0.08"]
    edge [color="#5b6770" fontname="Helvetica" fontsize=${RECKONED} arrowsize=0.7]
    query [label="query, history" shape=plain style=""]
    whole [label="made whole by what was said before; several questions are parted"]
    act [label="speech act\\n${lines(acts)}"]
    ${BRANCHES.map((branch) => `${branch} [fillcolor="#e3edf7" margin="0.1,0.05"]`).join('\n')}
    { rank=same; ${BRANCHES.join('; ')} }
    judged [label="fused; the best passages are re-ranked and read by the cross-encoder"]
    signals [label="D: do branches disagree?   C: do sources contradict?   E: is the answer entailed?"]
    layers [label="layers, the first that closes decides\\n${lines(LAYERS)}"]
    bar [label="U = alpha D + beta C + gamma (1 - E)   against   tau of the act"]
    ANSWER [label="ANSWER\\nquotes, in the form\\nthat the act asks for" fillcolor="#d9efdd"]
    ASK [label="ASK\\none question back,\\nwith values from the documents" fillcolor="#fdf1cf"]
    ABSTAIN [label="ABSTAIN\\nnothing there, contradicted,\\nor too uncertain" fillcolor="#f8dcd8"]
    { rank=same; ANSWER; ASK; ABSTAIN }
    query -> whole -> act
    ${BRANCHES.map((branch, i) => `act -> ${branch}${i === 0 ? ' [label="its profile divides one budget "]' : ''}`).join('\n')}
    ${BRANCHES.map((branch) => `${branch} -> judged`).join('\n')}
    judged -> signals -> layers -> bar
    bar -> ANSWER [label=" at most tau"]
    bar -> ASK
    bar -> ABSTAIN [label=" above tau"]
  }`;
}

/** Words with commas, broken into lines. */
function lines(words: readonly string[]): string {
  return words.reduce(
    (text, word) =>
      `${text},${text.length - text.lastIndexOf('\\n') + word.length > WIDEST ? '\\n' : ' '}${word}`,
  );
}

/** The picture as SVG, the same bytes every time. */
async function drawWay(): Promise<string> {
  const svg = (await instance()).renderString(dot(), { format: 'svg' });
  return svg.replaceAll(`font-size="${RECKONED}.00"`, `font-size="${SHOWN}"`);
}

/** The picture of the repository at `dir` where it is not what the code gives. Throws what reading throws. */
export async function staleWay(dir: string): Promise<Stale[]> {
  const now = await shownIn(dir);
  return now === (await drawWay()) ? [] : [{ page: WAY, line: 1, what: 'is not what the code says' }];
}

/** Draws the picture anew; gives its name where it was another. Throws as `staleWay`, and WRITE_FAILED. */
export async function writeWay(dir: string): Promise<string[]> {
  const drawn = await drawWay();
  if ((await shownIn(dir)) === drawn) return [];
  await writeWholeFile(path.join(dir, WAY), drawn, 'Is the folder writable?');
  return [WAY];
}

async function shownIn(dir: string): Promise<string | null> {
  try {
    return await readFile(path.join(dir, WAY), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
