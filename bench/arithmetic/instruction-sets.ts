import { readFile } from 'node:fs/promises';

/** The names under which Linux lists what decides over the kernels that ONNX Runtime takes for 8-bit products. */
const FLAGS = ['sse4_1', 'avx', 'avx2', 'fma', 'avx_vnni', 'avx512f', 'avx512bw', 'avx512_vnni', 'amx_int8'];

/** What the mask of `mask-cpuid.c` takes away at each level. */
export const MASKS = {
  avx512: ['avx_vnni', 'avx512_vnni', 'amx_int8'],
  avxvnni: ['avx512f', 'avx512bw', 'avx512_vnni', 'amx_int8'],
  avx2: ['avx_vnni', 'avx512f', 'avx512bw', 'avx512_vnni', 'amx_int8'],
  sse: ['avx', 'avx2', 'fma', 'avx_vnni', 'avx512f', 'avx512bw', 'avx512_vnni', 'amx_int8'],
} as const;
export type Mask = keyof typeof MASKS;

/** Those of this processor, less what this process was masked of; none where the system does not say. */
export async function instructionSets(): Promise<string[]> {
  const text = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const flags = new Set(/^flags\s*:\s*(.*)$/m.exec(text)?.[1]?.split(' ') ?? []);
  const masked: readonly string[] = MASKS[process.env.PRAGAURA_CPU_MASK as Mask] ?? [];
  return FLAGS.filter((flag) => flags.has(flag) && !masked.includes(flag));
}
