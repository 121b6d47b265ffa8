/** What the threshold of an act comes to on the test split of its calibration, and what another would. */
import { useState } from 'preact/hooks';
import type { Threshold } from './api.ts';
import { percent, type Words } from './words.ts';

const WIDTH = 640;
const HEIGHT = 280;
const EDGE = 44;

export function Thresholds({ thresholds, words }: { thresholds: Threshold[]; words: Words }) {
  const tested = thresholds
    .filter(({ curve }) => curve.length > 0)
    .sort((a, b) => b.test.coverage.of - a.test.coverage.of);
  const [act, setAct] = useState<string>();
  const shown = tested.find((each) => each.act === act) ?? tested[0];
  return (
    <section aria-labelledby="thresholds">
      <h3 id="thresholds">{words.thresholds}</h3>
      {shown === undefined ? (
        <p>{words.noTest}</p>
      ) : (
        <>
          <label>
            {words.act_}{' '}
            <select value={shown.act} onChange={(event) => setAct(event.currentTarget.value)}>
              {tested.map((each) => (
                <option key={each.act}>{each.act}</option>
              ))}
            </select>
          </label>
          <Curve key={shown.act} threshold={shown} words={words} />
        </>
      )}
    </section>
  );
}

type Point = Threshold['curve'][number];

const NOTHING: Point = [0, 0, 0, 0];

function Curve({ threshold: { tau, curve, test, sentence }, words }: { threshold: Threshold; words: Words }) {
  const points = [NOTHING, ...curve];
  // The last point that the threshold lets through.
  const now = tau === null ? 0 : points.findLastIndex(([U, answered]) => answered === 0 || U <= tau);
  const [chosen, setChosen] = useState(now);
  const riskOf = ([, answered, wrong, unlabelled]: Point) =>
    answered > unlabelled ? wrong / (answered - unlabelled) : null;
  const top = Math.min(1, 1.1 * Math.max(0.1, ...points.map((point) => riskOf(point) ?? 0)));
  const place = (point: Point) => ({
    x: EDGE + ((WIDTH - 2 * EDGE) * point[1]) / test.coverage.of,
    y: HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * (riskOf(point) ?? 0)) / top,
  });
  /** `at`: the threshold, where it is not the U of the point. */
  const told = (point: Point, at: number | null = point[0]) => {
    const [, answered, wrong, unlabelled] = point;
    const risk = riskOf(point);
    return [
      at === null || answered === 0 ? words.answersNothing : `tau ${at.toFixed(3)}`,
      `${words.answered} ${answered} / ${test.coverage.of} (${percent(answered / test.coverage.of)})`,
      ...(risk === null ? [] : [`${words.wrongOnes} ${wrong} / ${answered - unlabelled} (${percent(risk)})`]),
    ].join(', ');
  };
  const dot = place(points[chosen]!);
  const here = place(points[now]!);
  return (
    <>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${words.curve}. ${told(points[now]!, tau)}`}
      >
        <path class="axis" d={`M${EDGE},${EDGE} V${HEIGHT - EDGE} H${WIDTH - EDGE}`} />
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <text key={share} x={EDGE + (WIDTH - 2 * EDGE) * share} y={HEIGHT - EDGE + 18} text-anchor="middle">
            {Math.round(100 * share)} %
          </text>
        ))}
        <text x={WIDTH / 2} y={HEIGHT - 6} text-anchor="middle">
          {words.coverage}
        </text>
        {[0, top].map((share) => (
          <text
            key={share}
            x={EDGE - 6}
            y={HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * share) / top + 4}
            text-anchor="end"
          >
            {Math.round(100 * share)} %
          </text>
        ))}
        <text x={EDGE - 6} y={EDGE - 14}>
          {words.risk}
        </text>
        <polyline
          class="curve"
          points={curve.map((point) => Object.values(place(point)).join(',')).join(' ')}
        />
        <path class="now" d={`M${here.x},${EDGE} V${HEIGHT - EDGE}`} />
        <text x={here.x} y={EDGE - 14} text-anchor="middle">
          {words.now}
        </text>
        <circle cx={dot.x} cy={dot.y} r="6" />
      </svg>
      <label>
        {words.move}{' '}
        <input
          type="range"
          min={0}
          max={points.length - 1}
          value={chosen}
          aria-valuetext={told(points[chosen]!)}
          onInput={(event) => setChosen(Number(event.currentTarget.value))}
        />
      </label>
      <p>
        {words.now}: {told(points[now]!, tau)}
      </p>
      <p role="status">{chosen === now ? sentence : `${told(points[chosen]!)}. ${words.noPromise}`}</p>
    </>
  );
}
