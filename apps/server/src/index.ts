export { createApp } from './app.ts';
export { type Config, type Environment, parseConfig, redacted } from './config.ts';
export { type GalleyServer, startServer } from './server.ts';
