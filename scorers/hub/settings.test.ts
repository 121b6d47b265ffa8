import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Hub } from './client.ts';
import { checkedEndpoint, hubSettings, proxies } from './settings.ts';

describe('hub settings', () => {
  it('are those of huggingface_hub when nothing is said', () => {
    expect(hubSettings({})).toEqual({
      endpoint: 'https://huggingface.co',
      cacheDir: join(homedir(), '.cache', 'huggingface', 'hub'),
      trustFile: join(homedir(), '.local', 'state', 'pragaura', 'trusted-models.json'),
      token: undefined,
      offline: null,
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
    [{ HF_HUB_OFFLINE: '1' }, 'HF_HUB_OFFLINE'],
    [{ HF_HUB_OFFLINE: 'true' }, 'HF_HUB_OFFLINE'],
    [{ TRANSFORMERS_OFFLINE: 'YES' }, 'TRANSFORMERS_OFFLINE'],
    [{ HF_HUB_OFFLINE: '', TRANSFORMERS_OFFLINE: '1' }, 'TRANSFORMERS_OFFLINE'],
    [{ HF_HUB_OFFLINE: '0', TRANSFORMERS_OFFLINE: '1' }, null],
    [{ HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '0' }, 'HF_HUB_OFFLINE'],
    [{ HF_HUB_OFFLINE: '0' }, null],
    [{ HF_HUB_OFFLINE: '' }, null],
  ])('%j', (env, offline) => {
    expect(hubSettings(env).offline).toBe(offline);
  });

  it.each([
    'mirror.example',
    'ftp://mirror.example',
    'https://user@mirror.example',
    'https://mirror.example/?a=b',
    'https://mirror.example/?',
    'https://mirror.example/#a',
    'https://mirror.example/#',
  ])('leave the endpoint %s to be refused by whoever asks the hub', (HF_ENDPOINT) => {
    const settings = hubSettings({ HF_ENDPOINT });
    expect(() => new Hub(settings)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', message: expect.stringContaining('HF_ENDPOINT') }),
    );
  });

  it.each([
    'https://user:secret@mirror.example',
    'https://:secret@mirror.example',
    'https://user:se/cr@et@mirror.example',
    'user:secret@mirror.example',
  ])('do not say the password of %s', (endpoint) => {
    const message = expect.stringMatching(/: (?:https:\/\/)?…@mirror\.example$/);
    expect(() => checkedEndpoint(endpoint)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', message }),
    );
  });

  it.each(['hf_a\nb', 'hf_ü', 'hf_€', 'hf a'])('refuse a token that no request can carry: %j', (HF_TOKEN) => {
    const settings = hubSettings({ HF_TOKEN });
    const message = expect.not.stringContaining(HF_TOKEN);
    expect(() => new Hub(settings)).toThrow(expect.objectContaining({ code: 'CONFIGURATION', message }));
  });
});

describe('proxies', () => {
  it.each([
    [{}, ['', '']],
    [{ HTTPS_PROXY: 'proxy.corp:3128' }, ['', 'http://proxy.corp:3128']],
    [{ HTTP_PROXY: 'user:pass@proxy.corp' }, ['http://user:pass@proxy.corp', '']],
    [{ HTTPS_PROXY: 'https://one', https_proxy: ' socks5://two ' }, ['', 'socks5://two']],
    [{ HTTPS_PROXY: 'http://one', https_proxy: '' }, ['', '']],
  ])('%j', (env, expected) => {
    const { httpProxy, httpsProxy } = proxies(env);
    expect([httpProxy, httpsProxy]).toEqual(expected);
  });

  it.each([
    'no proxy',
    'http://',
    'ftp://proxy.corp',
    'http://user:secret%@proxy.corp',
    'http://proxy:secret',
  ])('%s is none', (HTTPS_PROXY) => {
    const refused = { code: 'CONFIGURATION', message: 'HTTPS_PROXY is no address of a proxy.' };
    expect(() => proxies({ HTTPS_PROXY })).toThrow(expect.objectContaining(refused));
  });
});
