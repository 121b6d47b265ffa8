/** What whoever runs the server looks at: decisions, thresholds, drift, time. */
import { useEffect, useState } from 'preact/hooks';
import { type Activity, type Api, type Collection, Refused, type Threshold, type Watched } from './api.ts';
import { type Cell, Table, Time } from './table.tsx';
import { Thresholds } from './thresholds.tsx';
import { percent, type Words } from './words.ts';

interface Props {
  api: Api;
  collection: Collection;
  words: Words;
}

interface Seen {
  activity: Activity;
  /** Null without a calibration. */
  watched: Watched | null;
}

const EVERY_MS = 5000;

export function Operation({ api, collection, words }: Props) {
  const { name, calibrated } = collection;
  const [seen, setSeen] = useState<Seen | null>(null);
  const [thresholds, setThresholds] = useState<Threshold[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let isCurrent = true;
    const told = (error: unknown) =>
      isCurrent && setProblem(error instanceof Refused ? error.problem.detail : words.lost);
    const look = async () => {
      if (document.hidden) return;
      try {
        const activity = await api.activity(name);
        const watched = calibrated ? await api.monitor(name) : null;
        if (!isCurrent) return;
        setSeen({ activity, watched });
        setProblem(null);
      } catch (error) {
        told(error);
      }
    };
    setSeen(null);
    setThresholds(null);
    void look();
    if (calibrated) api.thresholds(name).then((found) => isCurrent && setThresholds(found), told);
    const timer = setInterval(look, EVERY_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [api, name, calibrated]);

  return (
    <main class="wide">
      <h2>{name}</h2>
      <p role="status" class="problem">
        {problem}
      </p>
      {seen !== null && <Drift watched={seen.watched} words={words} />}
      {thresholds !== null && <Thresholds thresholds={thresholds} words={words} />}
      {seen !== null && <Decisions activity={seen.activity} words={words} />}
    </main>
  );
}

function Drift({ watched, words }: { watched: Watched | null; words: Words }) {
  if (watched === null) {
    return (
      <section aria-labelledby="drift">
        <h3 id="drift">{words.drift}</h3>
        <p>{words.uncalibrated}</p>
      </section>
    );
  }
  const { status, alarms } = watched;
  const { tally, watches } = status;
  return (
    <section aria-labelledby="drift">
      <h3 id="drift">{words.drift}</h3>
      <p role="status" class={status.alarms > 0 ? 'problem' : ''}>
        {status.alarms > 0 ? `${words.alarms}: ${status.alarms}` : words.noAlarms}
      </p>
      {alarms.map(({ at, sentence }) => (
        <p key={sentence} class="problem">
          <Time at={at} />: {sentence}
        </p>
      ))}
      <p>
        {words.watchedDecisions}: {tally.decisions}. {words.judged}: {tally.judged}. {words.restricted}:{' '}
        {tally.restricted}.
      </p>
      <Table
        caption={words.watches}
        head={[words.figure, words.act_, words.onTest, words.noDriftUpTo, words.seenNow, words.evidence]}
        rows={watches.map(
          ({ figure, direction, act, reference, bound, n, mean, evidence, threshold, alarm }) => [
            `${words[figure]} ${direction === 'up' ? '↑' : '↓'}`,
            act ?? words.allActs,
            `${percent(reference.k / reference.n)} (${reference.n})`,
            percent(bound),
            mean === null ? '–' : `${percent(mean)} (${n})`,
            `${alarm ? `${words.alarm}: ` : ''}${evidence.toPrecision(2)} / ${threshold.toPrecision(2)}`,
          ],
        )}
      />
      <p class="certainty">{status.guarantee}</p>
    </section>
  );
}

function Decisions({ activity, words }: { activity: Activity; words: Words }) {
  const { since, decisions, acts, reasons, failures, latency, remembered, recent } = activity;
  return (
    <>
      <section aria-labelledby="acts">
        <h3 id="acts">{words.decided}</h3>
        <p>
          {words.since} <Time at={since} />: {decisions}
        </p>
        <Table
          caption={words.byAct}
          head={[words.act_, words.answered, words.asked, words.abstained]}
          rows={acts.map(({ act, answered, asked, abstained }) => [act, answered, asked, abstained])}
        />
        <Table
          caption={words.whyNot}
          head={[words.reason, words.decisions]}
          rows={[
            ...reasons.map((each): Cell[] => [each.reason, each.decisions]),
            ...failures.map((each): Cell[] => [`${words.failed}: ${each.code}`, each.queries]),
          ]}
        />
      </section>
      <section aria-labelledby="latency">
        <h3 id="latency">{words.latency}</h3>
        <p>
          {words.ofLatest} {remembered}
        </p>
        <Table
          caption={words.milliseconds}
          head={[words.stage, words.decisions, 'p50', 'p95', words.most]}
          rows={latency.map((each) => [
            each.stage,
            each.decisions,
            ...[each.p50, each.p95, each.most].map((value) => value.toFixed(1)),
          ])}
        />
      </section>
      <section aria-labelledby="recent">
        <h3 id="recent">{words.recent}</h3>
        <Table
          caption={words.latestFirst}
          head={[
            words.when,
            words.question_,
            words.act_,
            words.action,
            'U / tau',
            'ms',
            words.told,
            words.caller,
          ]}
          rows={recent.map((each) => [
            <Time at={each.at} />,
            each.query,
            each.act,
            each.reason === null ? each.action : `${each.action}, ${each.reason}`,
            `${each.U?.toFixed(2) ?? '–'} / ${each.tau?.toFixed(2) ?? '–'}`,
            each.ms.toFixed(0),
            each.text,
            each.caller,
          ])}
        />
      </section>
    </>
  );
}
