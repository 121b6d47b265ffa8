/** Who may do what: a policy file in Cedar, checked against the schema, denying what it does not permit. */
import { createHash, randomUUID } from 'node:crypto';
import { PragauraError, quoted } from '../../common/index.ts';
import { type Principal, PUBLIC } from '../principals/index.ts';
import * as cedar from './cedar.ts';
import type { PolicyDocument } from './labels.ts';
import { ACTIONS, POLICY_SCHEMA, type PolicyAction } from './vocabulary.ts';

/** What something is done to; `installation` is all of it, `person` whose memory. */
export type Resource =
  | { document: PolicyDocument }
  | { collection: string }
  | { person: string }
  | { installation: true };

export interface Ruling {
  allowed: boolean;
  /** The policies that decided, by their `@id` or number; none: nothing permits it. */
  because: string[];
  /** Policies that could not be evaluated, with what went wrong: then nothing is allowed. */
  errors: string[];
}

export interface Policy {
  /** SHA-256 of the file, which is its version. */
  readonly version: string;
  readonly policies: number;
  /** Whether a policy goes by which document it is, and not by its labels alone. */
  readonly namesDocuments: boolean;
  /** Policies that let everybody in, which was said twice. */
  readonly everybody: readonly string[];
  /** Deny by default, and where anything goes wrong. */
  allows(principal: Principal, action: PolicyAction, resource: Resource, now: Date): Ruling;
}

export interface PolicyOptions {
  /** The second time that it is said: the first is `@everybody("yes")` before each policy that lets everybody in. */
  everybody?: boolean;
}

const uid = (type: string, id: string) => ({ type, id });
/** Cedar's own dates know no year beyond four figures, nor anything but UTC. */
const datetime = (at: string) => ({ __extn: { fn: 'datetime', arg: at } });

function documentAttributes({ path, tags, clearance, validFrom, validTo }: PolicyDocument) {
  return {
    path,
    tags,
    ...(clearance !== undefined && { clearance }),
    ...(validFrom !== undefined && { validFrom: datetime(validFrom) }),
    ...(validTo !== undefined && { validTo: datetime(validTo) }),
  };
}

function entityOf(resource: Resource): cedar.EntityJson {
  if ('document' in resource) {
    const { collection, path } = resource.document;
    const parents = collection === undefined ? [] : [uid('Collection', collection)];
    return { uid: uid('Document', path), attrs: documentAttributes(resource.document), parents };
  }
  if ('collection' in resource)
    return { uid: uid('Collection', resource.collection), attrs: {}, parents: [] };
  if ('person' in resource)
    return { uid: uid('Principal', resource.person), attrs: { clearance: 0 }, parents: [] };
  return { uid: uid('Installation', 'this'), attrs: {}, parents: [] };
}

/** In the tree of a policy: the path of a document, or one by its name. A type of resource is written otherwise. */
const DOCUMENT = /"attr":"path"|"type":"Document"/;

const said = (errors: readonly cedar.DetailedError[]) => errors.map(({ message }) => message).join('; ');

/**
 * A policy from the text of a file. Throws POLICY_UNUSABLE for what does not parse, does not fit the schema, permits nothing
 * at all, or lets everybody in without that being said twice.
 */
