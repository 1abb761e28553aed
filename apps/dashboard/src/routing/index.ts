export * from './navigation.tsx';
export * from './paths.ts';
