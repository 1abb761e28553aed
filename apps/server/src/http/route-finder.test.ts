import { ROUTES, routePath } from '@galley/contract';
import { describe, expect, test } from 'vitest';
import { RouteFinder } from './route-finder.ts';
import { isRouteName } from './route-table.ts';

const names = Object.keys(ROUTES).filter(isRouteName);
const finder = new RouteFinder<string>();
for (const name of names) finder.add(ROUTES[name].method, ROUTES[name].path, name);

describe('the finder of routes', () => {
  test.each(names)('finds %s at its own address', (name) => {
    const { method, path } = ROUTES[name];
    const values = { id: 'ocr-00-000000000001-abcdef.00002', n: '7' };
    const found = finder.find(`${routePath(name, values)}?format=json`);
    expect(found?.byMethod.get(method)).toBe(name);
    expect(Object.keys(found?.parameters ?? {})).toEqual([...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter));
    expect(finder.find(`${routePath(name, values)}/`)?.byMethod.get(method)).toBe(name);
  });

  test.each([
    '/',
    '',
    '/api',
    '/api/v1',
    '/api/v1/taskss',
    '/API/v1/tasks',
    '/api/v1//tasks',
    '/api/v1/tasks//result',
    '/api/v1/tasks//',
    '/api/v1/tasks/a/result/b',
    '/metrics/x',
    '//metrics',
  ])('finds nothing at %j', (url) => {
    expect(finder.find(url)).toBeNull();
  });

  test('decodes parts, each by itself, and refuses what cannot be decoded', () => {
    expect(finder.find('/api/v1/tasks/a%2Fb%20c/events')?.parameters).toEqual({ id: 'a/b c' });
    expect(finder.find('/api/v1/tasks/constructor')?.parameters).toEqual({ id: 'constructor' });
    expect(() => finder.find('/api/v1/tasks/%E0%A4%A')).toThrow(URIError);
  });

  test('refuses two names for one part', () => {
    const own = new RouteFinder<string>();
    own.add('GET', '/a/:id', 'a');
    expect(() => own.add('GET', '/a/:name/b', 'b')).toThrow(/names a part ":name"/);
  });
});
