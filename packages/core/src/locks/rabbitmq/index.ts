export { RabbitLockStore, type RabbitLockStoreOptions } from './rabbit-lock-store.ts';
