/** All paths of the server, door by door. */
import type { App, Serving } from './app.ts';
import { addCalibrations } from './calibrations.ts';
import { addDecisionStream } from './decision-stream.ts';
import { addDecisions } from './decisions.ts';
import { addDefaults } from './defaults.ts';
import { addDocuments } from './documents/http.ts';
import { addTickets } from './knowledge/http.ts';
import { addLabels } from './labels/http.ts';
import { addMcp } from './mcp/http.ts';
import { addMemory } from './memory.ts';
import { addOpenAi } from './openai/http.ts';
import { addOperations } from './operations/http.ts';
import { addPage } from './page.ts';
import { addParts } from './parts.ts';
import { addQueries } from './queries.ts';
import { addState } from './state.ts';

export function addRoutes(app: App, serving: Serving): void {
  addDecisions(app, serving);
  addDecisionStream(app, serving);
  addParts(app, serving);
  addDocuments(app, serving);
  addLabels(app, serving);
  addCalibrations(app, serving);
  addOperations(app, serving);
  addDefaults(app, serving);
  addMemory(app, serving);
  addQueries(app, serving);
  addTickets(app, serving);
  addMcp(app, serving);
  addOpenAi(app, serving);
  addState(app, serving);
  addPage(app);
}
