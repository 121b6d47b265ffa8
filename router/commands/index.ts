import type { CommandModule } from 'yargs';
import { askCommand } from './ask.ts';
import { classifyCommand } from './classify.ts';
import { doctorCommand } from './doctor.ts';
import { indexCommand } from './index-corpus.ts';
import { retrieveCommand } from './retrieve.ts';
import { routeCommand } from './route.ts';
import { scoreCommand } from './score.ts';

/** The commands of this room, in the order of the help. Their handlers load what they need when they run. */
export const routerCommands = [
  indexCommand,
  askCommand,
  routeCommand,
  retrieveCommand,
  classifyCommand,
  scoreCommand,
  doctorCommand,
] as unknown as CommandModule[];