export function parsePolicy(text: string, file: string, options: PolicyOptions = {}): Policy {
  const unusable = (why: string, hint: string) =>
    new PragauraError('POLICY_UNUSABLE', `${file}: ${why}`, { hint });
  const policies: cedar.PolicySet = { staticPolicies: text };
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === 'failure') {
    const at = parts.errors[0]?.sourceLocations?.[0]?.start;
    const line =
      at === undefined ? '' : `line ${Buffer.from(text).subarray(0, at).toString().split('\n').length}: `;
    throw unusable(`${line}${said(parts.errors)}`, 'It is a file of Cedar policies (docs.cedarpolicy.com).');
  }
  if (parts.policy_templates.length > 0) throw unusable('templates have no place in it', 'Write policies.');
  if (parts.policies.length === 0)
    throw unusable('it holds no policy', 'It would let nobody in. Permit something.');
  const checked = cedar.validate({ validationSettings: { mode: 'strict' }, schema: POLICY_SCHEMA, policies });
  const wrong =
    checked.type === 'failure' ? checked.errors : checked.validationErrors.map(({ error }) => error);
  if (wrong.length > 0)
    throw unusable(said(wrong), '"pragaura policy check" shows what policies can be about.');

  const version = createHash('sha256').update(text).digest('hex');
  const loaded = { set: `pragaura-${version}`, schema: 'pragaura' };
  for (const answer of [
    cedar.preparsePolicySet(loaded.set, policies),
    cedar.preparseSchema(loaded.schema, POLICY_SCHEMA),
  ]) {
    if (answer.type === 'failure') throw unusable(said(answer.errors), 'It is a file of Cedar policies.');
  }
  // Cedar numbers the policies of a text as they stand in it.
  const trees = parts.policies.map((policy) => {
    const json = cedar.policyToJson(policy);
    return json.type === 'success' ? json.json : null;
  });
  const annotations = trees.map((tree) => tree?.annotations ?? {});
  const namesDocuments = trees.some((tree) => tree === null || DOCUMENT.test(JSON.stringify(tree)));
  const nameOf = (id: string) => annotations[Number(/^policy(\d+)$/.exec(id)?.[1])]?.id ?? id;

  const decide = (principal: Principal, action: PolicyAction, resource: Resource, now: Date) => {
    const target = entityOf(resource);
    const self = uid('Principal', principal.id);
    const entity = {
      uid: self,
      attrs: { clearance: principal.clearance },
      parents: principal.roles.map((role) => uid('Role', role)),
    };
    // Somebody's own memory: one entity, described once.
    const same = 'person' in resource && resource.person === principal.id;
    return cedar.statefulIsAuthorized({
      principal: self,
      action: uid('Action', action),
      resource: same ? self : (target.uid as cedar.TypeAndId),
      context: { now: datetime(now.toISOString()) },
      preparsedSchemaName: loaded.schema,
      validateRequest: true,
      preparsedPolicySetId: loaded.set,
      entities: same ? [entity] : [entity, target],
    });
  };

  const allows: Policy['allows'] = (principal, action, resource, now) => {
    let answer: cedar.AuthorizationAnswer;
    try {
      answer = decide(principal, action, resource, now);
    } catch (error) {
      return { allowed: false, because: [], errors: [String(error)] };
    }
    if (answer.type === 'failure') return { allowed: false, because: [], errors: [said(answer.errors)] };
    const { decision, diagnostics } = answer.response;
    const errors = diagnostics.errors.map(({ policyId, error }) => `${nameOf(policyId)}: ${error.message}`);
    // To Cedar a policy that fails is none, also one that forbids; here it closes the door.
    const allowed = decision === 'allow' && errors.length === 0;
    return { allowed, because: diagnostics.reason.map(nameOf).sort(), errors };
  };

  const open = [...lettingEverybodyIn(decide)];
  const unsaid = open.filter((id) => annotations[Number(id.slice('policy'.length))]?.everybody !== 'yes');
  if (unsaid.length > 0 || (open.length > 0 && options.everybody !== true)) {
    const names = (unsaid.length > 0 ? unsaid : open).map((id) => quoted(nameOf(id))).join(', ');
    throw unusable(
      `${names} lets everybody do something to anything.`,
      'If that is meant, say it twice: @everybody("yes") before the policy, and --everybody.',
    );
  }
  return { version, policies: parts.policies.length, namesDocuments, everybody: open.map(nameOf), allows };
}

/**
 * Policies by which somebody without a token may do something to what nobody can have meant: things of random names, with no
 * labels, with the highest clearance, or that are valid no more, today and in other centuries. It is tried and not read off the
 * text, because the same is said in many ways.
 */
function* lettingEverybodyIn(
  decide: (...request: [Principal, PolicyAction, Resource, Date]) => cedar.AuthorizationAnswer,
): Generator<string> {
  const found = new Set<string>();
  const path = randomUUID();
  const bare = { path, tags: [], collection: randomUUID() };
  const things: Resource[] = [
    { document: { path, tags: [] } },
    { document: bare },
    { document: { ...bare, tags: [randomUUID()], clearance: Number.MAX_SAFE_INTEGER } },
    { document: { ...bare, tags: [randomUUID()], validFrom: '1970-01-01', validTo: '1970-01-02' } },
    { collection: randomUUID() },
    { person: randomUUID() },
    { installation: true },
  ];
  const stranger = { ...PUBLIC, id: randomUUID() };
  const moments = [new Date(), new Date('1900-01-01T00:00:00Z'), new Date('2900-01-01T00:00:00Z')];
  const tries = moments.flatMap((now) => things.map((thing) => ({ now, thing })));
  for (const { now, thing } of tries) {
    for (const action of ACTIONS) {
      const answer = decide(stranger, action, thing, now);
      // What an action is not for is refused with the request.
      if (answer.type === 'failure' || answer.response.decision !== 'allow') continue;
      for (const id of answer.response.diagnostics.reason) {
        if (found.has(id)) continue;
        found.add(id);
        yield id;
      }
    }
  }
}
