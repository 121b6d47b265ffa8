import { openIndex } from '../store/open-index.ts';
import { embeddedBackend } from './embedded.ts';
import { conforms } from './testing/conformance.ts';

conforms('embedded', async (dir) => embeddedBackend(await openIndex(dir)));
