export const htmlStyle = `
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #fff; --line: #dfe3e8; --text: #1b2128; --soft: #5a6572;
  --passed: #17734a; --passed-back: #e3f4ea; --failed: #b3261e; --failed-back: #fdebe9;
  --not-observable: #8a5a00; --not-observable-back: #fbf0d9; --observed: #2456a8; --observed-back: #e6eefb;
  --code: #f0f2f5; --focus: #2456a8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1a2027; --line: #2e3740; --text: #e7ebef; --soft: #9aa7b4;
    --passed: #6fd3a0; --passed-back: #16332577; --failed: #ff9d94; --failed-back: #48201d77;
    --not-observable: #e8bf6b; --not-observable-back: #3d301477; --observed: #93bbff; --observed-back: #1b2f5077;
    --code: #11151a; --focus: #93bbff;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; text-wrap: balance; }
h2 { font-size: 1.125rem; margin: 2.5rem 0 .25rem; }
h3 { font-size: .8125rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.5rem 0 .5rem; }
p { margin: .25rem 0 .75rem; }
.soft, .meta { color: var(--soft); }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }

header { background: var(--card); border: 1px solid var(--line); border-top: 6px solid var(--tone); border-radius: 12px; padding: 1.5rem; }
.good { --tone: var(--passed); } .bad { --tone: var(--failed); } .open { --tone: var(--not-observable); }
header h1 { color: var(--tone); }
header .url { font-size: 1.0625rem; margin: .375rem 0 1rem; }
.meta { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0; font-size: .9375rem; }
.meta div { display: flex; gap: .5rem; } .meta dt { flex: none; } .meta dd { margin: 0; color: var(--text); }

nav { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 0; position: sticky; top: 0; padding: .75rem 0; background: var(--page); z-index: 1; }
nav button { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 999px; padding: .375rem .875rem; min-height: 2.5rem; cursor: pointer; }
nav button:hover { border-color: var(--tone, var(--soft)); }
nav button b { color: var(--tone, inherit); font-variant-numeric: tabular-nums; }
nav button[aria-pressed="true"] { border-color: var(--tone, var(--text)); box-shadow: inset 0 0 0 1px var(--tone, var(--text)); }
nav input { font: inherit; flex: 1 1 12rem; min-width: 0; min-height: 2.5rem; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 999px; padding: .375rem 1rem; }
nav input::placeholder { color: var(--soft); opacity: 1; }
.passed { --tone: var(--passed); --back: var(--passed-back); } .failed { --tone: var(--failed); --back: var(--failed-back); }
.not-observable { --tone: var(--not-observable); --back: var(--not-observable-back); } .observed { --tone: var(--observed); --back: var(--observed-back); }

.list { background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
.list > * + * { border-top: 1px solid var(--line); }
details > summary { display: grid; grid-template-columns: 7.5rem 1fr 1rem; gap: 0 .75rem; align-items: baseline; padding: .625rem 1rem; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; width: .5rem; height: .5rem; border: solid var(--soft); border-width: 0 2px 2px 0; transform: translateY(-.125rem) rotate(45deg); transition: transform .15s; }
[open] > summary::after { transform: rotate(225deg); }
details > summary:hover { background: var(--code); }
.badge { font-size: .75rem; font-weight: 600; text-align: center; color: var(--tone); background: var(--back); border-radius: 999px; padding: .125rem .5rem; }
summary code { display: block; color: var(--soft); }
details .inside { padding: 0 1rem 1rem 9.25rem; }
.inside .message { margin: 0 0 .75rem; white-space: pre-wrap; }
.failed .inside .message { font-weight: 600; }
.call { position: relative; }
pre { margin: 0; background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 4.75rem .75rem .75rem; white-space: pre-wrap; max-height: 20rem; overflow: auto; }
.call button { position: absolute; top: .375rem; right: .375rem; font: inherit; font-size: .8125rem; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .25rem .625rem; cursor: pointer; }
.facts { font-size: .875rem; color: var(--soft); margin: .75rem 0 0; }

.point { display: grid; grid-template-columns: 12rem 10rem 1fr; gap: 0 1rem; padding: .625rem 1rem; align-items: baseline; }
.point .value { color: var(--tone); font-weight: 600; }
.point.unknown .value, .point.unknown .means { color: var(--soft); font-weight: 400; }
.point .deviation { grid-column: 3; font-size: .875rem; color: var(--soft); }
.reason { display: grid; grid-template-columns: 3rem 1fr; gap: 0 .75rem; padding: .625rem 1rem; align-items: baseline; }
.reason b { color: var(--not-observable); text-align: right; font-variant-numeric: tabular-nums; }
.nothing { padding: 1rem; color: var(--soft); }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .875rem; }

@media (max-width: 40rem) {
  main { padding: .75rem .75rem 3rem; }
  header { padding: 1.125rem 1rem; }
  nav { position: static; }
  .meta { display: grid; }
  nav input { flex-basis: 100%; }
  details > summary { grid-template-columns: 1fr 1rem; gap: .25rem .75rem; } .badge { justify-self: start; }
  summary > :nth-child(2) { grid-row: 2; grid-column: 1 / -1; }
  pre { padding: 2.5rem .75rem .75rem; }
  details .inside { padding: 0 1rem 1rem; }
  .point { grid-template-columns: 1fr auto; gap: .125rem .75rem; } .point .means, .point .deviation { grid-column: 1 / -1; }
}
@media (prefers-reduced-motion: reduce) { summary::after { transition: none; } }
@media print {
  :root {
    --page: #fff; --card: #fff; --line: #c8ccd1; --text: #000; --soft: #444; --code: #fff;
    --passed: #0d5c38; --failed: #9b1c15; --not-observable: #6e4700; --observed: #1b4488;
    --passed-back: #fff; --failed-back: #fff; --not-observable-back: #fff; --observed-back: #fff;
  }
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  nav, .call button, summary::after { display: none; }
  header, details, .point, .reason { break-inside: avoid; } h2, h3 { break-after: avoid; }
  pre { max-height: none; padding: .75rem; } .list { overflow: visible; }
}
`;
