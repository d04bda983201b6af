import { expect, test } from 'vitest'
import { anchorsIn, findLostReferences, type Repository } from './doc-references.ts'

const repository: Repository = {
  paths: ['docs', 'docs/limits.md', 'server', 'server/src', 'server/src/start.ts', 'server/src/start.test.ts'],
  anchorsOf: (page) => (page === 'docs/limits.md' ? new Set(['sync']) : undefined),
  scripts: new Set(['check']),
}
const lost = (text: string): readonly string[] => findLostReferences(text, repository, 'docs')

test.each([
  ['a link to a page, with an anchor of it', '[limits](limits.md#sync), [code](../server/src)'],
  ['a link to elsewhere', '[site](https://example.org/none.md)'],
  [
    'a file, a folder, a shortened path, a pattern',
    '`server/src/start.ts`, `server/src/`, `src/start.ts`, `src/*.test.ts`',
  ],
  ['a line of a file', '`start.ts:12`'],
  ['several files in one', '`start{,.test}.ts`'],
  ['a form of names', '`x.test.ts` beside `x.ts`'],
  ['built files, and other words with a slash', '`server/dist/main.js`, `text/html`, `/rest/v1/rpc`, `and/or`'],
  ['a script of the repository', '`npm run check`, `npm run --silent check -- --no-tests`'],
  ['a script of a manifest on the page', '```json\n"scripts": { "dev": "vite" }\n```\n`npm run dev -w notes`'],
  ['code in a fence', '```ts\nconst a = `lost.ts`\n```'],
])('%s is found', (_, text) => {
  expect(lost(text)).toEqual([])
})

test.each([
  ['[limits](bounds.md)', 'nothing is at the link bounds.md'],
  ['[limits](limits.md#rest)', 'nothing is at the link limits.md#rest'],
  ['`server/src/stop.ts`', 'there is no server/src/stop.ts'],
  ['`src/stop.ts`', 'there is no src/stop.ts'],
  ['`server/parts/`', 'there is no server/parts/'],
  ['`server/src/*.pg.test.ts`', 'there is no server/src/*.pg.test.ts'],
  ['```sh\nnpm run checks\n```', 'there is no script checks (npm run checks)'],
])('%s leads nowhere', (text, offence) => {
  expect(lost(text)).toEqual([offence])
})

test('headings have the anchors of GitHub', () => {
  const text =
    '# Limits: `sync`\n\n## On a device\n\n```sh\n# no heading\n```\n\n## [Link](a.md), and more\n\n## On a device\n'
  expect([...anchorsIn(text)]).toEqual(['limits-sync', 'on-a-device', 'link-and-more', 'on-a-device-1'])
})
