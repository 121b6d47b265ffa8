/*
 * Loaded before a program whose `cpuid` instructions were replaced by `ud2`: answers each of them as this processor would,
 * less the instruction sets of the level in PRAGAURA_CPU_MASK. See masked.ts.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define BIT(n) (1u << (n))

/* Leaf 1: FMA, OSXSAVE's AVX, F16C. */
static const uint32_t avx_1c = BIT(12) | BIT(28) | BIT(29);
static const uint32_t avx2_7b = BIT(5);
/* Leaf 7: F, DQ, IFMA, PF, ER, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; 4VNNIW, 4FMAPS, VP2INTERSECT, FP16. */
static const uint32_t avx512_7b = BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31);
static const uint32_t avx512_7c = BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14);
static const uint32_t avx512_7d = BIT(2) | BIT(3) | BIT(8) | BIT(23);
static const uint32_t avx512_71a = BIT(5);
/* AVX512-VNNI; AMX bf16, tile, int8; leaf 7.1: AVX-VNNI, AVX-VNNI-INT8, AVX-VNNI-INT16. */
static const uint32_t vnni_7c = BIT(11);
static const uint32_t amx_7d = BIT(22) | BIT(24) | BIT(25);
static const uint32_t vnni_71a = BIT(4);
static const uint32_t vnni_71d = BIT(4) | BIT(10);

static int without_vnni, without_avx512, without_avx;

static void answer(int number, siginfo_t *info, void *context) {
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  const uint8_t *at = (const uint8_t *)r[REG_RIP];
  uint32_t leaf = r[REG_RAX], sub = r[REG_RCX], a, b, c, d;
  (void)info;
  if (at[0] != 0x0f || at[1] != 0x0b) {
    signal(number, SIG_DFL);
    return;
  }
  __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf), "c"(sub));
  if (leaf == 1 && without_avx) c &= ~avx_1c;
  if (leaf == 7 && sub == 0) {
    d &= ~amx_7d;
    if (without_vnni) c &= ~vnni_7c;
    if (without_avx512) b &= ~avx512_7b, c &= ~avx512_7c, d &= ~avx512_7d;
    if (without_avx) b &= ~avx2_7b;
  }
  if (leaf == 7 && sub == 1) {
    if (without_vnni) a &= ~vnni_71a, d &= ~vnni_71d;
    if (without_avx512) a &= ~avx512_71a;
  }
  r[REG_RAX] = a, r[REG_RBX] = b, r[REG_RCX] = c, r[REG_RDX] = d;
  r[REG_RIP] += 2;
}

__attribute__((constructor)) static void install(void) {
  const char *level = getenv("PRAGAURA_CPU_MASK");
  struct sigaction action;
  if (level == NULL) return;
  without_vnni = strcmp(level, "avxvnni") != 0;
  without_avx512 = strcmp(level, "avx512") != 0;
  without_avx = strcmp(level, "sse") == 0;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
