import { describe, expect, it } from 'vitest';
import { provisionalThresholds } from '../../router/index.ts';
import type { Observation } from '../types.ts';
import { applied } from './applied.ts';
import { byEntailment, observed } from './testing/observations.ts';

describe('applied', () => {
  it('answers up to and at tau', () => {
    expect(applied(observed({ u: 0.25 }), byEntailment(0.25))).toEqual({
      action: 'ANSWER',
      reason: null,
      U: 0.25,
      tau: 0.25,
    });
    expect(applied(observed({ u: 0.5 }), byEntailment(0.25))).toMatchObject({
      action: 'ABSTAIN',
      reason: 'UNCERTAIN',
    });
    expect(applied(observed({ u: 0 }), byEntailment(0)).action).toBe('ANSWER');
  });

  it('never answers behind a closed gate, without tau, without candidate, without U', () => {
    const lax = byEntailment(1);
    expect(applied(observed({ u: 0, closed: 'TOO_DISTANT' }), lax)).toMatchObject({
      action: 'ABSTAIN',
      reason: 'TOO_DISTANT',
    });
    expect(applied(observed({ u: 0, closed: 'UNRESOLVED_REFERENCE', asks: true }), lax).action).toBe('ASK');
    expect(applied(observed({ u: 0 }), byEntailment(null))).toMatchObject({ action: 'ABSTAIN', tau: null });
    expect(applied(observed({ candidate: false }), lax).action).toBe('ABSTAIN');
    expect(applied(observed({ u: null }), lax)).toMatchObject({ action: 'ABSTAIN', U: null });
  });

  it('asks up to the upper bar where one was calibrated, else where there is something to ask', () => {
    expect(applied(observed({ u: 0.5 }), byEntailment(0.25, 0.5)).action).toBe('ASK');
    expect(applied(observed({ u: 0.75, asks: true }), byEntailment(0.25, 0.5)).action).toBe('ABSTAIN');
    expect(applied(observed({ u: 0.75, asks: true }), byEntailment(0.25)).action).toBe('ASK');
    // Without tau nothing is answered; what lies within the band is asked back.
    expect(applied(observed({ u: 0.5 }), byEntailment(null, 0.5)).action).toBe('ASK');
    expect(applied(observed({ u: 0.75, asks: true }), byEntailment(null, 0.5)).action).toBe('ABSTAIN');
    expect(applied(observed({ u: 0.5, asks: true }), byEntailment(null)).action).toBe('ABSTAIN');
  });

  it('answers what a vocabulary defines whatever tau is, also without one and without U', () => {
    const definition: Observation = { ...observed({ u: 0.9 }), defined: true };
    const given = { action: 'ANSWER', reason: null, U: null, tau: null };
    for (const tau of [0, 0.25, null]) expect(applied(definition, byEntailment(tau))).toEqual(given);
    expect(applied({ ...definition, features: null }, byEntailment(0))).toEqual(given);
    expect(applied({ ...definition, error: 'SCORING_FAILED' }, byEntailment(1)).action).toBeNull();
  });

  it('makes nothing of an error', () => {
    expect(applied(observed({ error: 'SCORING_FAILED' }), byEntailment(1))).toEqual({
      action: null,
      reason: null,
      U: null,
      tau: null,
    });
  });

  it('refuses a threshold that is none', () => {
    for (const tau of [-0.1, 1.1, Number.NaN])
      expect(() => applied(observed(), byEntailment(tau))).toThrow(/between 0 and 1/);
    expect(applied(observed(), provisionalThresholds()).tau).toBe(0.38);
  });
});
