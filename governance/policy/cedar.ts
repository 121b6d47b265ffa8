/**
 * Cedar, called so that it does not bring the process down. V8 of Node 20 inlines calls of WebAssembly into optimised code and
 * now and then ends the process ("unreachable code") when such code has to be given up: in five of eight processes that ruled
 * for 40 seconds, and in none of eight without the inlining, which costs nothing that can be measured.
 */
import { setFlagsFromString } from 'node:v8';

// Later versions may not know the flag, and say so.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--no-turbo-inline-js-wasm-calls');

export * from '@cedar-policy/cedar-wasm/nodejs';
