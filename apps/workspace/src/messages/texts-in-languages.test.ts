/// <reference types="vite/client" />
import { parseAst } from 'vite'
import { afterEach, describe, expect, test } from 'vitest'
import { compileMessages } from '../../compile-messages.ts'
import { type Catalogue, readTextsFrom } from '../lib/texts.ts'
import { chipMessages } from './chip.ts'
import { filterMessages } from './filter.ts'
import { recordMessages } from './record.ts'

/** Whether missing translations fail the test or are only listed. Set it to `true` while no branch adds texts. */
const NEEDS_GERMAN = true

type Texts = Readonly<Record<string, unknown>>
type Exports = Readonly<Record<string, unknown>>

const english = import.meta.glob<Exports>(['./*.ts', '!./*.test.ts'], { eager: true })
const german = import.meta.glob<Exports>(['./de/*.ts', '!./de/german.ts', '!./de/rule-sentences.ts'], { eager: true })

/** Exports without texts: functions, and words that are the same in all languages. */
const NO_TEXTS = new Set(['LANGUAGE_NAMES'])

afterEach(() => readTextsFrom({}))

describe('German', () => {
  const lacking = Object.entries(english).flatMap(([file, exports]) =>
    textsOf(exports).flatMap(([name, texts]) => missing(texts, germanOf(file)[name], `${file} ${name}`)),
  )

  test('is there for every text', () => {
    if (lacking.length > 0) console.info(`Without German, read in English:\n${lacking.join('\n')}`)
    expect(NEEDS_GERMAN ? lacking : []).toEqual([])
  })

  test.each(Object.keys(german))('%s translates texts that are there', (file) => {
    const from = english[file.replace('./de/', './')] ?? {}
    const left = Object.entries(germanOf(file)).flatMap(([name, texts]) => missing(texts, from[name], name))
    if (left.length > 0) console.info(`German of texts that have gone:\n${left.join('\n')}`)
    expect(NEEDS_GERMAN ? left : []).toEqual([])
  })

  test('is read from texts that can be translated', () => {
    readTextsFrom(Object.assign({}, ...Object.values(german)) as Catalogue)
    for (const [file, exports] of Object.entries(english)) {
      for (const [name, texts] of textsOf(exports)) {
        const [key, text] = Object.entries((germanOf(file)[name] ?? {}) as Texts)[0] ?? []
        if (key !== undefined && typeof text === 'string') expect(texts[key], `${file} ${name}.${key}`).toBe(text)
      }
    }
  })
})

test('a text is looked up when it is read, and one without a translation is English', () => {
  const words = filterMessages
  expect([words.field, words.operators.has, words.value]).toEqual(['Field', 'contains', 'Value'])
  readTextsFrom({ filterMessages: { field: 'Feld', operators: { has: 'enthält' } } })
  expect([words.field, words.operators.has, words.operators.is, words.value]).toEqual([
    'Feld',
    'enthält',
    'is',
    'Value',
  ])
})

test('a count has the words of its number', () => {
  expect([0, 1, 1260].map((count) => chipMessages.notSent(count))).toEqual([
    '0 changes on this device are not sent yet.',
    '1 change on this device is not sent yet.',
    '1,260 changes on this device are not sent yet.',
  ])
})

test('a change of one record is not counted', () => {
  expect([1, 3].map((count) => recordMessages.changeOf('Title', count, 'finding', 'findings'))).toEqual([
    'change of Title',
    'change of Title in 3 findings',
  ])
})

test('a message is compiled, and refused when it is given too little', async () => {
  await expect(compiled("icu('{count, plural, one {# row} other {# rows}}', { count })")).resolves.toContain(
    'formatter.plural(args.count',
  )
  await expect(compiled("icu('{count} of {all}', { count })")).rejects.toThrow('is given no "all"')
  await expect(compiled("icu('{count', { count })")).rejects.toThrow()
  await expect(compiled("icu('a row{count, plural, =1 {} other { of #}}', { count })")).rejects.toThrow('an empty text')
  await expect(compiled('icu(message, { count })')).rejects.toThrow('is a literal')
})

async function compiled(code: string): Promise<string> {
  const { transform } = compileMessages()
  if (typeof transform !== 'object') throw new Error('The plugin has a filter')
  const context = {
    parse: (text: string) => parseAst(text),
    error: (message: string) => {
      throw new Error(message)
    },
  }
  const result: unknown = await Reflect.apply(transform.handler, context, [code, ''])
  return (result as { readonly code: string }).code
}

function germanOf(file: string): Exports {
  return german[file.startsWith('./de/') ? file : file.replace('./', './de/')] ?? {}
}

function textsOf(exports: Exports): readonly (readonly [name: string, texts: Texts])[] {
  return Object.entries(exports).filter(
    (entry): entry is [string, Texts] => typeof entry[1] === 'object' && entry[1] !== null && !NO_TEXTS.has(entry[0]),
  )
}

/** Returns the paths of texts without a counterpart of the same kind. */
function missing(texts: unknown, others: unknown, path: string): readonly string[] {
  if (typeof texts !== 'object' || texts === null || Array.isArray(texts)) {
    return typeof texts === typeof others ? [] : [path]
  }
  return Object.entries(texts).flatMap(([key, text]) =>
    missing(text, (others as Texts | undefined)?.[key], `${path}.${key}`),
  )
}
