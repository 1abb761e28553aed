import { describe, expect, it } from 'vitest';
import type { Command } from '../registry/index.ts';
import { foundCommands, matchedParts } from './paletteModel.ts';

const command = (label: string, change: Partial<Command> = {}): Command => ({ id: label, group: 'actions', label, ...change });

describe('palette', () => {
  it('marks the first match, whatever its case', () => {
    expect(matchedParts('Tasks that are retrying', 'RET')).toEqual([
      { text: 'Tasks that are ', matched: false },
      { text: 'ret', matched: true },
      { text: 'rying', matched: false },
    ]);
    expect(matchedParts('Upload', 'x')).toEqual([{ text: 'Upload', matched: false }]);
  });
  it('puts starts before words before insides', () => {
    const commands = [command('Forget retired'), command('Tasks that are retrying'), command('Retry all')];
    expect(foundCommands(commands, 'ret', true).map((one) => one.label)).toEqual([
      'Retry all',
      'Forget retired',
      'Tasks that are retrying',
    ]);
  });
  it('hides admin actions from others', () => {
    expect(foundCommands([command('Retry all', { adminOnly: true })], 'ret', false)).toEqual([]);
  });
  it('finds by another word', () => {
    expect(foundCommands([command('Theme: Dark', { keywords: ['night'] })], 'nig', true)).toHaveLength(1);
  });
});
