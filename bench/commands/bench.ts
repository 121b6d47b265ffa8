import type { Argv } from 'yargs';
import { accessCommand } from './access.ts';
import { arithmeticCommand } from './arithmetic.ts';
import { askingCommand } from './asking.ts';
import { attacksCommand } from './attacks.ts';
import { backendsCommand, backendsOneCommand } from './backends.ts';
import { carryOverCommand } from './carry-over.ts';
import { collectionsCommand } from './collections.ts';
import { contendersCommand } from './contenders.ts';
import { decisionsCommand } from './decisions.ts';
import { defaultsBenchCommand } from './defaults.ts';
import { documentsCommand } from './documents.ts';
import { entailmentCommand } from './entailment.ts';
import { exportCommand } from './export.ts';
import { failoverCommand } from './failover.ts';
import { figuresCommand } from './figures.ts';
import { generalCommand } from './general.ts';
import { generationBenchCommand } from './generation.ts';
import { governanceBenchCommand } from './governance.ts';
import { indexingCommand } from './indexing.ts';
import { latencyCommand } from './latency.ts';
import { lexicalCommand, lexicalEngineCommand } from './lexical.ts';
import { memoryBenchCommand } from './memory.ts';
import { modelsBenchCommand } from './models.ts';
import { opennessCommand } from './openness.ts';
import { parityCommand } from './parity.ts';
import { providersCommand } from './providers.ts';
import { queryCommand, queryProcessCommand } from './query.ts';
import { queueBenchCommand } from './queue.ts';
import { retrievalCommand } from './retrieval.ts';
import { rewriteCommand } from './rewrite.ts';
import { scaleCommand, scalePieceCommand } from './scale.ts';
import { scorersCommand, scorersProcessCommand } from './scorers.ts';
import { serveBenchCommand } from './serve.ts';
import { streamCommand } from './stream.ts';
import { ticketsBenchCommand } from './tickets.ts';
import { tuningCommand } from './tuning.ts';
import { verifyBenchCommand } from './verify.ts';

/** What is within `pragaura bench`: every figure that is claimed, each by one command. */
export const benchCommand = {
  builder: (argv: Argv) =>
    argv
      .command(lexicalCommand)
      .command(lexicalEngineCommand)
      .command(indexingCommand)
      .command(retrievalCommand)
      .command(parityCommand)
      .command(contendersCommand)
      .command(queryCommand)
      .command(queryProcessCommand)
      .command(rewriteCommand)
      .command(streamCommand)
      .command(latencyCommand)
      .command(queueBenchCommand)
      .command(serveBenchCommand)
      .command(scorersCommand)
      .command(scorersProcessCommand)
      .command(providersCommand)
      .command(arithmeticCommand)
      .command(modelsBenchCommand)
      .command(attacksCommand)
      .command(accessCommand)
      .command(memoryBenchCommand)
      .command(ticketsBenchCommand)
      .command(backendsCommand)
      .command(backendsOneCommand)
      .command(failoverCommand)
      .command(scaleCommand)
      .command(scalePieceCommand)
      .command(governanceBenchCommand)
      .command(decisionsCommand)
      .command(carryOverCommand)
      .command(documentsCommand)
      .command(generalCommand)
      .command(opennessCommand)
      .command(collectionsCommand)
      .command(defaultsBenchCommand)
      .command(askingCommand)
      .command(exportCommand)
      .command(entailmentCommand)
      .command(verifyBenchCommand)
      .command(generationBenchCommand)
      .command(tuningCommand)
      .command(figuresCommand)
      .demandCommand(1, 'Which measurement?'),
  handler() {},
};
