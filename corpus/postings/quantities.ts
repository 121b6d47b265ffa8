/** What kinds of quantity a passage holds or a question asks for, as bits. */
export const QUANTITY = {
  NUMBER: 1,
  DATE: 2,
  MONEY: 4,
  PERCENT: 8,
  LENGTH: 16,
  MASS: 32,
  DURATION: 64,
  TEMPERATURE: 128,
  AREA: 256,
  SPEED: 512,
} as const;

const NUMERAL =
  /\p{N}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?|billions?|dozens?|half|twice|one third|two thirds)\b/iu;
const YEAR_OR_MONTH =
  /\b(?:1\d{3}|20\d{2})s?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:century|centuries|decade)\b|\b(?:bc|bce|ad)\b/i;
/** A unit that follows a number; which one decides the bit. */
const UNIT =
  /(?:\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|billion|dozen|half|several|few))[\s-]{0,2}(?:(%|percent|per cent)|(km\/h|mph|knots?|m\/s|kph)|(dollars|euros?|pounds sterling|yen|usd|eur|gbp|cents)|(km|kilomet\w{1,4}|m|met(?:er|re)s?|cm|mm|centimet\w{1,4}|millimet\w{1,4}|miles?|mi|feet|foot|ft|inch(?:es)?|yards?|light[- ]years?)|(kg|kilograms?|g|grams?|mg|tons?|tonnes?|pounds?|lbs?|ounces?|oz)|(years?|months?|weeks?|days?|hours?|minutes?|seconds?|hrs?|mins?|ms|decades|centuries|generations)|(°\s?[cf]?|degrees?|celsius|fahrenheit|kelvin|k)|(sq|square|acres?|hectares?|ha|km2|m2|km²|m²))(?![\p{L}\p{N}])/giu;
const UNIT_BITS = [
  QUANTITY.PERCENT,
  QUANTITY.SPEED,
  QUANTITY.MONEY,
  QUANTITY.LENGTH,
  QUANTITY.MASS,
  QUANTITY.DURATION,
  QUANTITY.TEMPERATURE,
  QUANTITY.AREA,
];
const CURRENCY = /[$€£¥]\s?\d/;

/** Bits of {@link QUANTITY} found in a sentence; 0 when it holds no number. */
export function quantitiesIn(sentence: string): number {
  if (!NUMERAL.test(sentence)) return 0;
  let bits: number = QUANTITY.NUMBER;
  if (YEAR_OR_MONTH.test(sentence)) bits |= QUANTITY.DATE;
  if (CURRENCY.test(sentence)) bits |= QUANTITY.MONEY;
  for (const match of sentence.matchAll(UNIT)) {
    for (let group = 0; group < UNIT_BITS.length; group++) {
      if (match[group + 1] !== undefined) bits |= UNIT_BITS[group]!;
    }
  }
  return bits;
}
