import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { MEMBERS } from './sync-members.ts'

// The members are read from the SDK's types (sync-members.ts), so a new member fails here or at compile time.

/** Members with a `describe('database.connect', …)` in any sync test. */
function describedMembers(): Set<string> {
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.startsWith('sync') && name.endsWith('.test.ts'))
  const start = new RegExp(String.raw`^describe\(\s*'((?:${Object.keys(MEMBERS).join('|')})\.\w+)'`, 'gm')
  const titles = files.flatMap((name) => [...readFileSync(new URL(name, folder), 'utf8').matchAll(start)])
  return new Set(titles.map(([, member = '']) => member))
}

const members = Object.entries(MEMBERS).flatMap(([object, of]) =>
  Object.entries(of).map(([member, where]) => ({ name: `${object}.${member}`, where })),
)

describe('conformance tests of sync', () => {
  test.each(members.filter(({ where }) => where !== 'local'))('cover $name', ({ name, where }) => {
    expect(describedMembers()).toContain(where === 'seen' ? name : where)
  })

  test('name only members of the SDK', () => {
    const seen = new Set(members.filter(({ where }) => where === 'seen').map(({ name }) => name))
    expect([...describedMembers()].filter((name) => !seen.has(name))).toEqual([])
  })

  test('omit members that concern only the SDK, as documented', () => {
    const page = readFileSync(new URL('../pages/sync.md', import.meta.url), 'utf8')
    const [, section = ''] = page.split('## Not tested')
    const named = new Set([...section.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    expect(members.filter(({ name, where }) => where === 'local' && !named.has(name)).map(({ name }) => name)).toEqual(
      [],
    )
  })
})
