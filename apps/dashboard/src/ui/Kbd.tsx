import type { ReactNode } from 'react';
import './kbd.css';

export function Kbd({ children }: { children: ReactNode }): ReactNode {
  return <kbd className="kbd">{children}</kbd>;
}
