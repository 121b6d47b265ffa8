import type { Address } from './address.ts';
import { Engine } from './engine.ts';

/** Connects when it is first asked. The client is read here, because most commands need none. */
export async function connected(address: Address): Promise<Engine> {
  const { Client } = await import('@opensearch-project/opensearch');
  return new Engine(new Client({ node: address.node.href.replace(/\/$/, '') }), address);
}
