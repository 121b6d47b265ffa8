/**
 * `npm run masked -- LEVEL COMMAND …`: a command as on a processor that lacks instruction sets. ONNX Runtime asks the
 * processor itself and has no switch. So it is given a copy of its library in which every `cpuid` is an instruction that no
 * processor has; what that raises is answered by a small library that is loaded before (mask-cpuid.c). Linux on x86-64
 * alone, with `cc` and `objdump`. Only ONNX Runtime is deceived, not Node.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { EXIT, messageOf } from '../../common/index.ts';
import { say } from '../commands/options.ts';
import { MASKS } from './instruction-sets.ts';

const HELP = `npm run masked -- LEVEL COMMAND [ARGUMENT …]

  LEVEL   avx512    AVX-512 without VNNI (8-bit sums saturate)
          avxvnni   AVX2 and AVX-VNNI without AVX-512
          avx2      AVX2 alone (8-bit sums saturate)
          sse       no AVX at all

  npm run masked -- avx2 npx vitest run
`;

const CPUID = Buffer.from([0x0f, 0xa2]);
const UD2 = Buffer.from([0x0f, 0x0b]);

const require = createRequire(import.meta.url);
const root = path.dirname(require.resolve('pragaura/package.json'));
const runtime = path.join(
  path.dirname(require.resolve('onnxruntime-node/package.json')),
  'bin/napi-v6/linux/x64/libonnxruntime.so.1',
);

/** Both libraries, made once for these very files and kept in the folder for temporary files. */
function libraries(): string[] {
  const source = path.join(root, 'bench/arithmetic/mask-cpuid.c');
  const library = readFileSync(runtime);
  const name = createHash('sha256').update(library).update(readFileSync(source)).digest('hex').slice(0, 16);
  const folder = path.join(tmpdir(), `pragaura-masked-${name}`);
  const [mask, copy] = [path.join(folder, 'mask-cpuid.so'), path.join(folder, 'libonnxruntime.so.1')];
  if (existsSync(copy)) return [mask, copy];
  mkdirSync(folder, { recursive: true });
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', mask, source]);
  for (const at of placesOfCpuid()) {
    if (!library.subarray(at, at + CPUID.length).equals(CPUID))
      throw new Error(`no cpuid at ${at} of ${runtime}`);
    UD2.copy(library, at);
  }
  // Whoever finds it finds it whole.
  writeFileSync(`${copy}.${process.pid}`, library);
  renameSync(`${copy}.${process.pid}`, copy);
  return [mask, copy];
}

/** Offsets into the file. The two bytes also stand inside other instructions, so the disassembler is asked. */
function placesOfCpuid(): number[] {
  const run = (program: string, ...options: string[]): string =>
    execFileSync(program, [...options, runtime], { encoding: 'utf8', maxBuffer: 2 ** 31 });
  const segments = [...run('readelf', '-lW').matchAll(/LOAD\s+(0x\w+)\s+(0x\w+)\s+0x\w+\s+(0x\w+)/g)].map(
    ([, offset, address, size]) => ({ offset: Number(offset), address: Number(address), size: Number(size) }),
  );
  const code = run('objdump', '-d', '--no-show-raw-insn');
  return [...code.matchAll(/^\s*([0-9a-f]+):\s+cpuid/gm)].map(([, hex]) => {
    const address = Number.parseInt(hex!, 16);
    const segment = segments.find((each) => address >= each.address && address < each.address + each.size)!;
    return segment.offset + address - segment.address;
  });
}

function main(): void {
  const [level = '', command, ...rest] = process.argv.slice(2);
  if (!(level in MASKS) || command === undefined) {
    say(HELP);
    process.exitCode = EXIT.USAGE;
    return;
  }
  let preload: string;
  try {
    preload = libraries().join(' ');
  } catch (error) {
    say(
      `This processor cannot be masked here: ${messageOf(error)}\nIt takes Linux on x86-64, cc and binutils.`,
    );
    process.exitCode = EXIT.UNAVAILABLE;
    return;
  }
  const env = { ...process.env, PRAGAURA_CPU_MASK: level, LD_PRELOAD: preload };
  const child = spawn(command, rest, { stdio: 'inherit', env });
  child.on('error', (error) => {
    say(messageOf(error));
    process.exitCode = EXIT.UNAVAILABLE;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal!];
  });
}

main();
