import { describe, expect, it } from 'vitest';
import { onQueue, readerPath, systemPath, tasksPath } from './paths.ts';

describe('paths', () => {
  it('writes lists with commas and leaves out what is unset', () => {
    expect(tasksPath({ status: ['pending', 'retrying'], q: undefined })).toBe('/tasks?status=pending,retrying');
    expect(readerPath('ocr-00-000000000001-abcdef', 3)).toBe('/tasks/ocr-00-000000000001-abcdef/read?page=3');
  });
  it('keeps a queue that is not the default one, before the hash', () => {
    expect(onQueue('/tasks?q=a', 'glm-ocr', 'ocr')).toBe('/tasks?q=a&queue=glm-ocr');
    expect(onQueue(systemPath('workers'), 'glm-ocr', 'ocr')).toBe('/system?queue=glm-ocr#workers');
    expect(onQueue('/tasks', 'ocr', 'ocr')).toBe('/tasks');
    expect(onQueue('/tasks?queue=x', 'glm-ocr', 'ocr')).toBe('/tasks?queue=x');
  });
});
