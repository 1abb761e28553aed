/** The style of /docs; light or dark as the reader's system is. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent); }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 0.875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
main { padding: 1rem 2rem 4rem; max-width: 70rem; }
a { color: LinkText; }
section { border-top: 1px solid var(--line); padding: 1rem 0; scroll-margin-top: 1rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0 0 0.5rem; }
h4 { margin-top: 1rem; font-size: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875rem; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: 0.75rem; overflow: auto; }
.method { font-weight: 700; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.375rem 0.75rem 0.375rem 0; border-bottom: 1px solid var(--line); }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; } main { padding: 1rem; } }
`.trimStart();
