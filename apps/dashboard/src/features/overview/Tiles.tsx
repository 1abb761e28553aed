import type { ReactNode } from 'react';
import { Link } from '../../routing/index.ts';
import { Tile } from '../../ui/index.ts';
import type { TileModel } from './tiles.model.ts';

/** The figures of the queue, each a link to what it counts. */
export function Tiles({ tiles }: { tiles: readonly TileModel[] }): ReactNode {
  return (
    <div className="tiles">
      {tiles.map(({ id, to, ...tile }) => (
        <Link key={id} to={to} className="tile-link">
          <Tile {...tile} />
        </Link>
      ))}
    </div>
  );
}
