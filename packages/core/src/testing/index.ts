export * from './plant-dead-letters.ts';
export * from './scheduler.ts';
