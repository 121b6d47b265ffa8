/** A process that puts an index folder into an engine, and may be killed meanwhile. */
import { publish } from '../../corpus/index.ts';

const [dir, backend] = process.argv.slice(2) as [string, string];
await publish(dir, backend);
