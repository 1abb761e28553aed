import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { registerFeatures } from './app/features.ts';
import './styles/base.css';
import { preloadOverlays } from './ui/preload.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');
registerFeatures();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
preloadOverlays();
