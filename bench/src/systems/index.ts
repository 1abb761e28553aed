import { beeQueue } from './bee-queue.ts';
import { bullmq } from './bullmq.ts';
import { galley } from './galley.ts';
import { raw } from './raw.ts';
import type { System, SystemName } from './system.ts';

export const SYSTEMS: Readonly<Record<SystemName, System>> = { galley, bullmq, 'bee-queue': beeQueue, raw };
