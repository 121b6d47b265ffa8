import type { CommandModule } from 'yargs';
import { askCommand } from './ask.ts';
import { classifyCommand } from './classify.ts';
import { doctorCommand } from './doctor.ts';
import { graphCommand } from './graph.ts';
import type { LoadThresholds, OpenAudit } from './options.ts';
import { retrieveCommand } from './retrieve.ts';
import { routeCommand } from './route.ts';

/** The commands of this room, in the order of the help. Their handlers load what they need when they run. */
export const routerCommands = (loadThresholds: LoadThresholds, openAudit: OpenAudit): CommandModule[] =>
  [
    askCommand(loadThresholds, openAudit),
    routeCommand(loadThresholds, openAudit),
    retrieveCommand,
    classifyCommand,
    graphCommand,
    doctorCommand,
  ] as unknown as CommandModule[];
