import { create } from 'zustand';
import {
  announcerSlice,
  connectionSlice,
  liveSlice,
  operationsSlice,
  preferencesSlice,
  queueSlice,
  type State,
  selectionSlice,
  sessionSlice,
} from './slices.ts';

/** The page's one store. Read it with a narrow selector: a snapshot comes every second. */
export const useStore = create<State>()((...parts) => ({
  ...connectionSlice(...parts),
  ...liveSlice(...parts),
  ...sessionSlice(...parts),
  ...preferencesSlice(...parts),
  ...queueSlice(...parts),
  ...selectionSlice(...parts),
  ...operationsSlice(...parts),
  ...announcerSlice(...parts),
}));
