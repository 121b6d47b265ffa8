import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Hub } from './client.ts';
import { checkedEndpoint, hubSettings } from './settings.ts';

describe('hub settings', () => {
  it('are those of huggingface_hub when nothing is said', () => {
    expect(hubSettings({})).toEqual({
      endpoint: 'https://huggingface.co',
      cacheDir: join(homedir(), '.cache', 'huggingface', 'hub'),
      trustFile: join(homedir(), '.local', 'state', 'pragaura', 'trusted-models.json'),
      token: undefined,
      offline: false,
      idleMs: 30_000,
    });
  });

  it.each([
    [{ XDG_CACHE_HOME: '/x' }, '/x/huggingface/hub'],
    [{ XDG_CACHE_HOME: '/x', HF_HOME: '/h' }, '/h/hub'],
    [{ HF_HOME: '/h', HUGGINGFACE_HUB_CACHE: '/old' }, '/old'],
    [{ HUGGINGFACE_HUB_CACHE: '/old', HF_HUB_CACHE: '/new' }, '/new'],
    [{ HF_HUB_CACHE: '~/models' }, join(homedir(), 'models')],
    [{ HF_HUB_CACHE: '', HF_HOME: '/h' }, '/h/hub'],
  ])('%j', (env, cacheDir) => {
    expect(hubSettings(env).cacheDir).toBe(cacheDir);
  });

  it('know a mirror, a token and patience', () => {
    const env = {
      HF_ENDPOINT: 'https://mirror.example/hub/',
      HF_TOKEN: ' hf_x ',
      HF_HUB_DOWNLOAD_TIMEOUT: '2',
      XDG_STATE_HOME: '/s',
    };
    expect(hubSettings(env)).toMatchObject({
      endpoint: 'https://mirror.example/hub/',
      token: 'hf_x',
      idleMs: 2000,
      trustFile: '/s/pragaura/trusted-models.json',
    });
    expect(hubSettings({ HF_HUB_DOWNLOAD_TIMEOUT: 'soon' }).idleMs).toBe(30_000);
    expect(checkedEndpoint(env.HF_ENDPOINT)).toBe('https://mirror.example/hub');
  });

  it.each([
    [{ HF_HUB_OFFLINE: '1' }, true],
    [{ HF_HUB_OFFLINE: 'true' }, true],
    [{ TRANSFORMERS_OFFLINE: 'YES' }, true],
    [{ HF_HUB_OFFLINE: '0' }, false],
    [{ HF_HUB_OFFLINE: '' }, false],
  ])('%j', (env, offline) => {
    expect(hubSettings(env).offline).toBe(offline);
  });

  it.each([
    'mirror.example',
    'ftp://mirror.example',
    'https://user@mirror.example',
    'https://mirror.example/?a=b',
  ])('leave the endpoint %s to be refused by whoever asks the hub', (HF_ENDPOINT) => {
    const settings = hubSettings({ HF_ENDPOINT });
    expect(() => new Hub(settings)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', message: expect.stringContaining('HF_ENDPOINT') }),
    );
  });
});
