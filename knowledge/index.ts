/** Reviewed knowledge: what people propose, what others make of it, and how it gets into the index. */
export { Difference } from './assessing/difference.ts';
export { PASSAGE_STATUSES, type PassageProvenance } from './assessing/provenance.ts';
export { Canary, parseCanary } from './assessing/replay.ts';
export { Knowledge, type KnowledgeOptions } from './knowledge.ts';
export { ACTIONS, type TicketAction } from './next.ts';
export { PROPOSAL_BOUNDS, type Proposal } from './tickets/proposal.ts';
export { after, STATES, STEPS, type TicketState, type TicketStep, TRANSITIONS } from './tickets/states.ts';
export { type Assessment, Ticket } from './tickets/ticket.ts';
