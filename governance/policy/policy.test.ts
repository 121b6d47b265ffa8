import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../principals/index.ts';
import { PUBLIC } from '../principals/index.ts';
import { readableBy, readersOf } from './access.ts';
import { labelsFrom, NO_LABELS, type PolicyDocument } from './labels.ts';
import { parsePolicy, type Resource } from './policy.ts';
import { ACTIONS } from './vocabulary.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
const RULES = `
@id("published") permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("public") };
@id("staff") permit (principal in Role::"staff", action == Action::"read", resource in Collection::"handbook");
@id("cleared") permit (principal, action == Action::"read", resource is Document)
  when { resource has clearance && resource.clearance <= principal.clearance && resource.clearance > 0 };
@id("paths") permit (principal in Role::"hr", action in [Action::"read", Action::"propose"], resource is Document)
  when { resource.path like "hr/*" };
@id("reviewers") permit (principal in Role::"reviewer", action == Action::"review", resource);
@id("own memory") permit (principal, action == Action::"memory", resource) when { principal == resource };
@id("auditors") permit (principal in Role::"auditor", action == Action::"audit", resource);
@id("valid") forbid (principal, action == Action::"read", resource is Document) when {
  (resource has validTo && resource.validTo <= context.now) || (resource has validFrom && context.now < resource.validFrom)
};
`;
const policy = parsePolicy(RULES, 'test.cedar');
const who = (id: string, roles: string[] = [], clearance = 0): Principal => ({
  id,
  roles: ['public', ...roles],
  via: 'token',
  clearance,
});
const document = (path: string, labels: Partial<PolicyDocument> = {}): Resource => ({
  document: { tags: [], ...labels, path },
});
const readable = (principal: Principal, resource: Resource) =>
  policy.allows(principal, 'read', resource, NOW);

