import { lazy } from 'react';
import { patiently } from '../../../loading/patiently.ts';

/** recharts comes in one chunk, after the page that it belongs to can be read. */
const load = () => import('./Series.tsx');

export const DepthSeries = lazy(patiently(async () => ({ default: (await load()).DepthSeries })));
export const ThroughputSeries = lazy(patiently(async () => ({ default: (await load()).ThroughputSeries })));
export const QuantileSeries = lazy(patiently(async () => ({ default: (await load()).QuantileSeries })));
