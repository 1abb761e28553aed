import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';
import { bucketOf, childId, parseTaskId, randomSuffix } from './ids.ts';

const suite = schedulerSuite();
const ID = 'ocr-07-000000001000-abc123';

describe('task ids', () => {
  it('name their queue, shard and place of arrival', () => {
    expect(parseTaskId(ID)).toEqual({ id: ID, queue: 'ocr', shard: '07', sequence: 36 ** 3, parentId: null, childNumber: null });
  });

  it('name their parent where they are a child', () => {
    const id = childId(ID, 12);
    expect(id).toBe(`${ID}.00012`);
    expect(parseTaskId(id)).toMatchObject({ queue: 'ocr', shard: '07', parentId: ID, childNumber: 12, sequence: 36 ** 3 });
  });

  it('sort by arrival, a child right behind its parent and before the next task', () => {
    const next = 'ocr-07-000000001001-000000';
    expect([next, childId(ID, 10), childId(ID, 2), ID].toSorted()).toEqual([ID, childId(ID, 2), childId(ID, 10), next]);
  });

  it('are read right where the queue’s own name looks like one', () => {
    expect(parseTaskId('glm-ocr-01-000000000001-abcdef')).toMatchObject({ queue: 'glm-ocr', shard: '01' });
    expect(parseTaskId('a-07-00-000000000001-abcdef')).toMatchObject({ queue: 'a-07', shard: '00' });
    expect(parseTaskId('a-1023-000000000001-abcdef')).toMatchObject({ queue: 'a', shard: '1023' });
  });

  it.each([
    '',
    'ocr',
    'ocr-7-000000001000-abc123',
    'ocr-07-00000001000-abc123',
    'ocr-07-000000001000-abc12',
    'ocr-07-000000001000-ABC123',
    'OCR-07-000000001000-abc123',
    `${ID}.1`,
    `${ID}.00001.00001`,
    `${ID}\n`,
    ` ${ID}`,
    `${ID}*`,
  ])('%j is none', (text) => {
    expect(parseTaskId(text)).toBeNull();
  });

  it('fall into hashes of at most 4,096', () => {
    const bucket = (id: string): string => {
      const parsed = parseTaskId(id);
      if (parsed === null) throw new Error(id);
      return bucketOf(parsed);
    };
    const at = (sequence: number): string => `ocr-07-${sequence.toString(36).padStart(12, '0')}-abc123`;
    expect([0, 4095, 4096, 8191, 8192].map((sequence) => bucket(at(sequence)))).toEqual(['0', '0', '1', '1', '2']);
    expect([1, 4095, 4096, 99_999].map((number) => bucket(childId(at(4096), number)))).toEqual(['1:0', '1:0', '1:1', '1:24']);
  });

  it('fall into the same hash in scripts, far along the sequence and at its edges too', async () => {
    const { scheduler } = await suite.open();
    const { base } = scheduler.shard.keys;
    for (const sequence of [0, 1295, 1296, 4095, 4096, 12_287, 12_288, 5_000_000_123, 36 ** 8]) {
      await suite.connection.client.set(`${base}sequence`, String(sequence));
      const tasks = [await scheduler.submit(), await scheduler.submit()];
      expect(tasks.map((id) => parseTaskId(id)?.sequence)).toEqual([sequence, sequence + 1]);
      for (const id of tasks) {
        const { key, field } = scheduler.recordAt(id);
        expect(await suite.connection.client.hexists(key, field)).toBe(1);
        expect(await scheduler.state(id)).toBe('pending');
        expect((await scheduler.claimOne('w1')).id).toBe(id);
      }
    }
  });

  it('end in six random characters, whatever chance says', () => {
    expect(randomSuffix(() => 0)).toBe('000000');
    expect(randomSuffix(() => 1 - Number.EPSILON)).toBe('zzzzzz');
    for (let draw = 0; draw < 1_000; draw++) expect(randomSuffix(Math.random)).toMatch(/^[0-9a-z]{6}$/);
  });
});
