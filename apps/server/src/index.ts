export { createApp } from './app.ts';
export { type Config, parseConfig, redacted } from './config.ts';
export { type GalleyServer, startServer } from './server.ts';
