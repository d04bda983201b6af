import { describe, expect, test } from 'vitest'
import { parseAutomation, renamePlaceholders, renderTemplate } from './automations.ts'

const VALUES = {
  record: { title: 'Pump 7 {title}', due_on: null, n: '12345678901234567890' },
  today: '2026-02-27',
  now: '2026-02-27T10:00:00Z',
}

test.each([
  ['{title} is overdue', 'Pump 7 {title} is overdue'],
  ['Due {due_on}.', 'Due .'],
  ['{due_on}', null],
  ['{n}', '12345678901234567890'],
  ['{today}', '2026-02-27'],
  ['{today+2}', '2026-03-01'],
  ['From {today-58} to {now}', 'From 2025-12-31 to 2026-02-27T10:00:00Z'],
  ['{} and {unknown} {', ' and  {'],
  ['', ''],
])('the template %j becomes %j', (template, text) => {
  expect(renderTemplate(template, VALUES)).toBe(text)
})

test('labels stand for names and back, also where one is unknown', () => {
  const names: Readonly<Record<string, string>> = { title: 'Title', due_on: 'Due on' }
  const shown = renamePlaceholders('{title}: {due_on} {today+1} {gone}', (name) => names[name])
  expect(shown).toBe('{Title}: {Due on} {today+1} {gone}')
  expect(renamePlaceholders(shown, (label) => Object.keys(names).find((name) => names[name] === label))).toBe(
    '{title}: {due_on} {today+1} {gone}',
  )
})

describe('parseAutomation', () => {
  const config = { when: { kind: 'added', table: 'jobs' }, do: [{ kind: 'update', set: { state: 'open' } }] }
  test.each([
    [config, config],
    [JSON.stringify(config), config],
    [{ ...config, do: [{ kind: 'fax' }] }, undefined],
    [{ ...config, when: { kind: 'full_moon' } }, undefined],
    ['{"when"', undefined],
    [null, undefined],
  ])('reads %j', (given, parsed) => {
    expect(parseAutomation(given)).toEqual(parsed)
  })
})
