import { expect, it } from 'vitest';
import { reactsIn } from './oneReact.ts';

it('finds each React in the bundle once, and nothing that only comes with it', () => {
  const here = '/here/node_modules/react/cjs/';
  const chunks = [
    {
      moduleIds: [
        `${here}react.production.js`,
        `${here}react-jsx-runtime.production.js`,
        '/here/node_modules/react-dom/cjs/react-dom.production.js',
      ],
    },
    { moduleIds: [`${here}react.production.js`, `${here}react.react-server.production.js`, '/here/src/main.tsx'] },
  ];
  expect(reactsIn(chunks)).toEqual([`${here}react.production.js`, `${here}react.react-server.production.js`]);
});
