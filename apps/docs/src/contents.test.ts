import { describe, expect, test } from 'vitest'
import { neighboursOf, readContents } from './contents.ts'

const PAGE = `# Docs

Read [the licence](../LICENSE.md) first.

## Begin

* [An edit](tutorial/edit.md): ten minutes

## Guides

* [Streams](guides/streams.md)

### Accounts

* [Hooks](guides/hooks.md), [Mails](guides/mails.md)
* [Gone](guides/gone.md)

## For those who change the code

* [Architecture](../ARCHITECTURE.md)
`
const pages = new Set(['tutorial/edit.md', 'guides/streams.md', 'guides/hooks.md', 'guides/mails.md'])

describe('the contents of the site', () => {
  test('are the headings and links of the first page, without what the site does not have', () => {
    expect(readContents(PAGE, pages)).toEqual([
      { title: 'Begin', groups: [{ title: undefined, pages: [{ address: 'tutorial/edit.html', title: 'An edit' }] }] },
      {
        title: 'Guides',
        groups: [
          { title: undefined, pages: [{ address: 'guides/streams.html', title: 'Streams' }] },
          {
            title: 'Accounts',
            pages: [
              { address: 'guides/hooks.html', title: 'Hooks' },
              { address: 'guides/mails.html', title: 'Mails' },
            ],
          },
        ],
      },
    ])
  })

  test('lead from each page to the one before and after it, across sections', () => {
    const sections = readContents(PAGE, pages)
    expect(neighboursOf(sections, 'index.html').after?.title).toBe('An edit')
    expect(neighboursOf(sections, 'guides/streams.html')).toEqual({
      before: { address: 'tutorial/edit.html', title: 'An edit' },
      after: { address: 'guides/hooks.html', title: 'Hooks' },
    })
    expect(neighboursOf(sections, 'guides/mails.html').after).toBeUndefined()
  })
})
