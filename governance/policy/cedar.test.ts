import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

it('is loaded by one file, which keeps its calls from ending the process', () => {
  const root = path.join(import.meta.dirname, '../..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(?:dist|node_modules|\.)/.test(file) && !file.endsWith('.test.ts'),
  );
  const loading = files.filter((file) =>
    readFileSync(path.join(root, file), 'utf8').includes("'@cedar-policy/"),
  );
  expect(loading).toEqual(['governance/policy/cedar.ts']);
  const text = readFileSync(path.join(import.meta.dirname, 'cedar.ts'), 'utf8');
  expect(text).toContain("setFlagsFromString('--no-turbo-inline-js-wasm-calls')");
});
