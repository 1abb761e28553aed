import { type AlertThresholds, alertThresholdsSchema, DEFAULT_ALERT_THRESHOLDS } from '@galley/contract';
import type { Connection } from '@galley/core';
import * as z from 'zod/mini';
import { alertThresholdsKey } from '../redis/keys.ts';

/** A Galley that knew fewer or knows more may have written it. */
const storedSchema = z.object(alertThresholdsSchema.shape);

/** Another server's change is followed within this time. */
const READ_EVERY_MS = 2_000;

/** When the servers warn: the defaults, or what an admin has set. */
export class AlertThresholdStore {
  private readonly connection: Connection;
  private readonly clock: () => number;
  private readAt = Number.NEGATIVE_INFINITY;
  private known: AlertThresholds = DEFAULT_ALERT_THRESHOLDS;

  constructor(connection: Connection, clock: () => number = () => performance.now()) {
    this.connection = connection;
    this.clock = clock;
  }

  async read(): Promise<AlertThresholds> {
    if (this.clock() - this.readAt < READ_EVERY_MS) return this.known;
    this.readAt = this.clock();
    const stored: unknown = JSON.parse((await this.connection.client.get(alertThresholdsKey)) ?? '{}');
    this.known = storedSchema.parse({ ...DEFAULT_ALERT_THRESHOLDS, ...(typeof stored === 'object' ? stored : {}) });
    return this.known;
  }

  async write(thresholds: AlertThresholds): Promise<void> {
    await this.connection.client.set(alertThresholdsKey, JSON.stringify(thresholds));
    this.known = thresholds;
    this.readAt = this.clock();
  }
}
