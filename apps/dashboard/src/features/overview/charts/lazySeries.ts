import { lazy } from 'react';

/** recharts comes in one chunk, after the page that it belongs to can be read. */
const load = () => import('./Series.tsx');

export const DepthSeries = lazy(async () => ({ default: (await load()).DepthSeries }));
export const ThroughputSeries = lazy(async () => ({ default: (await load()).ThroughputSeries }));
export const QuantileSeries = lazy(async () => ({ default: (await load()).QuantileSeries }));
