import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parseTemplate, TEMPLATE_BYTES_MAX, TEMPLATE_FILES } from './template-file.ts'

const FOLDER = fileURLToPath(new URL('../../../public/templates/', import.meta.url))
const read = (name: string): string => readFileSync(`${FOLDER}${name}.json`, 'utf8')

describe('parseTemplate', () => {
  test('the gallery has every file of its folder', () => {
    expect(globSync('*.json', { cwd: FOLDER }).toSorted()).toEqual(
      TEMPLATE_FILES.map((name) => `${name}.json`).toSorted(),
    )
  })

  test.each(TEMPLATE_FILES)('%s is small, and has a name, a purpose and tables in both languages', (name) => {
    const json = read(name)
    expect(json.length).toBeLessThan(TEMPLATE_BYTES_MAX / 20)
    const [english, german] = [parseTemplate(json, 'en'), parseTemplate(json, 'de')]
    expect(english?.tables).toHaveLength(german?.tables.length ?? -1)
    expect(german?.name).not.toBe(english?.name)
    expect(german?.description).not.toBe(english?.description)
    expect(english?.lanes.some(({ records }) => records > 0)).toBe(true)
    expect(german?.lanes.map(({ choice }) => choice)).toEqual(english?.lanes.map(({ choice }) => choice))
    expect(german?.lanes.map(({ label }) => label)).not.toEqual(english?.lanes.map(({ label }) => label))
  })

  test('every label of a template has its German', () => {
    for (const name of TEMPLATE_FILES) {
      const { tables } = JSON.parse(read(name)) as {
        tables: readonly { looks: object; fields: readonly { choices?: readonly string[]; looks: object }[] }[]
      }
      for (const { looks, fields } of tables) {
        expect(looks).toMatchObject({ translations: { de: { label: expect.any(String), one: expect.any(String) } } })
        for (const field of fields) {
          const choices = Object.fromEntries((field.choices ?? []).map((choice) => [choice, expect.any(String)]))
          expect(field.looks).toMatchObject({
            translations: { de: { label: expect.any(String), ...(field.choices && { choices }) } },
            ...(field.choices && { choices }),
          })
        }
      }
    }
  })

  test.each(['', '{', '7', '[]', '{"holdfast_template": 1}', '{"holdfast_template": 1, "name": "x", "tables": [{}]}'])(
    'is no template: %s',
    (json) => {
      expect(parseTemplate(json, 'en')).toBeUndefined()
    },
  )

  test('takes the English, or any, text where a language is missing', () => {
    const named = (name: object): string | undefined =>
      parseTemplate(JSON.stringify({ holdfast_template: 1, name, tables: [] }), 'de')?.name
    expect(named({ en: 'Rounds' })).toBe('Rounds')
    expect(named({ fr: 'Rondes' })).toBe('Rondes')
  })
})
