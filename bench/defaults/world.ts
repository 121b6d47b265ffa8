/** Made-up users with known preferences: who asks what, what each of them wants, and when that changes. */
import { type Random, randomInteger, seededRandom } from '../../common/index.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);

export interface WorldSettings {
  tenants: number;
  /** Missing pieces that each tenant's users leave out. */
  fields: number;
  /** Requests on each field of each tenant, spread evenly at random over the days. */
  requests: number;
  days: number;
  /** Share of users who want what most want. */
  agreement: number;
  /** Share of fields whose preferences change at half-time. */
  drift: number;
  /** Probability that a user who is asked names another value by mistake. */
  slip: number;
  /** Probability that a wrong default finds nothing, so that it is noticed before an answer goes out. */
  detected: number;
  /** Probability that a user objects to an answer with a wrong default that went out. */
  objects: number;
}

export const WORLD: WorldSettings = {
  tenants: 4,
  fields: 6,
  requests: 100,
  days: 360,
  agreement: 0.97,
  drift: 0.3,
  slip: 0.02,
  detected: 0.3,
  objects: 0.6,
};

const VALUES = ['page 1', 'contents', 'annex', 'schedule'] as const;
const PAGE_KINDS = ['body', 'body', 'body', 'coversheet', 'endorsement'] as const;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'] as const;
const CHANNELS = ['web', 'mail', 'desk'] as const;

/** one: a single preference. split: one for each kind of page. open: none that most share. */
export type Kind = 'one' | 'split' | 'open';
const KINDS: readonly Kind[] = ['one', 'one', 'one', 'split', 'split', 'open'];

export interface SimulatedRequest {
  tenant: string;
  field: string;
  kind: Kind;
  at: number;
  conditions: Readonly<Record<string, string>>;
  wanted: string;
  /** What the user says when asked: `wanted`, or a slip. */
  said: string;
  wouldBeDetected: boolean;
  wouldObject: boolean;
  /** Number of this request among those on its field, from 1. */
  nth: number;
  /** The same since the preferences of its field changed; null before that, and where they do not. */
  sinceDrift: number | null;
}

const pick = <T>(random: Random, items: readonly T[]): T => items[randomInteger(random, items.length)]!;

const another = (random: Random, value: string): string =>
  pick(
    random,
    VALUES.filter((one) => one !== value),
  );

/** What most users of a field want, by kind of page. */
function preferences(random: Random, kind: Kind): Map<string, string> {
  const common = pick(random, VALUES);
  const wanted = new Map<string, string>();
  for (const page of PAGE_KINDS) {
    if (!wanted.has(page)) {
      wanted.set(page, kind === 'split' && page !== 'body' ? another(random, common) : common);
    }
  }
  return wanted;
}

function wantedBy(random: Random, kind: Kind, usual: string, agreement: number): string {
  const share = kind === 'open' ? 0.5 : agreement;
  return random() < share ? usual : another(random, usual);
}

/** Every request of one world, in the order of time. The same seed and settings give the same requests. */
export function worldOf(seed: number, settings: WorldSettings): SimulatedRequest[] {
  const random = seededRandom(seed);
  const requests: SimulatedRequest[] = [];
  for (let t = 1; t <= settings.tenants; t++) {
    for (let f = 1; f <= settings.fields; f++) {
      const kind = KINDS[(f - 1) % KINDS.length]!;
      const before = preferences(random, kind);
      const drifts = kind !== 'open' && random() < settings.drift;
      const after = drifts
        ? new Map([...before].map(([page, value]) => [page, another(random, value)]))
        : before;
      const times = Array.from({ length: settings.requests }, () => random() * settings.days).sort(
        (a, b) => a - b,
      );
      let sinceDrift = 0;
      for (const [place, day] of times.entries()) {
        const changed = drifts && day >= settings.days / 2;
        if (changed) sinceDrift++;
        const page = pick(random, PAGE_KINDS);
        const wanted = wantedBy(random, kind, (changed ? after : before).get(page)!, settings.agreement);
        requests.push({
          tenant: `tenant ${t}`,
          field: `field ${f}`,
          kind,
          at: Math.floor(START + day * DAY_MS),
          conditions: { page_kind: page, weekday: pick(random, WEEKDAYS), channel: pick(random, CHANNELS) },
          wanted,
          said: random() < settings.slip ? another(random, wanted) : wanted,
          wouldBeDetected: random() < settings.detected,
          wouldObject: random() < settings.objects,
          nth: place + 1,
          sinceDrift: changed ? sinceDrift : null,
        });
      }
    }
  }
  return requests.sort((a, b) => a.at - b.at);
}
