/** The page in a Chromium of this machine: how soon something can be asked, and what is loaded for it. */
import type { Browser } from 'playwright-core';
import { messageOf, PragauraError } from '../../common/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { withServe } from './server-process.ts';

export interface PageReport {
  chromium: string;
  /** Milliseconds from the call of the address until the question can be typed, nothing of it known to the browser. */
  firstView: LatencySummary;
  /** What the network carried, heads left out, and for how many files. */
  bytes: number;
  files: number;
}

const VISITS = 20;

/** Visits by a browser that is warm and a server that is warm. Throws NOT_FOUND without Chromium. */
export async function measurePage(index: string): Promise<PageReport> {
  const browser = await openChromium();
  try {
    return await withServe(index, [], async ({ url }) => {
      const took = new Latencies();
      let [bytes, files] = [0, 0];
      // The first one warms up.
      for (let visit = 0; visit <= VISITS; visit += 1) {
        const context = await browser.newContext();
        const page = await context.newPage();
        [bytes, files] = [0, 0];
        page.on('response', async (response) => {
          files += 1;
          bytes += (await response.body().catch(() => Buffer.of())).length;
        });
        const began = performance.now();
        await page.goto(url);
        await page.locator('textarea').waitFor();
        if (visit > 0) took.record(performance.now() - began);
        await page.waitForLoadState('networkidle');
        await context.close();
      }
      return { chromium: browser.version(), firstView: took.summary(), bytes, files };
    });
  } finally {
    await browser.close();
  }
}

async function openChromium(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  try {
    return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  } catch (error) {
    throw new PragauraError(
      'NOT_FOUND',
      `${executablePath} cannot be started: ${messageOf(error).split('\n')[0]}`,
      {
        hint: 'Install Chromium ("apt-get install chromium"), or say where it is: CHROMIUM=/path.',
        cause: error,
      },
    );
  }
}
