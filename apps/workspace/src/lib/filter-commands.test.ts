import { describe, expect, test } from 'vitest'
import { type Command, filterCommands } from './filter-commands.ts'

const COMMANDS: readonly Command[] = [
  { id: 'home', label: 'Home', section: 'Go to' },
  { id: 'template-items', label: 'Template items', section: 'Tables' },
  { id: 'templates', label: 'Templates', section: 'Tables' },
  { id: 'sync', label: 'Sync centre', keywords: 'outbox refused waiting', section: 'Go to' },
  { id: 'cafe', label: 'Café réseau', section: 'Tables' },
]
const ids = (text: string): readonly string[] => filterCommands(COMMANDS, text).map(({ id }) => id)

describe('filterCommands', () => {
  test('keeps everything in order while nothing is typed', () => {
    expect(ids('  ')).toEqual(['home', 'template-items', 'templates', 'sync', 'cafe'])
  })

  test.each([
    ['te', ['template-items', 'templates']],
    ['items temp', ['template-items']],
    ['CENT', ['sync']],
    ['outbox', ['sync']],
    ['cafe res', ['cafe']],
    ['plate', []],
  ])('finds %j', (text, found) => {
    expect(ids(text)).toEqual(found)
  })

  test('puts a word of the label before a keyword', () => {
    const commands = [
      { id: 'keyword', label: 'Zebra', keywords: 'rows', section: '' },
      { id: 'label', label: 'Rows', section: '' },
    ]
    expect(filterCommands(commands, 'ro').map(({ id }) => id)).toEqual(['label', 'keyword'])
  })
})
