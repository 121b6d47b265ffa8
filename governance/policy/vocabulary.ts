/** What a policy can be about: the Cedar schema that every policy file is checked against. */

/** What a principal may do. `read` to `rollback` to documents and collections, the others to what their comments say. */
export const ACTIONS = [
  'read',
  'propose',
  'review',
  'schedule',
  'apply',
  'rollback',
  /** Look into the audit log of an installation. */
  'audit',
  /** See, correct and erase what is remembered of a principal. */
  'memory',
  /** Change the policy itself, keys and settings of an installation. */
  'administer',
] as const;
export type PolicyAction = (typeof ACTIONS)[number];

const ABOUT_DOCUMENTS = ACTIONS.slice(0, 6)
  .map((action) => `"${action}"`)
  .join(', ');

/**
 * Cedar schema. What is not known of a document is absent, so that a rule has to say what it makes of that: a document without
 * a clearance is not one for everybody.
 */
export const POLICY_SCHEMA = `
entity Role;
entity Principal in [Role] { clearance: Long };
entity Collection;
entity Document in [Collection] {
  path: String,
  tags: Set<String>,
  clearance?: Long,
  validFrom?: datetime,
  validTo?: datetime,
};
entity Installation;
action ${ABOUT_DOCUMENTS} appliesTo {
  principal: Principal, resource: [Document, Collection], context: { now: datetime }
};
action "memory" appliesTo { principal: Principal, resource: Principal, context: { now: datetime } };
action "audit", "administer" appliesTo {
  principal: Principal, resource: Installation, context: { now: datetime }
};
`;
