import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Edit, Edited } from './edited.ts';

/** Edits that do not overlap, of a text of `length` characters. */
const edits = (length: number) =>
  fc
    .array(fc.tuple(fc.nat(6), fc.nat(3), fc.constantFrom('', '', 'x', 'yz')), { maxLength: 12 })
    .map((drawn) => {
      const made: Edit[] = [];
      let at = 0;
      for (const [gap, size, text] of drawn) {
        const start = at + gap;
        const end = start + size;
        if (size === 0 || end > length) continue;
        made.push({ start, end, text });
        at = end;
      }
      return made;
    });

it('knows of every character that is left where it was, and of what was put in where that began', () => {
  const source = Array.from({ length: 60 }, (_, i) => String.fromCharCode(0x4e00 + i)).join('');
  fc.assert(
    fc.property(edits(source.length), (made) => {
      const edited = new Edited(source, made.toReversed());
      let wanted = '';
      for (let at = 0; at < source.length; at += 1) {
        const edit = made.find(({ start, end }) => start <= at && at < end);
        if (edit === undefined) {
          expect(edited.to(at)).toBe(wanted.length);
          expect(edited.from(wanted.length)).toBe(at);
          wanted += source[at]!;
        } else if (edit.start === at) {
          for (let i = 0; i < edit.text.length; i += 1) expect(edited.from(wanted.length + i)).toBe(at);
          wanted += edit.text;
        } else expect(edited.to(at)).toBe(wanted.length);
      }
      expect(edited.text).toBe(wanted);
      expect(edited.to(source.length)).toBe(wanted.length);
      expect(edited.from(wanted.length)).toBe(source.length);
    }),
  );
});
