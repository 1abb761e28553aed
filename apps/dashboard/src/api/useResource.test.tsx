// @vitest-environment jsdom
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, PASSING_RETRY_MS } from './error.ts';
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

  it('asks again by itself after a failure that passes, and not after one that stays', async () => {
    vi.useFakeTimers();
    let calls = 0;
    const away = new ApiError({ code: 'redis_unavailable', title: '', detail: '', remedy: '', status: 503 });
    const { result } = renderHook(() => useResource('key', async () => (++calls === 1 ? Promise.reject(away) : 'back')));
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(result.current.error).toBe(away);
    await act(() => vi.advanceTimersByTimeAsync(PASSING_RETRY_MS));
    expect(result.current).toMatchObject({ data: 'back', error: undefined });
    const refused = new ApiError({ code: 'forbidden', title: '', detail: '', remedy: '', status: 403 });
    let refusals = 0;
    renderHook(() => useResource('other', () => Promise.reject<string>((refusals++, refused))));
    await act(() => vi.advanceTimersByTimeAsync(10 * PASSING_RETRY_MS));
    expect(refusals).toBe(1);
    vi.useRealTimers();
  });

  it('reads nothing without a key', () => {
    const { result } = renderHook(() => useResource(null, async () => 'never'));
    expect(result.current).toMatchObject({ data: undefined, loading: false });
  });
});
