/** The page's style sheet, for light and dark schemes and all widths. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f5f6f8, #14171b);
  --pane: light-dark(#ffffff, #1c2127);
  --line: light-dark(#d9dee4, #343b44);
  --text: light-dark(#171b20, #e8ecf0);
  --quiet: light-dark(#566270, #a3aeba);
  --accent: light-dark(#1757c2, #7fb0ff);
  --chosen: light-dark(#e6eefb, #233047);
  font: 15px/1.45 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--text); }
h1, h2, p, ol, pre { margin: 0; }
h1 { font-size: 17px; }
h1 a { color: inherit; text-decoration: none; }
h2 { font-size: 20px; line-height: 1.3; overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; padding: 10px 16px; border-bottom: 1px solid var(--line); background: var(--pane); }
header p { color: var(--quiet); }
header form { margin-inline-start: auto; }
button, .button { display: inline-block; min-height: 36px; padding: 7px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--pane); color: var(--text); font: inherit; line-height: 20px; text-decoration: none; cursor: pointer; }
.button { border-color: var(--accent); background: light-dark(#1757c2, #7fb0ff); color: light-dark(#ffffff, #0b1626); }
.panes { flex: 1; display: grid; grid-template-columns: minmax(260px, 340px) minmax(0, 1fr); }
nav[aria-label='Messages'] { border-inline-end: 1px solid var(--line); }
ol { padding: 8px; list-style: none; }
ol a { display: block; padding: 10px 12px; border-radius: 8px; color: inherit; text-decoration: none; }
ol a:hover { background: var(--pane); }
ol a[aria-current] { background: var(--chosen); }
.what, .whom { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.what { font-weight: 600; }
.whom, time, .meta, .hint, .pictures { color: var(--quiet); }
time { font-size: 13px; }
main { display: flex; flex-direction: column; gap: 12px; padding: 16px 20px; }
.back { display: none; }
.actions { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; }
code { font: 600 22px/1.4 ui-monospace, monospace; letter-spacing: 3px; }
.views { display: flex; gap: 4px; border-bottom: 1px solid var(--line); }
.views a { padding: 8px 12px; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; }
.views a[aria-current] { color: var(--text); border-color: var(--accent); }
iframe { flex: 1; width: 100%; min-height: 520px; border: 1px solid var(--line); border-radius: 8px; background: #ffffff; color-scheme: light; }
pre { padding: 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--pane); font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 720px) {
  .panes { display: block; }
  nav[aria-label='Messages'] { border: 0; }
  body[data-reading] nav[aria-label='Messages'], .hint { display: none; }
  .back { display: block; }
  button, .button { min-height: 44px; padding-block: 11px; }
}
`
