// @vitest-environment jsdom
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from './error.ts';
import { useResource } from './useResource.ts';

afterEach(cleanup);

describe('useResource', () => {
  it('reads, reads anew for another key, and drops what came late', async () => {
    const pending = new Map<string, (value: string) => void>();
    const load = (key: string) => (signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        pending.set(key, resolve);
        signal.addEventListener('abort', () => reject(new DOMException('gone', 'AbortError')));
      });
    const { result, rerender } = renderHook(({ key }) => useResource(key, load(key)), { initialProps: { key: 'a' } });
    expect(result.current.loading).toBe(true);
    rerender({ key: 'b' });
    await act(async () => {
      pending.get('a')?.('late');
      pending.get('b')?.('fresh');
    });
    await waitFor(() => expect(result.current.data).toBe('fresh'));
  });

  it('keeps what it has when a later read fails, and says why', async () => {
    let fails = false;
    const refused = new ApiError({ code: 'rate_limited', title: '', detail: '', remedy: '', status: 429 });
    const { result } = renderHook(() => useResource('key', async () => (fails ? Promise.reject(refused) : 'first')));
    await waitFor(() => expect(result.current.data).toBe('first'));
    fails = true;
    act(() => result.current.reload());
    await waitFor(() => expect(result.current.error).toBe(refused));
    expect(result.current.data).toBe('first');
  });

  it('reads nothing without a key', () => {
    const { result } = renderHook(() => useResource(null, async () => 'never'));
    expect(result.current).toMatchObject({ data: undefined, loading: false });
  });
});
