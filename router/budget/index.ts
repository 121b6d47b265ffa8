export { type Lease, Ledger } from './ledger.ts';
