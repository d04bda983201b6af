import { LocalizedStringDictionary, LocalizedStringFormatter, type LocalizedString } from '@internationalized/string'
import { pageLocale } from './language.ts'

/**
 * A translation of texts: the same keys, each a text or a function with the same arguments. One that is absent is read in
 * English, and one of a text that has gone is not read; the test of the texts names both.
 */
export type Translation<T> = { readonly [K in keyof T]?: Translated<T[K]> } & Gone

/** Texts whose English one has gone. */
interface Gone {
  // oxlint-disable-next-line typescript/no-explicit-any -- what they were given is not known any more
  readonly [key: string]: string | readonly string[] | ((...given: any[]) => string) | object | undefined
}

type Translated<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends readonly string[]
      ? readonly string[]
      : Translation<T>

/** Translations by the name of what they translate. */
export type Catalogue = Readonly<Record<string, object>>

type Values = Readonly<Record<string, string | number | boolean>>

let catalogue: Catalogue = {}
let formatter: LocalizedStringFormatter | undefined

/** From now on texts are read from `translations`, and in English where these have none. */
export function readTextsFrom(translations: Catalogue): void {
  catalogue = translations
}

/**
 * English texts that have translations. A text is looked up when it is read, so read it while rendering and never into
 * a constant of a module.
 *
 * @param name - of the export, which the translation has too (`messages/de`)
 */
export function inLanguages<const T extends object>(name: string, english: T): T {
  let source: Catalogue | undefined
  let texts = english
  const current = (): T => {
    if (source !== catalogue) {
      source = catalogue
      texts = translate(english, catalogue[name])
    }
    return texts
  }
  return new Proxy(english, { get: (_, key) => Reflect.get(current(), key) as unknown })
}

function translate<T>(english: T, translation: unknown): T {
  if (translation === undefined) return english
  if (typeof english !== 'object' || english === null || Array.isArray(english)) return translation as T
  const translations = translation as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(english).map(([key, text]: [string, unknown]) => [key, translate(text, translations[key])]),
  ) as T
}

/**
 * A text of an ICU message: `{count, plural, one {# photo} other {# photos}}`. The build turns the message into a
 * function (`compile-messages.ts`), in files below `messages` only.
 *
 * @param message - a literal
 * @param values - by the names that the message uses
 * @see https://unicode-org.github.io/icu/userguide/format_parse/messages/
 */
export function icu(message: string, values: Values): string {
  const compiled = message as LocalizedString
  if (typeof compiled === 'string') return compiled // a message without arguments
  formatter ??= new LocalizedStringFormatter(pageLocale(), new LocalizedStringDictionary({}))
  return compiled(values, formatter)
}
