import { describe, expect, it } from 'vitest';
import { askedOn, standing, type Turn } from '../history/index.ts';
import type { VariableKind } from './record.ts';
import { wording } from './wording.ts';

const QUESTION = 'How often is the sensor of ADR-0050 calibrated?';

describe('wording', () => {
  it.each([
    ['identifier', 'ADR-0050', ['ADR-0005', 'ADR-0010']],
    ['term', 'sensor', ['sensors']],
    ['reference', 'it', ['Barometer', 'Rain gauge']],
    ['reference', 'it', []],
    ['comparison', 'cheaper', []],
    ['condition', 'you are 60 or over', ['you are 60 or over']],
    ['condition', 'condition', ['you are 60 or over', 'you live here']],
    ['modifier', 'sensor', ['rain sensor', 'wind sensor']],
    ['aspect', 'sensor', ['care', 'price']],
    ['time', 'time', ['1926', '1995']],
    ['name', 'name', ['Heron', 'Tern']],
    ['required', 'destination country', []],
    ['required', 'years of service', ['short service', 'long service']],
    ['subject', 'subject', ['Handbook', 'Care > Sensors']],
  ] as [VariableKind, string, string[]][])(
    'of a %s is understood as a question about "%s"',
    (kind, variable, values) => {
      const history: Turn[] = [
        { role: 'user', text: QUESTION },
        { role: 'assistant', text: wording(kind, variable, values) },
      ];
      expect(standing('no idea', history).text).toBe(QUESTION);
      expect([...askedOn(QUESTION, history, false)]).toEqual([variable]);
    },
  );
});
