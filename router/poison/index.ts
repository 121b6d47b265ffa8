/** Text in documents that talks to the machine which reads them. */
export {
  loadPoisonDetector,
  POISON_MODEL,
  POISON_WEIGHTS,
  PoisonDetector,
  type PoisonHeader,
  shippedPoisonDir,
  stretchesOf,
} from './detector.ts';
export { BUCKETS as POISON_BUCKETS, poisonFeatures } from './features.ts';