describe('a policy', () => {
  it.each<[string, Principal, Resource, string[]]>([
    ['by tag', PUBLIC, document('a.md', { tags: ['public'] }), ['published']],
    ['by collection', who('ann', ['staff']), document('a.md', { collection: 'handbook' }), ['staff']],
    ['by clearance', who('ann', [], 3), document('a.md', { clearance: 3 }), ['cleared']],
    ['by path', who('ann', ['hr']), document('hr/pay.md'), ['paths']],
    [
      'by several',
      who('ann', ['hr', 'staff']),
      document('hr/a', { collection: 'handbook' }),
      ['paths', 'staff'],
    ],
    [
      'within its dates',
      PUBLIC,
      document('a', { tags: ['public'], validFrom: '2026-06-01', validTo: '2026-06-02' }),
      ['published'],
    ],
  ])('lets read %s, and says why', (_, principal, resource, because) => {
    expect(readable(principal, resource)).toEqual({ allowed: true, because, errors: [] });
  });

  it.each<[string, Principal, Resource, string[]]>([
    ['of which nothing is known', who('ann', ['staff', 'hr'], 9), document('a.md'), []],
    ['of another collection', who('ann', ['staff']), document('a.md', { collection: 'board' }), []],
    ['above the clearance', who('ann', [], 2), document('a.md', { clearance: 3 }), []],
    ['of another path', who('ann', ['hr']), document('it/hr/pay.md'), []],
    ['no longer valid', PUBLIC, document('a.md', { tags: ['public'], validTo: '2026-06-01' }), ['valid']],
    [
      'not valid yet',
      PUBLIC,
      document('a.md', { tags: ['public'], validFrom: '2026-06-01T00:00:01Z' }),
      ['valid'],
    ],
  ])('does not let read what is %s', (_, principal, resource, because) => {
    expect(readable(principal, resource)).toEqual({ allowed: false, because, errors: [] });
  });

  it('knows what each action is for', () => {
    const ann = who('ann', ['reviewer', 'auditor', 'hr']);
    expect(policy.allows(ann, 'review', { collection: 'handbook' }, NOW).allowed).toBe(true);
    expect(policy.allows(ann, 'propose', document('hr/a'), NOW).allowed).toBe(true);
    expect(policy.allows(ann, 'apply', document('hr/a'), NOW).allowed).toBe(false);
    expect(policy.allows(ann, 'audit', { installation: true }, NOW).allowed).toBe(true);
    expect(policy.allows(ann, 'administer', { installation: true }, NOW).allowed).toBe(false);
    expect(policy.allows(ann, 'memory', { person: 'ann' }, NOW).allowed).toBe(true);
    expect(policy.allows(ann, 'memory', { person: 'bob' }, NOW).allowed).toBe(false);
    // A request that the schema does not know is refused, not answered.
    const odd = policy.allows(ann, 'audit', document('hr/a'), NOW);
    expect(odd.allowed).toBe(false);
    expect(odd.errors).not.toEqual([]);
  });

  it('that fails on a request closes the door, also where what fails forbids', () => {
    const text = `permit (principal in Role::"staff", action, resource);
      @id("sum") forbid (principal, action == Action::"read", resource is Document)
        when { resource has clearance && resource.clearance + 9223372036854775807 < 0 };`;
    const ruling = parsePolicy(text, 'x').allows(
      who('ann', ['staff']),
      'read',
      document('a', { clearance: 5 }),
      NOW,
    );
    expect(ruling.allowed).toBe(false);
    expect(ruling.errors[0]).toMatch(/^sum: /);
  });

  it('takes names for names, whatever they look like', () => {
    const odd = ['Role::"staff"', '"; permit', '\\"', '\u0000', '__proto__', 'constructor', '\u202e', '日本'];
    for (const name of odd) {
      expect(readable(who(name, [name]), document(name, { tags: [name], collection: name })).allowed).toBe(
        false,
      );
      expect(readable(who(name, ['staff']), document(name, { collection: 'handbook' })).allowed).toBe(true);
    }
  });

  it('agrees with the same rules written out, on any request', () => {
    const names = fc.constantFrom('a', 'staff', 'hr', 'reviewer', 'auditor');
    const principals = fc.record({
      id: names,
      roles: fc.array(names),
      via: fc.constant('token' as const),
      clearance: fc.nat(3),
    });
    const documents = fc.record(
      {
        path: fc.constantFrom('hr/a', 'b', 'hr'),
        tags: fc.array(fc.constantFrom('public', 'x')),
        collection: fc.constantFrom('handbook', 'board'),
        clearance: fc.nat(3),
        validFrom: fc.constantFrom('2026-05-31', '2026-06-02'),
        validTo: fc.constantFrom('2026-05-31', '2026-06-02'),
      },
      { requiredKeys: ['path', 'tags'] },
    );
    fc.assert(
      fc.property(principals, documents, (ann, given) => {
        const it = given as PolicyDocument;
        const valid = (it.validFrom ?? '') <= '2026-06-01' && (it.validTo ?? '9') > '2026-06-01';
        const cleared = it.clearance !== undefined && it.clearance > 0 && it.clearance <= ann.clearance;
        const wanted =
          valid &&
          (it.tags.includes('public') ||
            cleared ||
            (ann.roles.includes('staff') && it.collection === 'handbook') ||
            (ann.roles.includes('hr') && it.path.startsWith('hr/')));
        expect(readable(ann, { document: it }).allowed).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a policy file', () => {
  it.each([
    ['that does not parse', 'permit (principal, action, resource) when {', /line 1/],
    [
      'with an action that is none',
      'permit (principal in Role::"a", action == Action::"raed", resource);',
      /raed/,
    ],
    [
      'with an attribute that is none',
      'permit (principal in Role::"a", action, resource is Document) when { resource.owner == "x" };',
      /owner/,
    ],
    [
      'that reads what may be absent',
      'permit (principal in Role::"a", action, resource is Document) when { resource.clearance < 2 };',
      /clearance/,
    ],
    ['with a template', 'permit (principal == ?principal, action, resource);', /template/],
    ['without a policy', '// nothing', /no policy/],
    ['without a word', '', /no policy/],
  ])('%s is refused', (_, text, message) => {
    const failed = expect.objectContaining({
      code: 'POLICY_UNUSABLE',
      message: expect.stringMatching(message),
    });
    expect(() => parsePolicy(text, 'x.cedar')).toThrow(failed);
  });

  it.each([
    ['plainly', 'permit (principal, action, resource);'],
    [
      'with a condition that is none',
      'permit (principal, action, resource) when { 1 < 2 } unless { false };',
    ],
    [
      'by the role that all have',
      'permit (principal in Role::"public", action == Action::"read", resource);',
    ],
    ['to every document', 'permit (principal, action == Action::"read", resource is Document);'],
    ['to all but one', 'permit (principal, action, resource) unless { resource == Document::"secret" };'],
    [
      'to documents of any clearance',
      'permit (principal, action == Action::"read", resource is Document) when { resource has clearance };',
    ],
    ['to collections', 'permit (principal, action == Action::"apply", resource is Collection);'],
    ['to the log', 'permit (principal, action == Action::"audit", resource);'],
    ['to memories', 'permit (principal, action == Action::"memory", resource);'],
    [
      'to what has no labels',
      'permit (principal, action == Action::"read", resource is Document) unless { resource has clearance };',
    ],
    [
      'to what is valid no more',
      'permit (principal, action == Action::"read", resource is Document) when { resource has validTo };',
    ],
    [
      'to the future',
      'permit (principal, action == Action::"read", resource) when { context.now > datetime("2500-01-01") };',
    ],
  ])('that lets everybody in %s is refused until it is said twice', (_, text) => {
    const refused = expect.objectContaining({
      code: 'POLICY_UNUSABLE',
      message: expect.stringContaining('everybody'),
    });
    expect(() => parsePolicy(text, 'x')).toThrow(refused);
    expect(() => parsePolicy(text, 'x', { everybody: true })).toThrow(refused);
    expect(() => parsePolicy(`@everybody("yes") ${text}`, 'x')).toThrow(refused);
    const both = parsePolicy(`@everybody("yes") @id("all") ${text}`, 'x', { everybody: true });
    expect(both.everybody).toEqual(['all']);
  });

  it('has a version, which is that of its text', () => {
    expect(parsePolicy(RULES, 'y').version).toBe(policy.version);
    expect(parsePolicy(`${RULES} `, 'y').version).not.toBe(policy.version);
    expect(policy).toMatchObject({ policies: 8, everybody: [] });
  });

  it('permits nothing to nobody that it does not say', () => {
    const only = parsePolicy(
      'permit (principal in Role::"a", action == Action::"read", resource == Document::"d");',
      'x',
    );
    for (const action of ACTIONS) {
      for (const resource of [
        document('e'),
        { collection: 'd' },
        { person: 'd' },
        { installation: true as const },
      ]) {
        expect(only.allows(who('ann', ['a'], 99), action, resource, NOW).allowed).toBe(false);
      }
    }
  });
});

describe('labels', () => {
  it('are those of the longest entry that fits', () => {
    const of = labelsFrom(
      {
        schema: 'pragaura.labels/1',
        documents: {
          'hr/': { collection: 'hr', clearance: 2 },
          'hr/pay/': { clearance: 5 },
          'hr/pay/a.md': { tags: ['public'] },
          __proto__x: {},
        },
      },
      'x',
    );
    expect(of('hr/b.md')).toEqual({ path: 'hr/b.md', collection: 'hr', clearance: 2, tags: [] });
    expect(of('hr/pay/b.md')).toEqual({ path: 'hr/pay/b.md', clearance: 5, tags: [] });
    expect(of('hr/pay/a.md')).toEqual({ path: 'hr/pay/a.md', tags: ['public'] });
    // A record goes by its own id, or else by its file.
    expect(of('7', 'hr/list.jsonl')).toEqual({ path: '7', collection: 'hr', clearance: 2, tags: [] });
    expect(of('hr/pay/a.md', 'x.jsonl')).toEqual({ path: 'hr/pay/a.md', tags: ['public'] });
    expect(of('hrx/a.md')).toEqual(NO_LABELS('hrx/a.md'));
    expect(of('__proto__')).toEqual({ path: '__proto__', tags: [] });
  });

  it.each([
    {},
    { schema: 'pragaura.labels/1', documents: { a: { clearence: 1 } } },
    { schema: 'pragaura.labels/1', documents: { a: { validTo: 'soon' } } },
  ])('that do not fit are refused', (value) => {
    expect(() => labelsFrom(value, 'x')).toThrow(expect.objectContaining({ code: 'POLICY_UNUSABLE' }));
  });
});

describe('what may be read', () => {
  const documents = {
    'hr/': { collection: 'hr', clearance: 2 },
    'hr/pay/': { collection: 'hr', clearance: 5 },
    'news/': { tags: ['public'] },
    'old/': { tags: ['public'], validTo: '2020-01-01' },
  };
  const labels = labelsFrom({ schema: 'pragaura.labels/1', documents }, 'x');
  const paths = ['hr', 'hr/pay', 'news', 'old', 'other'].flatMap((folder) =>
    Array.from({ length: 40 }, (_, i) => `${folder}/${i}.md`),
  );
  const RULES = {
    labels: `@id("a") permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("public") };
      @id("b") permit (principal in Role::"a", action == Action::"read", resource in Collection::"hr");
      @id("c") forbid (principal, action == Action::"read", resource is Document)
        when { resource has validTo && resource.validTo <= context.now };`,
    path: `@id("d") permit (principal in Role::"a", action == Action::"read", resource is Document) when { resource.path like "hr/*7.md" };`,
    name: `@id("e") permit (principal in Role::"a", action == Action::"read", resource == Document::"news/3.md");
      @id("f") permit (principal in Role::"b", action == Action::"read", resource is Document) when { resource.tags.contains("public") };`,
    unless: `@id("g") permit (principal in Role::"a", action == Action::"read", resource is Document) unless { resource == Document::"news/3.md" };`,
  };

  it.each(Object.entries(RULES))(
    'is ruled on document by document only where that can matter: %s',
    (name, text) => {
      const policy = parsePolicy(text, 'x');
      expect(policy.namesDocuments).toBe(name !== 'labels');
      let ruled = 0;
      const counting = {
        ...policy,
        allows: (...request: Parameters<typeof policy.allows>) => {
          ruled += 1;
          return policy.allows(...request);
        },
      };
      const keys = new Set<string>();
      for (const roles of [[], ['a'], ['b']]) {
        const principal = who('ann', roles, 3);
        ruled = 0;
        const readable = readableBy({ policy: counting, labels }, principal, NOW);
        const found = paths.filter((path) => readable({ docId: path, source: path }));
        const one = paths.filter(
          (path) => policy.allows(principal, 'read', { document: labels(path) }, NOW).allowed,
        );
        expect(found).toEqual(one);
        expect(ruled).toBe(name === 'labels' ? 5 : paths.length);
        const documents = paths.map((path) => ({ docId: path, source: path }));
        const { readable: known, all, key } = readersOf({ policy, labels }, documents)(principal, NOW);
        expect(paths.filter((path) => known({ docId: path }))).toEqual(one);
        expect(all).toBe(false);
        expect(known({ docId: 'not/there.md' })).toBe(false);
        keys.add(key);
      }
    },
  );
});
